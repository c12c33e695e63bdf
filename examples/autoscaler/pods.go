package autoscaler

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/vendors"
)

// EquivalenceKey is equal for two pods exactly when they ask the same of devices: resources of the containers, annotations and
// policies. It is empty for pods that ask for none.
//
// cluster-autoscaler groups pods by their controller, labels and spec, asks for the first of a group only, and lets its answer
// count for the others. Annotations, such as the type of card a pod may use, are no part of that. Make the key one.
//
// Keys are comparable within one build and configuration only: store none.
func EquivalenceKey(set *vendors.Set, pod *corev1.Pod) string {
	r, err := set.Request(pod)
	switch {
	case err != nil:
		return digest("invalid: " + err.Error())
	case r.Empty():
		return ""
	}
	return digest(r.Shape())
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// Demand compares pods by what they take of the devices of a new node.
type Demand struct {
	set  *vendors.Set
	node *device.NodeInfo
}

// NewDemand compares by a node of the group that is to grow; see [Groups.Template].
func NewDemand(set *vendors.Set, template *corev1.Node) Demand {
	return Demand{set, set.Inventory(template)}
}

// Share is the largest part that a pod takes of what an empty node offers ([simulate.Share]); 0 for a pod that asks for no
// device, and for one whose request is invalid.
func (d Demand) Share(pod *corev1.Pod) float64 {
	r, err := d.set.Request(pod)
	if err != nil {
		return 0
	}
	return simulate.Share(r, d.node)
}

// LessDemanding says whether a takes less of a node than b. Packing is best tried with the most demanding pods first:
// cluster-autoscaler's own order knows CPU and memory only, and four pods of 8000 MiB and four of 3000 MiB then need two or
// three nodes of two cards of 11441 MiB each, as luck will have it.
func (d Demand) LessDemanding(a, b *corev1.Pod) bool { return d.Share(a) < d.Share(b) }

// Sort sorts pods, the most demanding first; the order of pods that take the same stays. It parses each pod once.
func (d Demand) Sort(pods []*corev1.Pod) {
	type weighed struct {
		pod   *corev1.Pod
		share float64
	}
	all := make([]weighed, len(pods))
	for i, pod := range pods {
		all[i] = weighed{pod, d.Share(pod)}
	}
	slices.SortStableFunc(all, func(a, b weighed) int { return cmp.Compare(b.share, a.share) })
	for i := range all {
		pods[i] = all[i].pod
	}
}
