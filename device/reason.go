package device

import (
	"slices"
	"strconv"
	"strings"
)

// Code is why a device, or a node as a whole, does not serve a container. Codes are append-only; docs/reasons.md lists them.
type Code uint8

// The codes (spec core §11.1). Their texts are the reference's, but for the last two.
const (
	Fits Code = iota // no reason

	CardTypeMismatch
	CardUuidMismatch
	CardTimeSlicingExhausted
	CardComputeUnitsExhausted
	CardInsufficientMemory
	CardInsufficientCore
	CardNotHealth
	CardCordoned
	NumaNotFit
	ExclusiveDeviceAllocateConflict
	CardNotFoundCustomFilterRule
	CardMigTopologyInfeasible
	AllocatedCardsInsufficientRequest
	ResourceQuotaNotFit
	ModeNotFit
	CardUnhealthy
	CardQosPolicyMismatch
	CardAppClassMismatch

	// Reasons of a node as a whole: they carry no counts.

	NodeInsufficientDevice // the vendor has fewer devices on the node than the container asks for
	NodeUnregistered       // the node carries no device description
	NodeMalformed          // the node carries a description of the vendor's devices that cannot be read
	VendorUnknown          // no backend for the vendor

	// Reasons of what a caller asked for beside the pod (vendors.FitOptions). The reference does not know them.

	CardExcluded       // the caller lets other devices serve only
	CardMemoryReserved // memory would do, but for what the caller reserves

	codeCount
)

var codeTexts = [codeCount]string{
	Fits:                              "",
	CardTypeMismatch:                  "CardTypeMismatch",
	CardUuidMismatch:                  "CardUuidMismatch",
	CardTimeSlicingExhausted:          "CardTimeSlicingExhausted",
	CardComputeUnitsExhausted:         "CardComputeUnitsExhausted",
	CardInsufficientMemory:            "CardInsufficientMemory",
	CardInsufficientCore:              "CardInsufficientCore",
	CardNotHealth:                     "CardNotHealth",
	CardCordoned:                      "CardCordoned",
	NumaNotFit:                        "NumaNotFit",
	ExclusiveDeviceAllocateConflict:   "ExclusiveDeviceAllocateConflict",
	CardNotFoundCustomFilterRule:      "CardNotFoundCustomFilterRule",
	CardMigTopologyInfeasible:         "CardMigTopologyInfeasible",
	AllocatedCardsInsufficientRequest: "AllocatedCardsInsufficientRequest",
	ResourceQuotaNotFit:               "ResourceQuotaNotFit",
	ModeNotFit:                        "ModeNotFit",
	CardUnhealthy:                     "CardUnhealthy",
	CardQosPolicyMismatch:             "CardQosPolicyMismatch",
	CardAppClassMismatch:              "CardAppClassMismatch",
	NodeInsufficientDevice:            "NodeInsufficientDevice",
	NodeUnregistered:                  "node unregistered",
	NodeMalformed:                     "node description malformed",
	VendorUnknown:                     "Device type not found",
	CardExcluded:                      "CardExcluded",
	CardMemoryReserved:                "CardMemoryReserved",
}

// OfNode says whether the code is a reason of a node as a whole rather than of devices.
func (c Code) OfNode() bool {
	switch c {
	case NodeInsufficientDevice, NodeUnregistered, NodeMalformed, VendorUnknown:
		return true
	}
	return false
}

// String returns the reference's word for the code; empty for Fits.
func (c Code) String() string {
	if c < codeCount {
		return codeTexts[c]
	}
	return "Code(" + strconv.Itoa(int(c)) + ")"
}

// Codes lists every code but Fits, ascending.
func Codes() []Code {
	out := make([]Code, 0, codeCount-1)
	for c := Fits + 1; c < codeCount; c++ {
		out = append(out, c)
	}
	return out
}

// CodeOf returns the code with the given text, or Fits and false.
func CodeOf(text string) (Code, bool) {
	if i := slices.Index(codeTexts[:], text); i > 0 {
		return Code(i), true
	}
	return Fits, false
}

// Unit is what an [Amount] counts.
type Unit uint8

// The units.
const (
	NoUnit Unit = iota // see Amount.Text
	MiB
	Cores // percent of a card
	Slots
	Devices
)

// Amount is one side of a comparison that a rule made: a number with its unit, or a text.
type Amount struct {
	N    int64
	Unit Unit
	Text string // used with NoUnit
}

// String renders the amount for people, for example "4000 MiB".
func (a Amount) String() string {
	n := strconv.FormatInt(a.N, 10)
	switch a.Unit {
	case MiB:
		return n + " MiB"
	case Cores:
		return n + " % core"
	case Slots:
		return n + " slots"
	case Devices:
		return n + " devices"
	}
	return a.Text
}

// Reason is why one device does not serve one container: the first rule it broke, what the rule wanted and what there was.
type Reason struct {
	Code   Code
	Vendor Vendor
	Device string // id
	Want   Amount
	Have   Amount
}

// String reads "<device>: <code> (want <amount>, have <amount>)".
func (r Reason) String() string {
	s := r.Device + ": " + r.Code.String()
	if r.Want != (Amount{}) || r.Have != (Amount{}) {
		s += " (want " + r.Want.String() + ", have " + r.Have.String() + ")"
	}
	return s
}

// Reasons counts why a node does not serve a pod: for the first container and vendor that were refused, how many devices
// broke which rule first. The zero value means that nothing was refused. It is a comparable value.
type Reasons struct {
	Container int    // position of the container that was refused, init containers first
	Vendor    Vendor // vendor that refused it
	Node      Code   // a reason of the node as a whole, or Fits: then the counts say why
	Asked     int64  // devices the container asks of the vendor
	Total     int    // devices looked at
	counts    [codeCount]int32
	zero      uint32 // bit c: code c is told although nothing counts under it
}

// Add counts n more devices for a code.
func (r *Reasons) Add(c Code, n int) { r.counts[c] += int32(n) }

// Set sets the count of a code. A count of 0 is told too.
func (r *Reasons) Set(c Code, n int) {
	r.counts[c] = int32(n)
	r.zero &^= 1 << c
	if n == 0 {
		r.zero |= 1 << c
	}
}

// Count returns the count of a code; for a reason of the node as a whole, 1 if it is the reason.
func (r Reasons) Count(c Code) int {
	if c.OfNode() && c == r.Node {
		return 1
	}
	if c < codeCount {
		return int(r.counts[c])
	}
	return 0
}

// Counted says whether there is a count to tell.
func (r *Reasons) Counted() bool { return r.zero != 0 || r.counts != [codeCount]int32{} }

// IsZero says whether nothing was refused.
func (r Reasons) IsZero() bool { return r == Reasons{} }

// Has says whether the code takes part in the refusal.
func (r Reasons) Has(c Code) bool { return r.Count(c) > 0 }

// String renders the reference's text: "<count>/<total> <code>" for each code with a count, sorted as strings and joined
// with ", ", or the bare code of the node as a whole (spec core §11.2). The reference knows no NodeMalformed: its text is that of
// NodeUnregistered; see Detail.
func (r Reasons) String() string {
	switch r.Node {
	case Fits:
	case NodeMalformed:
		return NodeUnregistered.String()
	default:
		return r.Node.String()
	}
	var parts []string
	for c, n := range r.counts {
		if n > 0 || n == 0 && r.zero&(1<<c) != 0 {
			parts = append(parts, strconv.Itoa(int(n))+"/"+strconv.Itoa(r.Total)+" "+Code(c).String())
		}
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

// Detail is String, but with the text of NodeMalformed where that is the reason.
func (r Reasons) Detail() string {
	if r.Node == NodeMalformed {
		return r.Node.String()
	}
	return r.String()
}

// ParseReasons reads a text made by String back into counts. Parts that do not read "<int>/<int> <word>" are skipped, as
// are words that are no code.
func ParseReasons(text string) map[Code]int64 {
	out := map[Code]int64{}
	for part := range strings.SplitSeq(text, ", ") {
		share, word, ok := strings.Cut(part, " ")
		count, total, ok2 := strings.Cut(share, "/")
		n, err := strconv.ParseInt(count, 10, 64)
		_, err2 := strconv.ParseInt(total, 10, 64)
		code, ok3 := CodeOf(word)
		if ok && ok2 && ok3 && err == nil && err2 == nil {
			out[code] = n
		}
	}
	return out
}
