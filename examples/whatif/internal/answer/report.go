package answer

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/accelfit/accelfit/simulate"
)

// Report is what "whatif report" shows of a cluster.
type Report struct {
	Table         *Table
	GroupLabel    string            // node label that names the groups; empty: no node has one
	Groups        map[string]string // group of each node that has one
	Pending       []Pending         // the pods that wait, the same story once
	Unexplained   int               // pods of Pending whose nodes were not looked at one by one, as they are too many
	Options       []Option          // ways to scale up; the first is by the default strategy
	Fragmentation *Fragmentation
	Remarks
}

// Pending is pods that wait for the same reason and ask for the same.
type Pending struct {
	Pods  []string // namespace/name
	Asks  []Ask
	Why   string   // they wait
	Nodes []Reason // empty: the same for all nodes, or the pods fit
	Goes  string   // where they would go if the first option were taken
	Fits  bool     // they would go somewhere
}

// Reason is why some nodes do not serve a pod.
type Reason struct {
	Why   string
	Nodes int
	First []string // names of the first few
}

// Option is one way to scale up.
type Option struct {
	By   []string // what leads to it: strategies, or "only GROUP"
	Plan *ScaleUp
}

// Most pods that are explained node by node, and most groups that are tried alone.
const (
	maxExplained = 100
	maxAlone     = 6
)

// Report gathers what there is to show of a cluster. It takes the time of one scale-up plan for each strategy and for each of
// the first few groups.
func (w *World) Report() (*Report, error) {
	out := &Report{GroupLabel: w.groupLabel, Groups: map[string]string{}}
	var err error
	if out.Table, err = w.Table(); err != nil {
		return nil, err
	}
	for _, n := range w.nodes {
		if g := w.groupOf(n); g != "" {
			out.Groups[n.Name] = g
		}
	}
	if out.Fragmentation, err = w.Fragmentation(""); err != nil {
		return nil, err
	}
	if err := w.addOptions(out); err != nil {
		return nil, err
	}
	first := out.Options[0].Plan
	out.Remarks = first.Remarks
	return out, w.addPending(out, first)
}

// addOptions plans by each strategy, then with each group alone. Plans that add the same nodes are one option;
// a group that helps nobody alone is none.
func (w *World) addOptions(out *Report) error {
	groups, problems, err := w.GroupsByLabel()
	if err != nil && !errors.Is(err, ErrNoGroups) {
		return err
	}
	known := map[string]int{}
	try := func(by string, groups []GroupSpec, s simulate.Strategy) error {
		plan, err := w.ScaleUp(groups, s, problems)
		if err != nil || len(out.Options) > 0 && len(plan.Steps) == 0 {
			return err
		}
		steps := slices.SortedFunc(slices.Values(plan.Steps), func(a, b Step) int { return cmp.Compare(a.Group, b.Group) })
		same, err := json.Marshal([]any{steps, plan.Unplaced})
		if i, again := known[string(same)]; again && err == nil {
			out.Options[i].By = append(out.Options[i].By, by)
			return nil
		}
		known[string(same)] = len(out.Options)
		out.Options = append(out.Options, Option{[]string{by}, plan})
		return err
	}
	for _, s := range strategies() {
		if err := try(string(s), groups, s); err != nil {
			return err
		}
	}
	for i := range groups[:min(len(groups), maxAlone)] {
		if err := try("only "+groups[i].Name, groups[i:i+1], simulate.LeastWaste); err != nil {
			return err
		}
	}
	return nil
}

// strategies are all, the default first.
func strategies() []simulate.Strategy {
	all := slices.Clone(simulate.Strategies())
	slices.SortStableFunc(all, func(a, b simulate.Strategy) int {
		order := func(s simulate.Strategy) int {
			if s == simulate.LeastWaste {
				return 0
			}
			return 1
		}
		return cmp.Compare(order(a), order(b))
	})
	return all
}

// addPending tells of every pod that waits why it does, and where it would go.
func (w *World) addPending(out *Report, plan *ScaleUp) error {
	goes, known := destinations(plan), map[string]int{}
	for i, pod := range w.waiting() {
		name := podName(pod)
		p := Pending{Pods: []string{name}, Goes: goes[name], Fits: goes[name] != ""}
		if i < maxExplained {
			y, err := w.Why(name)
			if err != nil {
				return err
			}
			alone, _, _ := strings.Cut(strings.TrimPrefix(y.Summary, name+" "), whereAlone)
			p.Why, p.Asks, p.Nodes = strings.TrimSuffix(alone, ".")+".", y.Asks, y.reasons()
		} else {
			a := w.ask(pod)
			if a.invalid == nil {
				p.Asks = w.asks(a)
			}
			out.Unexplained++
		}
		same := fmt.Sprint(p.Asks, p.Why, p.Nodes, p.Goes)
		if at, again := known[same]; again {
			out.Pending[at].Pods = append(out.Pending[at].Pods, name)
			continue
		}
		known[same] = len(out.Pending)
		out.Pending = append(out.Pending, p)
	}
	return nil
}

// destinations says where a plan puts each pod.
func destinations(plan *ScaleUp) map[string]string {
	out := map[string]string{}
	for _, p := range plan.Live {
		out[p.Pod] = p.Node
	}
	for _, s := range plan.Steps {
		for _, n := range s.Nodes {
			for _, p := range n.Pods {
				out[p.Pod] = "a new node of " + s.Group
			}
		}
	}
	return out
}

// reasons groups the nodes that do not serve by why.
func (y *Why) reasons() []Reason {
	var all refusals
	for i := range y.Nodes {
		if !y.Nodes[i].Fits {
			all.add(y.Nodes[i].Node, phrase(&y.Nodes[i]))
		}
	}
	var out []Reason
	for _, r := range all.list() {
		out = append(out, Reason{r.Why, len(r.By), r.By[:min(len(r.By), 3)]})
	}
	return out
}
