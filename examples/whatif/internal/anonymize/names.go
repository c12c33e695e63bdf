package anonymize

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// kind is what is named.
type kind string

const (
	node      kind = "node"
	namespace kind = "ns"
	pod       kind = "pod"
	container kind = "container"
	dev       kind = "dev"
	labelKey  kind = "label"
	value     kind = "value" // of labels, taints and selectors
	quota     kind = "quota"
	scheduler kind = "scheduler"
	gate      kind = "gate"
	owner     kind = "owner"
	uid       kind = "uid"
)

// names gives every name another one. Names of one kind keep their order, by which ties are settled.
type names struct {
	found map[kind]map[string]bool
	given map[kind]map[string]string
	gaps  *rand.Rand // nil: numbers follow one another
}

func newNames(seed uint64) *names {
	n := &names{found: map[kind]map[string]bool{}, given: map[kind]map[string]string{}}
	if seed != 0 {
		n.gaps = rand.New(rand.NewPCG(seed, seed))
	}
	return n
}

// note enters a name that will need another one.
func (n *names) note(k kind, name string) {
	if name == "" {
		return
	}
	if n.found[k] == nil {
		n.found[k] = map[string]bool{}
	}
	n.found[k][name] = true
}

// number gives all names entered so far new ones.
func (n *names) number() {
	for _, k := range slices.Sorted(maps.Keys(n.found)) {
		if n.given[k] == nil {
			n.given[k] = map[string]string{}
		}
		sorted := slices.Sorted(maps.Keys(n.found[k]))
		numbers, next := make([]int, len(sorted)), 0
		for i := range numbers {
			next++
			if n.gaps != nil {
				next += n.gaps.IntN(4)
			}
			numbers[i] = next
		}
		digits := len(fmt.Sprint(next))
		for i, name := range sorted {
			if _, taken := n.given[k][name]; !taken {
				n.given[k][name] = written(k, digits, numbers[i])
			}
		}
	}
}

// give sets the new name of a name.
func (n *names) give(k kind, old, now string) {
	if n.given[k] == nil {
		n.given[k] = map[string]string{}
	}
	n.given[k][old] = now
}

func written(k kind, digits, n int) string {
	if k == uid {
		return fmt.Sprintf("00000000-0000-4000-a000-%012d", n)
	}
	return fmt.Sprintf("%s-%0*d", k, digits, n)
}

// of is the new name of a name; empty names stay so.
func (n *names) of(k kind, name string) string { return n.given[k][name] }

// Name is a name and the one in its place.
type Name struct {
	Kind string `json:"kind"`
	New  string `json:"new"`
	Old  string `json:"old"`
}

// list is every name, by kind and new name.
func (n *names) list() []Name {
	out := []Name{}
	for k, all := range n.given {
		for old, now := range all {
			if old != now {
				out = append(out, Name{string(k), now, old})
			}
		}
	}
	slices.SortFunc(out, func(a, b Name) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.New, b.New), cmp.Compare(a.Old, b.Old))
	})
	return out
}

// leftovers replaces ids that are long enough not to be anything else, wherever they are in a text: one that cannot be read may
// have them where no reader would look.
func (n *names) leftovers() *strings.Replacer {
	ids := slices.SortedFunc(maps.Keys(n.given[dev]), func(a, b string) int {
		return cmp.Or(len(b)-len(a), strings.Compare(a, b))
	})
	var pairs []string
	for _, id := range ids {
		if len(id) >= 8 {
			pairs = append(pairs, id, n.given[dev][id])
		}
	}
	return strings.NewReplacer(pairs...)
}
