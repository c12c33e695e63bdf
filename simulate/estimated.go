package simulate

import (
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
)

// estimated is the answer in full.
func (k *packing) estimated() Estimated {
	out := Estimated{
		LowerBound: k.bound(), Spare: k.spare(), Problems: k.mould.problems, Notes: slices.Clone(k.mould.sample.notes), Fits: k.fits, Quotas: k.quotas,
	}
	added := len(k.nodes) - 1
	out.Optimal = out.LowerBound == added
	if added > 0 {
		out.Nodes = make([]NewNode, added)
	}
	for i := range out.Nodes {
		out.Nodes[i] = k.newNode(i)
	}
	for i := range k.unplaced {
		out.Unplaced = append(out.Unplaced, k.unplacedPod(&k.unplaced[i]))
	}
	return out
}

func (k *packing) newNode(i int) NewNode {
	made, n := k.made(i), &k.nodes[i]
	out := NewNode{
		Name: made.object.Name, Object: made.object, Usage: n.usage,
		Pods: make([]*corev1.Pod, len(n.pods)), Placed: make([]*device.Allocation, len(n.pods)),
	}
	if out.Usage == nil {
		out.Usage = k.filled(i)
	}
	room := roomFor(n.by)
	for at := range n.pods {
		out.Pods[at] = k.pods.pods[n.pods[at]].pod
		out.Placed[at] = n.by[at].in(out.Usage.Info(), &room)
	}
	return out
}

func (k *packing) unplacedPod(f *failed) Unplaced {
	out := Unplaced{Pod: k.pods.pods[f.pod].pod, Err: f.err, Limit: f.limit}
	if f.why != nil {
		out.Reasons = f.why.Reasons
	}
	return out
}

// served is the number of pods that were placed.
func (k *packing) served() int {
	n := 0
	for i := range k.nodes {
		n += len(k.nodes[i].pods)
	}
	return n
}

// bound is the number of nodes the placed pods need if devices could be divided at will.
func (k *packing) bound() int {
	sums := map[device.Vendor]demand{}
	placed := make([]int64, len(k.pods.kinds))
	for i := range k.nodes {
		for _, at := range k.nodes[i].pods {
			placed[k.pods.pods[at].kind.number]++
		}
	}
	some := false
	for number, n := range placed {
		some = some || n > 0
		for _, d := range k.demands[number] {
			sums[d.vendor] = sums[d.vendor].add(d.held.times(n))
		}
	}
	if !some {
		return 0
	}
	most := 0.0
	for v, d := range sums {
		most = max(most, d.share(k.have[v]))
	}
	return min(len(k.nodes)-1, max(1, int(math.Ceil(most-1e-9))))
}
