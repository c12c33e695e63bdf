package device

import (
	"fmt"
	"slices"
	"strings"
)

// Quirks turns behaviour of the reference (HAMi v2.10) back on where accelfit deviates from it in a way that decides
// whether a pod fits, in situations that real clusters have. Beside an unpatched scheduler a caller turns on AllQuirks to
// predict it exactly; the zero value decides what is right. docs/deviations.md describes each.
type Quirks uint32

// The quirks.
const (
	// SidecarIsInit counts sidecars as ordinary init containers (deviation D10).
	SidecarIsInit Quirks = 1 << iota
	// LastNUMARun lets topology-aware choice with NUMA binding see only the NUMA node that is visited last (deviation N2).
	LastNUMARun
	// QuotaByRequest checks quotas on MIG cards with the amounts asked for instead of those booked (deviation N4).
	QuotaByRequest
	// MIGSlotsUnchecked lets one container take more instances of a card than the card has slots left (deviation N6).
	MIGSlotsUnchecked

	// QuotaAtAdmission checks quotas within the fit for NVIDIA and Cambricon only (deviation D30).
	QuotaAtAdmission

	// OneCardOfMetaX keeps the rule that a pod's containers share one MetaX GPU, so that pods with two GPU containers fit nowhere
	// (deviation DG1).
	OneCardOfMetaX

	// WholeCardIs48GiB takes a whole Moore Threads card for 48 GiB and 16 cores, so that it fits no smaller card (deviation mD1).
	WholeCardIs48GiB

	// EnflameByPercent checks the percentage of an Enflame card instead of its slices, so that the last slice cannot be used
	// (deviation eD1).
	EnflameByPercent

	// AllQuirks is every quirk.
	AllQuirks = SidecarIsInit | LastNUMARun | QuotaByRequest | MIGSlotsUnchecked | QuotaAtAdmission | OneCardOfMetaX | WholeCardIs48GiB | EnflameByPercent
)

// quirkNames are the names of the constants, in the order of their bits.
func quirkNames() []string {
	return []string{
		"SidecarIsInit", "LastNUMARun", "QuotaByRequest", "MIGSlotsUnchecked",
		"QuotaAtAdmission", "OneCardOfMetaX", "WholeCardIs48GiB", "EnflameByPercent",
	}
}

// ParseQuirk finds a quirk by the name of its constant, as configurations have it; AllQuirks is one of them. The error lists the
// names that there are.
func ParseQuirk(name string) (Quirks, error) {
	if name == "AllQuirks" {
		return AllQuirks, nil
	}
	i := slices.Index(quirkNames(), name)
	if i < 0 {
		return 0, fmt.Errorf("quirk %q: want one of %s, AllQuirks", name, strings.Join(quirkNames(), ", "))
	}
	return 1 << i, nil
}

// String is the names of the quirks that are on, joined by |.
func (q Quirks) String() string {
	var on []string
	for i, name := range quirkNames() {
		if q.Has(1 << i) {
			on = append(on, name)
		}
	}
	return strings.Join(on, "|")
}

// Has says whether all of the given quirks are on.
func (q Quirks) Has(f Quirks) bool { return q&f == f }
