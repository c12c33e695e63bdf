package simulate_test

import (
	"slices"
	"strconv"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/vendors"
)

// contents are what somebody would keep answers under who tries equal pods on equal nodes once: what the pod asks for, and what
// is taken of each device of the node.
type contents struct {
	pod  [3]int64
	node [8][3]int64
}

// attempt is a pod that is tried on a node.
type attempt struct {
	pod  *corev1.Pod
	node *device.NodeUsage
}

// contents reads the least that tells the pods and nodes of the benchmark apart.
func (a *attempt) contents() (c contents) {
	limits := a.pod.Spec.Containers[0].Resources.Limits
	for i, name := range [...]corev1.ResourceName{"nvidia.com/gpu", "nvidia.com/gpumem", "nvidia.com/gpucores"} {
		q := limits[name]
		c.pod[i] = q.Value()
	}
	for i := range a.node.Devices() {
		d := a.node.Device(i)
		c.node[i] = [3]int64{d.Slots, d.Memory, d.Cores}
	}
	return c
}

// attempts are those by which the pods of an estimate came to their nodes, and what is known after them. Equal nodes share one
// usage.
func attempts(e *simulate.Estimated) (list []attempt, known map[contents]*device.Allocation) {
	known = map[contents]*device.Allocation{}
	states := map[[8][3]int64]*device.NodeUsage{}
	for i := range e.Nodes {
		n := &e.Nodes[i]
		u := device.NewNodeUsage(n.Usage.Info())
		for k, pod := range n.Pods {
			a := attempt{pod, u}
			c := a.contents()
			if states[c.node] == nil {
				states[c.node] = u
			}
			list, known[c] = append(list, attempt{pod, states[c.node]}), n.Placed[k]
			u = u.With(n.Placed[k])
		}
	}
	return list, known
}

// lookUps looks up each attempt in what is known; it returns how many there are.
func lookUps(list []attempt, known map[contents]*device.Allocation) (n int) {
	for i := range list {
		if known[list[i].contents()] != nil {
			n++
		}
	}
	return n
}

// madeAgain makes everything anew that the answer consists of, from what is at hand: objects that register their devices,
// descriptions under their ids, usages, lists of pods, and allocations. Classes are shared, as in the answer.
func madeAgain(e *simulate.Estimated) []simulate.NewNode {
	out := make([]simulate.NewNode, len(e.Nodes))
	for i := range e.Nodes {
		n, o := &e.Nodes[i], &out[i]
		o.Object = n.Object.DeepCopy()
		o.Name = o.Object.Name + strconv.Itoa(i)
		for key, text := range o.Object.Annotations {
			o.Object.Annotations[key] = text[:len(text)/2] + o.Name + text[len(text)/2:]
		}
		o.Usage = n.Usage.On(n.Usage.Info().Renamed(o.Name, func(k int) string { return o.Name + strconv.Itoa(k) }))
		o.Pods, o.Placed = slices.Clone(n.Pods), make([]*device.Allocation, len(n.Placed))
		for k, a := range n.Placed {
			o.Placed[k] = &device.Allocation{Classes: a.Classes, Devices: slices.Clone(a.Devices)}
		}
	}
	return out
}

// BenchmarkEstimateEqual estimates nodes for 1,000 equal pods. It is to stay within three times of a bound, measured in turns
// with it, which counts what no estimate can do without once every fit is known: 1,000 look-ups in a map by the contents of a
// pod and of a node, reading them included, and making the answer. It does not count reading the template, telling that the
// pods are equal in whatever else may matter, their order, nor the fits.
func BenchmarkEstimateEqual(b *testing.B) {
	set := vendors.Default()
	template := simulate.Template{Node: testkit.Node("t", cards(8, 24000)...)}
	for _, line := range []string{"gpu=1 mem=3000", "gpu=1 mem=12000", "gpu=2 mem=9000 cores=30"} {
		pods := podsOf(1000, line)
		e := simulate.Estimate(set, template, pods, simulate.Limits{})
		list, known := attempts(&e)
		b.Run(strconv.Itoa(len(e.Nodes))+"-nodes", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				e = simulate.Estimate(set, template, pods, simulate.Limits{})
			}
			var taken, bound time.Duration
			for range b.N {
				start := time.Now()
				e = simulate.Estimate(set, template, pods, simulate.Limits{})
				between := time.Now()
				found := lookUps(list, known)
				again := madeAgain(&e)
				taken, bound = taken+between.Sub(start), bound+time.Since(between)
				if found != len(pods) || len(again) != len(e.Nodes) {
					b.Fatal("a pod is not found")
				}
			}
			b.ReportMetric(float64(e.Fits), "fits")
			b.ReportMetric(float64(taken)/float64(bound), "times-the-bound")
		})
	}
}
