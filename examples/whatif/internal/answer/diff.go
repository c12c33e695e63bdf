package answer

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/accelfit/accelfit/examples/whatif/internal/problem"
)

// Diff is the answer of "whatif diff": which answers about two clusters, or about one under two settings, differ, and in what
// they do because of it.
type Diff struct {
	Summary string            `json:"summary"`
	Same    bool              `json:"same"`
	A       string            `json:"a"` // what is compared
	B       string            `json:"b"`
	Nodes   []NodeDiff        `json:"nodes"`
	Pods    []PodDiff         `json:"pods"`   // that wait in one of the two
	Quotas  []Change          `json:"quotas"` // what namespaces may still take
	OnlyA   []problem.Problem `json:"problemsOnlyOfA"`
	OnlyB   []problem.Problem `json:"problemsOnlyOfB"`
}

// How something differs.
const (
	Came    = "came"    // it is only in B
	Went    = "went"    // it is only in A
	Changed = "changed" // it is in both
)

// Change is one thing that differs; an empty text is nothing.
type Change struct {
	What string `json:"what"`
	A    string `json:"a"`
	B    string `json:"b"`
}

// NodeDiff is a node that differs.
type NodeDiff struct {
	Node    string       `json:"node"`
	How     string       `json:"how"` // came, went or changed
	Changes []Change     `json:"changes"`
	Devices []DeviceDiff `json:"devices"`
}

// DeviceDiff is a device that differs.
type DeviceDiff struct {
	Device  string   `json:"device"`
	Vendor  string   `json:"vendor"`
	How     string   `json:"how"` // came, went or changed
	Changes []Change `json:"changes"`
}

// PodDiff is a pending pod about which the answers differ.
type PodDiff struct {
	Pod   string        `json:"pod"`
	How   string        `json:"how"`             // came, went or changed
	Runs  string        `json:"runs,omitempty"`  // node that it runs on where it does not wait
	Asks  *Change       `json:"asks,omitempty"`  // what it asks for
	A     *Spot         `json:"a,omitempty"`     // where it would be placed, by itself; nil where it does not wait
	B     *Spot         `json:"b,omitempty"`     // the same of B
	Nodes []VerdictDiff `json:"nodes,omitempty"` // whose verdict differs
}

// Spot is where a pod would be placed, and with which devices.
type Spot struct {
	Node    string    `json:"node"` // empty: nowhere
	Devices []Granted `json:"devices"`
}

// VerdictDiff is nodes whose verdict about a pod differs in the same way: they serve (fits), there is none of that name (no such
// node), or everything that speaks against them.
type VerdictDiff struct {
	Nodes []string `json:"nodes"`
	A     []string `json:"a"`
	B     []string `json:"b"`
}

// Verdicts of nodes that say nothing against them.
const (
	FitsHere   = "fits"
	NoSuchNode = "no such node"
)

// Compare tells in what the answers about two clusters differ. nameA and nameB say which they are.
func Compare(a, b *World, nameA, nameB string) (*Diff, error) {
	out := &Diff{A: nameA, B: nameB, Nodes: []NodeDiff{}, Pods: []PodDiff{}, Quotas: []Change{}}
	before, err := a.Table()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", nameA, err)
	}
	after, err := b.Table()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", nameB, err)
	}
	out.Nodes = diffNodes(a, b)
	out.Pods = diffPods(a, b)
	out.Quotas = diffQuotas(before.Quotas, after.Quotas)
	out.OnlyA, out.OnlyB = without(before.Problems, after.Problems), without(after.Problems, before.Problems)
	out.Same = len(out.Nodes)+len(out.Pods)+len(out.Quotas)+len(out.OnlyA)+len(out.OnlyB) == 0
	out.Summary = out.sentence(a)
	return out, nil
}

// without lists the problems that are not among others.
func without(all, others []problem.Problem) []problem.Problem {
	out := []problem.Problem{}
	for _, p := range all {
		if !slices.Contains(others, p) {
			out = append(out, p)
		}
	}
	return out
}

func (d *Diff) sentence(a *World) string {
	if d.Same {
		return fmt.Sprintf("Nothing changed: %s with %s and %s are answered alike.",
			plural(a.snapshot.Len(), "node"), plural(a.devices(), "device"), plural(len(a.waiting()), "pending pod"))
	}
	var parts []string
	say := func(noun string, hows []string) {
		count := map[string]int{}
		for _, how := range hows {
			count[how]++
		}
		for _, how := range []string{Came, Went, Changed} {
			if n := count[how]; n > 0 {
				parts = append(parts, plural(n, noun)+" "+how)
			}
		}
	}
	var nodes, pods []string
	for i := range d.Nodes {
		nodes = append(nodes, d.Nodes[i].How)
	}
	for i := range d.Pods {
		pods = append(pods, d.Pods[i].How)
	}
	say("node", nodes)
	say("pending pod", pods)
	if len(d.Quotas) > 0 {
		parts = append(parts, plural(len(d.Quotas), "quota")+" changed")
	}
	if n := len(d.OnlyA) + len(d.OnlyB); n > 0 {
		parts = append(parts, plural(n, "problem")+" came or went")
	}
	return "What differs: " + strings.Join(parts, ", ") + "."
}

func (w *World) devices() (n int) {
	for _, u := range w.snapshot.Nodes() {
		n += u.Info().Len()
	}
	return n
}

// diffQuotas compares what namespaces may still take.
func diffQuotas(before, after []QuotaRow) []Change {
	text := func(rows []QuotaRow) map[string]string {
		out := map[string]string{}
		for _, q := range rows {
			var left []string
			if q.MemoryLeft != nil {
				left = append(left, fmt.Sprintf("%d MiB left", *q.MemoryLeft))
			}
			if q.CoresLeft != nil {
				left = append(left, fmt.Sprintf("%d %s left", *q.CoresLeft, coresOf(q.CoreUnit)))
			}
			out[q.Namespace+" "+q.Vendor] = strings.Join(left, ", ")
		}
		return out
	}
	return diffTexts(text(before), text(after))
}

// coresOf is the unit of cores in words.
func coresOf(unit string) string {
	if unit == "%" {
		return "% core"
	}
	return unit
}

// diffTexts lists the keys with different texts.
func diffTexts(before, after map[string]string) []Change {
	out := []Change{}
	for _, key := range union(before, after) {
		if before[key] != after[key] {
			out = append(out, Change{key, before[key], after[key]})
		}
	}
	return out
}

// union lists the keys of two maps.
func union[V any](a, b map[string]V) []string {
	all := slices.Collect(maps.Keys(a))
	for key := range b {
		if _, known := a[key]; !known {
			all = append(all, key)
		}
	}
	slices.Sort(all)
	return all
}
