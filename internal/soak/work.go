package soak

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
)

// answer is what an operation told, as text without addresses.
type answer struct{ operation, text string }

// worker is what one goroutine works with; all but the world is its own.
type worker struct {
	*rand.Rand
	*World
	busy   []int // machines that all work with in the round: few, so that they meet
	at     *simulate.Snapshot
	placed []string // keys of pods in it
	made   int      // pods
}

func (w *World) worker(seed, round uint64, g int) *worker {
	busy, own := rand.New(rand.NewPCG(seed, round)), rand.New(rand.NewPCG(seed+1, round*Goroutines+uint64(g)))
	return &worker{Rand: own, World: w, busy: busy.Perm(len(w.machines))[:4], at: w.snapshot.Fork()}
}

func (w *worker) work() []answer {
	does := w.operations()
	out := make([]answer, Operations)
	for i := range out {
		o := does[w.IntN(len(does))]
		out[i] = answer{o.name, o.do(&w.machines[oneOf(w, w.busy)])}
	}
	return out
}

// operation is what a worker may do with a machine.
type operation struct {
	name string
	do   func(*Machine) string
}

func (w *worker) operations() []operation {
	return []operation{
		{"Request", w.request}, {"Fit", w.fit}, {"Explain", w.explain}, {"Score", w.score}, {"Annotations", w.annotations},
		{"Admit", w.admit}, {"Inventory", w.inventory}, {"Health", w.health}, {"Node", w.node},
		{"Fork", w.fork}, {"Place", w.place}, {"PlaceAnywhere", w.placeAnywhere}, {"Remove", w.remove},
		{"Estimate", w.estimate}, {"ScaleUp", w.scaleUp}, {"Capacity", w.capacity},
	}
}

// oneOf picks one of some values.
func oneOf[T any](w *worker, from []T) T { return from[w.IntN(len(from))] }

func (w *worker) request(m *Machine) string {
	r, err := w.set.Request(oneOf(w, m.Pods))
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%+v %v %s %q %+v", r.Containers(), r.Classes(), r.NodePolicy, r.Shape(), r.Needs(m.usage.Info()))
}

// tried is a request for a machine's devices, tried there or, now and then, elsewhere.
func (w *worker) tried(m *Machine) (pod *corev1.Pod, r *vendors.Request, u *device.NodeUsage, fit vendors.Fit) {
	i := w.IntN(len(m.requests))
	if u = m.usage; w.IntN(8) == 0 {
		u = oneOf(w, w.machines).usage
	}
	return m.asking[i], m.requests[i], u, w.set.Fit(m.requests[i], u)
}

func fitText(a *device.Allocation, why device.Reasons) string {
	if a == nil {
		return why.Detail()
	}
	return fmt.Sprintf("%+v", *a)
}

func (w *worker) fit(m *Machine) string {
	_, _, _, fit := w.tried(m)
	return fitText(fit.Allocation, fit.Reasons)
}

func (w *worker) explain(m *Machine) string {
	_, r, u, _ := w.tried(m)
	why := w.set.Explain(r, u)
	return fmt.Sprint(fitText(why.Allocation, why.Reasons), why.Verdicts)
}

func (w *worker) score(m *Machine) string {
	_, r, u, fit := w.tried(m)
	if !fit.OK() {
		return fit.Reasons.String()
	}
	return fmt.Sprint(w.set.Score(r, u, fit), u.With(fit.Allocation).Devices())
}

func (w *worker) annotations(m *Machine) string {
	pod, _, u, fit := w.tried(m)
	if !fit.OK() {
		return fit.Reasons.String()
	}
	return fmt.Sprint(w.set.Annotations(pod, u.Info(), fit.Allocation, time.Unix(1767225600, 0)))
}

func (w *worker) admit(m *Machine) string {
	a, err := w.set.Admit(oneOf(w, m.Pods), vendors.AdmitOptions{SchedulerName: "s"})
	if err != nil {
		return err.Error()
	}
	text, _ := json.Marshal(a.Pod)
	return fmt.Sprint(string(text), a.Devices, a.Note, a.Warnings)
}

func (w *worker) inventory(m *Machine) string {
	info := w.set.Inventory(m.Node)
	text := fmt.Sprint(info.Vendors(), info.Problems())
	for i := range info.Len() {
		text += fmt.Sprintf("\n%+v %d", *info.Device(i), info.Link(0, i))
	}
	return text
}

func (w *worker) health(m *Machine) string {
	return fmt.Sprintf("%+v", m.Backend.Health(device.HealthInput{Node: m.Node, Now: time.Unix(1767225600, 0)}))
}

func (w *worker) node(m *Machine) string {
	u, problems := usage.Node(w.set, m.Node, m.running[w.IntN(len(m.running)+1):])
	return fmt.Sprintf("%+v %v", u.Devices(), problems)
}

// fork goes on with a fork, after trying something on another that nobody is to see.
func (w *worker) fork(m *Machine) string {
	child := w.at.Fork()
	before := slices.Clone(w.placed)
	text := w.place(m) + w.remove(m)
	w.at, w.placed = child, before
	u, _ := w.at.Node(m.Node.Name)
	return fmt.Sprintf("%s %+v", text, u.Devices())
}

// copied is a pod of its own that asks what one of the machine's pods asks.
func (w *worker) copied(m *Machine) *corev1.Pod {
	pod := *oneOf(w, m.Pods)
	w.made++
	pod.Name = fmt.Sprintf("%s-%d", pod.Name, w.made)
	return &pod
}

func (w *worker) entered(pod *corev1.Pod, r *simulate.Result, err error) string {
	if err != nil {
		return err.Error()
	}
	if r.OK() {
		w.placed = append(w.placed, pod.Namespace+"/"+pod.Name)
	}
	return fmt.Sprint(r.Node, fitText(r.Allocation, device.Reasons{}), r.Score, r.Refused)
}

func (w *worker) place(m *Machine) string {
	pod := w.copied(m)
	r, err := w.at.Place(pod, m.Node.Name)
	return w.entered(pod, &r, err)
}

func (w *worker) placeAnywhere(m *Machine) string {
	pod := w.copied(m)
	r, err := w.at.PlaceAnywhere(pod, simulate.PlaceOptions{Brief: w.IntN(2) == 0, FirstFit: w.IntN(4) == 0})
	return w.entered(pod, &r, err)
}

func (w *worker) remove(*Machine) string {
	if len(w.placed) == 0 {
		return "nothing to remove"
	}
	i := w.IntN(len(w.placed))
	key := w.placed[i]
	w.placed = slices.Delete(w.placed, i, i+1)
	node, _ := w.at.PlacedOn(key)
	err := w.at.Remove(key)
	u, _ := w.at.Node(node)
	return fmt.Sprintf("%s %s %v %+v", key, node, err, u.Devices())
}

// pending are pods that ask for devices of the machine, and a few that ask for others.
func (w *worker) pending(m *Machine) []*corev1.Pod {
	pods := []*corev1.Pod{w.copied(&w.machines[w.IntN(len(w.machines))])}
	for range 1 + w.IntN(12) {
		pods = append(pods, w.copied(m))
	}
	return pods
}

func estimatedText(e *simulate.Estimated) string {
	var b strings.Builder
	fmt.Fprintln(&b, e.LowerBound, e.Optimal, e.Spare, e.Problems, e.Notes, e.Fits)
	for _, n := range e.Nodes {
		fmt.Fprintln(&b, n.Name, n.Usage.Devices())
		for i, a := range n.Placed {
			fmt.Fprintf(&b, "%s %+v\n", n.Pods[i].Name, *a)
		}
	}
	for _, u := range e.Unplaced {
		fmt.Fprintln(&b, u.Pod.Name, u.Err, u.Reasons.Detail(), u.Limit)
	}
	return b.String()
}

func (w *worker) estimate(m *Machine) string {
	e := simulate.Estimate(w.set, simulate.Template{Node: m.Node}, w.pending(m), simulate.Limits{MaxNodes: 8})
	return estimatedText(&e)
}

func (w *worker) scaleUp(m *Machine) string {
	other := &w.machines[w.IntN(len(w.machines))]
	groups := []simulate.NodeGroup{
		{Name: "a", Template: simulate.Template{Node: m.Node}, Price: 2, MaxNew: 3},
		{Name: "b", Template: simulate.Template{Node: other.Node}, Price: 1},
	}
	plan := simulate.ScaleUp(w.set, groups, w.pending(m), oneOf(w, simulate.Strategies()), simulate.Limits{MaxNodes: 8})
	text := fmt.Sprint(plan.Problems, plan.Notes, plan.Fits)
	for i := range plan.Steps {
		s := &plan.Steps[i]
		text += fmt.Sprintln(s.Group, s.Waste, s.Price) + estimatedText(&s.Estimated)
	}
	for _, u := range plan.Unplaced {
		text += u.Pod.Name + " "
	}
	return text
}

func (w *worker) capacity(m *Machine) string {
	c, err := w.at.Capacity(oneOf(w, m.Pods), simulate.CapacityOptions{MaxPerNode: 4})
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(c.Total, c.Quota, c.Capped, c.Nodes)
}
