package simulate

import (
	"fmt"
	"math/rand/v2"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/vendors"
)

// fewest is how few nodes the requests need, by trying every way to put them together and every order in which those of a
// node may come; more than there are requests if some fits on no node.
func fewest(set *vendors.Set, empty *device.NodeUsage, requests []*vendors.Request) int {
	n := len(requests)
	best, together := make([]int, 1<<n), make([]bool, 1<<n)
	together[0] = true
	fill(set, empty, requests, 0, together)
	for all := 1; all < 1<<n; all++ {
		best[all] = n + 1
		for part := all; part > 0; part = (part - 1) & all {
			if together[part] {
				best[all] = min(best[all], 1+best[all&^part])
			}
		}
	}
	return best[1<<n-1]
}

// fill notes every set of requests that a node can hold which holds some already.
func fill(set *vendors.Set, u *device.NodeUsage, requests []*vendors.Request, on int, together []bool) {
	for i, r := range requests {
		if on&(1<<i) != 0 {
			continue
		}
		if fit := set.Fit(r, u); fit.OK() {
			together[on|1<<i] = true
			fill(set, u.With(fit.Allocation), requests, on|1<<i, together)
		}
	}
}

// TestBoundOfEveryVendor: for the pods of any vendor the lower bound is one, whatever the vendor checks and books, and the
// estimate is no better than possible.
func TestBoundOfEveryVendor(t *testing.T) {
	r := rand.New(rand.NewPCG(testkit.Seed(t), 41))
	for _, b := range vendors.Default().Backends() {
		for _, quirks := range []device.Quirks{0, device.AllQuirks} {
			set := vendors.Default().With(vendors.Options{Quirks: quirks})
			solved, optimal, bounds := 0, 0, 0
			for range 40 {
				m := makerOf(r, b)
				template := Template{Node: m.node(t, 1+r.IntN(4)), Options: TemplateOptions{KeepHealth: true}}
				e, requests := m.estimate(set, template, 1+r.IntN(5))
				if len(requests) == 0 || len(e.Unplaced) > 0 {
					continue
				}
				solved++
				empty, _ := template.prototype(set).node("t")
				best := fewest(set, empty.usage, requests)
				if e.LowerBound > best || len(e.Nodes) < best || e.Optimal != (e.LowerBound == len(e.Nodes)) {
					t.Fatalf("%s of %s: lower bound %d, %d nodes, %d are enough:\n%v", m.model.Name, b.Vendor(), e.LowerBound, len(e.Nodes), best, requestsText(requests))
				}
				bounds += e.LowerBound
				if e.Optimal {
					optimal++
				}
			}
			if solved == 0 {
				t.Errorf("%s: no instance is solved", b.Vendor())
			}
			t.Logf("%s, quirks %t: %d instances, %d proven, bounds %d in all", b.Vendor(), quirks != 0, solved, optimal, bounds)
		}
	}
}

func (m *maker) estimate(set *vendors.Set, template Template, n int) (e Estimated, requests []*vendors.Request) {
	var pods []*corev1.Pod
	for i := range n {
		pod := m.pod(fmt.Sprintf("p%d", i))
		r, err := set.Request(pod)
		if err != nil || r.Empty() {
			continue
		}
		pods, requests = append(pods, pod), append(requests, r)
	}
	return Estimate(set, template, pods, Limits{}), requests
}

func requestsText(requests []*vendors.Request) (out string) {
	for _, r := range requests {
		out += fmt.Sprintf("%+v %s\n", r.Containers(), r.Shape())
	}
	return out
}

// TestBoundsAreReached: where pods of one kind fill nodes, the bound is what they need.
func TestBoundsAreReached(t *testing.T) {
	set := vendors.Default()
	for v, amounts := range map[device.Vendor]struct {
		count, memory, cores int64
		pods, nodes          int
	}{
		"NVIDIA":      {1, 16384, 0, 33, 3},     // half of the memory
		"Mthreads":    {1, 0, 0, 16, 2},         // all memory of a card
		"GCU":         {1, 0, 0, 17, 3},         // whole cards
		"kunlun":      {8, 0, 0, 3, 3},          // whole boards
		"AWSNeuron":   {0, 0, 1, 33, 3},         // single cores of 8 × 2
		"Metax-GPU":   {2, 0, 0, 9, 3},          // whole cards
		"Ascend910B4": {1, 32768, 0, 17, 3},     // all memory
		"AMD":         {1, 0, 60, 17, 3},        // all memory
		"DCU":         {1, 0, 60, 17, 3},        // cores
		"Biren":       {1, 0, 0, 8*100 + 1, -1}, // slots
	} {
		b := set.Backend(v)
		if b == nil {
			t.Fatalf("no backend %s", v)
		}
		m := makerOf(rand.New(rand.NewPCG(1, 1)), b)
		node, err := testkit.Described(b, &m.model, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := corev1.Container{Name: "c"}
		c.Resources.Limits = corev1.ResourceList{}
		for name, n := range map[string]int64{m.names.Count: amounts.count, m.names.Memory: amounts.memory / max(1, m.names.MemoryFactor), m.names.Cores: amounts.cores} {
			if n > 0 {
				c.Resources.Limits[corev1.ResourceName(name)] = *resource.NewQuantity(n, resource.DecimalSI)
			}
		}
		var pods []*corev1.Pod
		for i := range amounts.pods {
			pod := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{c}}}
			pod.Name = fmt.Sprintf("p%d", i)
			pods = append(pods, pod)
		}
		e := Estimate(set, Template{Node: node}, pods, Limits{})
		t.Logf("%s %s: %d nodes, bound %d, spare %+v", v, m.model.Name, len(e.Nodes), e.LowerBound, e.Spare)
		if !e.Optimal || len(e.Unplaced) > 0 || amounts.nodes > 0 && len(e.Nodes) != amounts.nodes {
			t.Errorf("%s: %d nodes, lower bound %d, %d pods without a place", v, len(e.Nodes), e.LowerBound, len(e.Unplaced))
		}
	}
}
