// Package keys knows the annotations that HAMi's users, scheduler and node agents write: who reads each, and what its value is.
package keys

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
	"github.com/accelfit/accelfit/vendors/mthreads"
	"github.com/accelfit/accelfit/vendors/nvidia"
)

// Kind is what the value of an annotation is.
type Kind string

// The kinds.
const (
	IDs          Kind = "ids"          // comma-separated device ids
	Models       Kind = "models"       // comma-separated fragments of model names
	Modes        Kind = "modes"        // how devices are to be shared
	DevicePolicy Kind = "devicePolicy" // one word, or a chain of words
	NodePolicy   Kind = "nodePolicy"   // one word
	Weights      Kind = "weights"      // of the device score
	NUMABind     Kind = "numaBind"     // true or false
	Setting      Kind = "setting"      // anything else that a request depends on
	State        Kind = "state"        // written by scheduler or node agent, not by people
)

// Key is an annotation that is known.
type Key struct {
	Name    string
	Kind    Kind
	No      bool            // a list of what is not to be used
	Vendors []device.Vendor // that read or write it; none: it belongs to no vendor
}

// Shared says whether the annotation counts whatever vendor a pod asks for.
func (k *Key) Shared() bool { return len(k.Vendors) == 0 }

// For says whether the annotation counts for pods that ask for a vendor.
func (k *Key) For(v device.Vendor) bool { return k.Shared() || slices.Contains(k.Vendors, v) }

// Asked says whether the annotation is one that people write to say what a pod asks for.
func (k *Key) Asked() bool { return k.Kind != State }

// Book is what is known of annotations with one set of vendors. It is used by one goroutine at a time.
type Book struct {
	pods, nodes map[string]*Key
	like        map[string]string // what LikePod and LikeNode have found
}

// New writes the book of a set.
func New(set *vendors.Set) *Book {
	b := &Book{pods: map[string]*Key{}, nodes: map[string]*Key{}, like: map[string]string{}}
	for name, kind := range map[string]Kind{
		device.AnnotationDevicePolicy: DevicePolicy, device.AnnotationNodePolicy: NodePolicy, device.AnnotationWeights: Weights,
		device.AnnotationNUMABind: NUMABind, device.AnnotationNode: State, device.AnnotationTime: State,
		device.AnnotationBindPhase: State, device.AnnotationBindTime: State,
	} {
		b.pods[name] = &Key{Name: name, Kind: kind}
	}
	b.nodes[device.AnnotationLock] = &Key{Name: device.AnnotationLock, Kind: State}
	for _, backend := range set.Backends() {
		b.add(backend.Vendor(), backend.Names())
	}
	if set.Backend(nvidia.Vendor) != nil {
		note(b.nodes, device.AnnotationCordon, IDs, nvidia.Vendor)
		note(b.nodes, nvidia.AnnotationLinkScores, State, nvidia.Vendor)
		note(b.pods, device.AnnotationMIGReservation, State, nvidia.Vendor)
	}
	if set.Backend(mthreads.Vendor) != nil {
		note(b.pods, mthreads.AnnotationRequested, State, mthreads.Vendor) // by admission
	}
	return b
}

func (b *Book) add(v device.Vendor, n device.Names) {
	for _, name := range slices.Concat([]string{n.Allocated, n.ToAllocate}, n.Writes) {
		note(b.pods, name, State, v)
	}
	for _, name := range n.PodKeys {
		note(b.pods, name, kindOf(name), v)
	}
	for _, name := range slices.Concat([]string{n.Register, n.Handshake, n.Lock, n.CleanUp}, n.NodeKeys) {
		note(b.nodes, name, State, v)
	}
}

// note enters a key of a vendor; one that belongs to all vendors stays so.
func note(keys map[string]*Key, name string, kind Kind, v device.Vendor) {
	if name == "" {
		return
	}
	k, known := keys[name]
	if !known {
		k = &Key{Name: name, Kind: kind, No: strings.Contains(name, "/no")}
		keys[name] = k
	}
	if (!known || !k.Shared()) && !slices.Contains(k.Vendors, v) {
		k.Vendors = append(k.Vendors, v)
	}
}

// kindOf is what a pod's annotation is by its name; the vendors tell no more than names.
func kindOf(name string) Kind {
	switch {
	case strings.HasSuffix(name, "uuid"):
		return IDs
	case strings.HasSuffix(name, "type"):
		return Models
	case strings.HasSuffix(name, "-mode"):
		return Modes
	}
	return Setting
}

// Pod finds an annotation of pods; nil: nobody reads or writes it.
func (b *Book) Pod(name string) *Key { return b.pods[name] }

// Node finds an annotation of nodes; nil: nobody reads or writes it.
func (b *Book) Node(name string) *Key { return b.nodes[name] }

// LikePod is the known annotation of pods that a name may be a mistyped form of; empty: none is near enough.
func (b *Book) LikePod(name string) string { return b.nearest("pod ", name, b.pods) }

// LikeNode is LikePod for annotations of nodes.
func (b *Book) LikeNode(name string) string { return b.nearest("node ", name, b.nodes) }

func (b *Book) nearest(kind, name string, known map[string]*Key) string {
	found, looked := b.like[kind+name]
	if !looked {
		found = Nearest(name, maps.Keys(known))
		b.like[kind+name] = found
	}
	return found
}

// documented are keys that HAMi's documents name and that nothing reads, with the one that is read.
var documented = map[string]string{
	"vastaitech.com/use-va": "vastaitech.com/use-gpuuuid", "vastaitech.com/nouse-va": "vastaitech.com/nouse-gpuuuid",
	"birentech.com/use-biren": "birentech.com/use-gpuuuid", "birentech.com/nouse-biren": "birentech.com/nouse-gpuuuid",
}

// Documented is the annotation to use in place of one that HAMi documents and nothing reads; empty: the name is none of those.
func Documented(name string) string { return documented[name] }

// Nearest is the name with the least edit distance, of equals the first; empty: none is so near that one may be the other
// mistyped.
func Nearest(name string, known func(yield func(string) bool)) string {
	best, least := "", 1+min(3, len(name)/4)
	for _, k := range slices.Sorted(known) {
		if abs(len(k)-len(name)) >= least {
			continue
		}
		if d := Distance(strings.ToLower(name), strings.ToLower(k)); d < least {
			best, least = k, d
		}
	}
	return best
}

func abs(n int) int { return max(n, -n) }

// longest bounds the names that are compared: the time is the product of both lengths.
const longest = 512

// Distance is how many characters have to be put in, taken out, replaced or swapped with their neighbour to make a into b.
func Distance(a, b string) int {
	if len(a) > longest || len(b) > longest {
		return max(len(a), len(b))
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for k := range last {
		last[k] = k
	}
	for i := range len(a) {
		row[0] = i + 1
		for k := range len(b) {
			cost := 1
			if a[i] == b[k] {
				cost = 0
			}
			row[k+1] = min(last[k]+cost, last[k+1]+1, row[k]+1)
			if i > 0 && k > 0 && a[i] == b[k-1] && a[i-1] == b[k] {
				row[k+1] = min(row[k+1], before[k-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

// Words splits a comma-separated list as the vendors do: trimmed, without empty entries.
func Words(list string) []string {
	var out []string
	for part := range strings.SplitSeq(list, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

// VendorNames reads "NVIDIA", "DCU, MLU" or "all vendors".
func (k *Key) VendorNames() string {
	if len(k.Vendors) == 0 {
		return "all vendors"
	}
	names := make([]string, len(k.Vendors))
	for i, v := range k.Vendors {
		names[i] = string(v)
	}
	slices.SortFunc(names, cmp.Compare[string])
	if len(names) == 1 {
		return names[0]
	}
	return strings.Join(names, ", ")
}
