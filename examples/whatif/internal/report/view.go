package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/accelfit/accelfit/examples/whatif/internal/answer"
	"github.com/accelfit/accelfit/examples/whatif/internal/problem"
)

// fact is one figure of the summary.
type fact struct {
	Value, Name string
	Part        int  // percent; below 0: no bar
	Bad         bool // something to look at
}

// facts sum up the cluster.
func facts(r *answer.Report) []fact {
	waits, stuck := 0, 0
	for _, p := range r.Pending {
		waits += len(p.Pods)
		if !p.Fits {
			stuck += len(p.Pods)
		}
	}
	nodes, devices, idle, ill, memory := sums(r.Table)
	return append([]fact{
		{Value: fmt.Sprint(nodes), Name: "nodes", Part: -1},
		{Value: fmt.Sprint(devices), Name: "devices", Part: -1},
		{Value: fmt.Sprint(idle), Name: "idle devices", Part: -1},
		{Value: fmt.Sprint(ill), Name: "devices that take no new work", Part: -1, Bad: ill > 0},
		{Value: fmt.Sprint(waits), Name: "pending pods", Part: -1, Bad: waits > 0},
		{Value: fmt.Sprint(stuck), Name: "of them without a place", Part: -1, Bad: stuck > 0},
		{Value: fmt.Sprint(len(r.Problems)), Name: "problems of the input", Part: -1, Bad: len(r.Problems) > 0},
	}, memory...)
}

// sums adds up the devices; memory has one fact for each vendor.
func sums(t *answer.Table) (nodes, devices, idle, ill int, memory []fact) {
	nodes = len(t.Nodes) + len(t.NoDevices)
	vendors := map[string]answer.Share{}
	for i := range t.Nodes {
		for k := range t.Nodes[i].Devices {
			d := &t.Nodes[i].Devices[k]
			devices++
			if d.State != "ok" {
				ill++
			} else if d.Slots.Used == 0 {
				idle++
			}
			sum := vendors[d.Vendor]
			vendors[d.Vendor] = answer.Share{Used: sum.Used + d.Memory.Used, All: sum.All + d.Memory.All}
		}
	}
	for _, v := range slices.Sorted(maps.Keys(vendors)) {
		part := percent(vendors[v].Used, vendors[v].All)
		memory = append(memory, fact{fmt.Sprintf("%d %%", part), v + " memory given to pods", part, false})
	}
	return nodes, devices, idle, ill, memory
}

func percent(part, all int64) int {
	if all <= 0 {
		return 0
	}
	return int(min(max(float64(part)/float64(all)*100+0.5, 0), 100))
}

// trouble is one problem and the objects that have it.
type trouble struct {
	Objects []string
	Key     string
	Why     string
	LeftOut string
}

// troubles tells the same problem of several objects once.
func troubles(problems []problem.Problem) []trouble {
	var out []trouble
	known := map[problem.Problem]int{}
	for _, p := range problems {
		same := p
		same.Object, _, _ = strings.Cut(p.Object, " ")
		at, again := known[same]
		if !again {
			at = len(out)
			known[same] = at
			key := strings.TrimPrefix(p.Key+": "+p.Field, ": ")
			out = append(out, trouble{Key: strings.TrimSuffix(key, ": "), Why: p.Why, LeftOut: p.LeftOut})
		}
		out[at].Objects = append(out[at].Objects, p.Object)
	}
	return out
}

// pending puts the pods first that have no place to go to.
func pending(r *answer.Report) []answer.Pending {
	out := slices.Clone(r.Pending)
	slices.SortStableFunc(out, func(a, b answer.Pending) int { return cmp.Compare(order(a.Fits), order(b.Fits)) })
	return out
}

// order puts what needs somebody's attention first.
func order(fine bool) int {
	if fine {
		return 1
	}
	return 0
}

// ask reads "2 NVIDIA devices, 8000 MiB and 30 % each".
func ask(a answer.Ask) string {
	amounts := []string{}
	switch {
	case a.Memory > 0:
		amounts = append(amounts, fmt.Sprintf("%d MiB", a.Memory))
	case a.Percent > 0:
		amounts = append(amounts, fmt.Sprintf("%d %% of memory", a.Percent))
	}
	if a.Cores > 0 {
		amounts = append(amounts, fmt.Sprintf("%d %s", a.Cores, strings.Replace(a.CoreUnit, "%", "% of cores", 1)))
	}
	s := fmt.Sprintf("%d %s", a.Devices, a.Vendor)
	if len(amounts) > 0 {
		s += ", " + strings.Join(amounts, " and ") + " each"
	}
	return s
}

// option is one way to scale up.
type option struct {
	Map    int // position in data.Maps
	By     string
	Nodes  int
	Steps  []step
	Priced bool // some group has a price
	Plan   *answer.ScaleUp
}

// step is one group that grows.
type step struct {
	Group, Price string
	Nodes, Pods  int
	Waste        int // percent
}

func options(r *answer.Report) []option {
	out := make([]option, len(r.Options))
	for i, o := range r.Options {
		out[i] = option{Map: i + 1, By: strings.Join(o.By, ", "), Plan: o.Plan}
		for _, s := range o.Plan.Steps {
			x := step{Group: s.Group, Nodes: s.NewNodes, Waste: int(100*s.Waste + 0.5)}
			if s.Price > 0 {
				x.Price, out[i].Priced = fmt.Sprintf("%g", s.Price), true
			}
			for _, n := range s.Nodes {
				x.Pods += len(n.Pods)
			}
			out[i].Nodes += s.NewNodes
			out[i].Steps = append(out[i].Steps, x)
		}
	}
	return out
}
