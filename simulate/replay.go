package simulate

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
)

// ReplayOptions are what a host knows beside the node and its pods. The zero value is nothing.
type ReplayOptions struct {
	// Held tells what a pod holds by what the host decided itself, before its annotations say so. nil: of no pod.
	Held func(*corev1.Pod) (usage.Holding, bool)
}

// Replayed is a node with what the pods on it hold.
type Replayed struct {
	Usage    *device.NodeUsage
	Holdings []usage.Holding // of the pods that hold devices: first those that are on record, by key, then the others as they were placed
	Unplaced []*corev1.Pod   // pods there is no room for; the vendors they ask for give no more devices on the node
	Problems []device.Problem

	from *replay
	tail tail
}

// Replay tells what pods hold that a host has put on a node, some of which may be there in its imagination only. It is a pure
// function of the node and of which pods these are: hosts fork, revert and commit as they like, and ask again.
//
// A pod holds what Held says; else what its annotations say, if it is bound to this node, and the annotations name this node and
// devices of it (copies of pods that an autoscaler moves still name the node they come from); else it is placed as a
// scheduler would, on what the others leave. Pods that are placed are taken in descending order of [Share], then by name and
// UID, whatever order the host lists them in; only where one then finds no room are other orders tried: ascending, and as
// listed. A pod that is listed several times is there several times. Pods that have ended hold nothing.
//
// The pods are neither changed nor kept; nil entries hold nothing. Cost: one reading of the annotations of each pod that is on
// record, one fit for each other pod with devices, thrice that where pods do not fit.
func Replay(set *vendors.Set, info *device.NodeInfo, pods []*corev1.Pod, o ReplayOptions) Replayed {
	r := &replay{set: set, info: info, held: o.Held, recorded: map[string]bool{}}
	parser := set.Parser()
	for _, pod := range pods {
		if pod == nil || ended(pod) || r.onRecord(pod) {
			continue
		}
		request, err := parser.Request(pod)
		switch {
		case err != nil:
			r.problems = append(r.problems, device.Problem{Object: "pod " + pod.Namespace + "/" + pod.Name, Err: err})
		case !request.Empty():
			r.others = append(r.others, guest{pod, request.For(pod), Share(request, info)})
		}
	}
	slices.SortStableFunc(r.holdings, func(a, b usage.Holding) int { return cmp.Compare(a.Key(), b.Key()) })
	return r.place()
}

func ended(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

// replay is a Replay at work.
type replay struct {
	set      *vendors.Set
	info     *device.NodeInfo
	held     func(*corev1.Pod) (usage.Holding, bool)
	recorded map[string]bool // keys of holdings
	holdings []usage.Holding // on record
	others   []guest
	problems []device.Problem
}

// guest is a pod that is to be placed.
type guest struct {
	pod     *corev1.Pod
	request *vendors.Request
	share   float64
}

// onRecord notes what a pod is known to hold, and says whether that is known.
func (r *replay) onRecord(pod *corev1.Pod) bool {
	h, ok, problems := r.record(pod)
	if !ok {
		return false
	}
	r.recorded[h.Key()] = true
	r.holdings = append(r.holdings, h)
	r.problems = append(r.problems, problems...)
	return true
}

// record is what a pod is known to hold; of several with one key only the first is known.
func (r *replay) record(pod *corev1.Pod) (h usage.Holding, ok bool, problems []device.Problem) {
	if r.held != nil {
		h, ok = r.held(pod)
	}
	if !ok {
		h, ok, problems = r.read(pod)
	}
	return h, ok && !r.recorded[h.Key()], problems
}

// read is what a pod holds on the node by its annotations. A pod that was given devices of which the node has none is a copy
// of one that is elsewhere.
func (r *replay) read(pod *corev1.Pod) (usage.Holding, bool, []device.Problem) {
	name := r.info.Name()
	if pod.Spec.NodeName != name || pod.Annotations[device.AnnotationNode] != name {
		return usage.Holding{}, false, nil
	}
	h, ok, problems := usage.Read(r.set, pod)
	return h, ok && r.has(&h), problems
}

func (r *replay) has(h *usage.Holding) bool {
	found := func(v device.Vendor, id string) bool { return r.info.Find(v, id) >= 0 }
	return slices.ContainsFunc(h.Allocation.Devices, func(d device.ContainerDevice) bool { return found(d.Vendor, d.ID) }) ||
		slices.ContainsFunc(h.Blocked, func(b usage.DeviceRef) bool { return found(b.Vendor, b.ID) })
}

// place places the pods that are not on record, in the first order in which all find room, else in the one that leaves the
// fewest out.
func (r *replay) place() (best Replayed) {
	descending := r.descending()
	for i, order := range [][]guest{descending, reversed(descending), r.others} {
		next := r.inOrder(order)
		if i == 0 || len(next.Unplaced) < len(best.Unplaced) {
			best = next
			best.tail = tail{closed: true}
		}
		if len(best.Unplaced) == 0 {
			if i == 0 {
				best.tail = tailOf(descending)
			}
			break
		}
	}
	best.Problems, best.from = r.problems, r
	if len(best.Unplaced) > 0 {
		best.Usage = r.closed(best.Usage, best.Unplaced)
	}
	return best
}

func (r *replay) descending() []guest {
	out := slices.Clone(r.others)
	slices.SortStableFunc(out, func(a, b guest) int {
		return cmp.Or(cmp.Compare(b.share, a.share), compareNames(a.pod, b.pod), cmp.Compare(a.pod.UID, b.pod.UID),
			cmp.Compare(a.request.Shape(), b.request.Shape()))
	})
	return out
}

func reversed(guests []guest) []guest {
	out := slices.Clone(guests)
	slices.Reverse(out)
	return out
}

func (r *replay) inOrder(guests []guest) Replayed {
	out := Replayed{Usage: usage.Apply(r.info, r.holdings), Holdings: slices.Clone(r.holdings)}
	for _, g := range guests {
		fit := r.set.Fit(g.request, out.Usage)
		if !fit.OK() {
			out.Unplaced = append(out.Unplaced, g.pod)
			continue
		}
		out.Usage = out.Usage.With(fit.Allocation)
		out.Holdings = append(out.Holdings, usage.Of(g.request, r.info.Name(), fit.Allocation))
	}
	return out
}

// closed keeps the devices of the vendors that pods without room ask for from new work: nobody knows what of them they have.
func (r *replay) closed(u *device.NodeUsage, unplaced []*corev1.Pod) *device.NodeUsage {
	return u.Update(func(devices []device.DeviceUsage) {
		for _, g := range r.others {
			if !slices.Contains(unplaced, g.pod) {
				continue
			}
			for _, need := range g.request.Needs(r.info) {
				from, to := r.info.Range(need.Vendor)
				for i := from; i < to; i++ {
					devices[i].Healthy = false
				}
			}
		}
	})
}
