package answer

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/examples/whatif/internal/problem"
	"github.com/accelfit/accelfit/simulate"
)

// Place is the answer of "whatif place": where pods would go, one after the other.
type Place struct {
	Summary string      `json:"summary"`
	Fits    bool        `json:"fits"` // all of them
	Pods    []Placement `json:"pods"` // in the order they were given
	Remarks
}

// Placement is what came of placing one pod.
type Placement struct {
	Pod         string            `json:"pod"`
	Node        string            `json:"node,omitempty"`    // empty: nowhere
	RunsOn      string            `json:"runsOn,omitempty"`  // the node it is on now; what it holds there was given back first
	Invalid     string            `json:"invalid,omitempty"` // why it fits nowhere, whatever the nodes
	Devices     []Granted         `json:"devices"`
	Annotations map[string]string `json:"annotations,omitempty"` // what a live scheduler writes on it, time stamps aside
	Stale       []string          `json:"stale,omitempty"`       // annotations of an earlier placement to remove
	Refused     []Refused         `json:"refused"`               // why nodes do not serve
}

// Granted is a device given to a container.
type Granted struct {
	Container string       `json:"container"`
	Device    string       `json:"device"`
	Vendor    string       `json:"vendor"`
	Memory    int64        `json:"memoryMiB"`
	Cores     int64        `json:"cores"`
	CoreUnit  string       `json:"coreUnit"` // of Cores; %: percent of a card
	MIG       *MIGInstance `json:"mig,omitempty"`
}

// Refused is why nodes, or node groups, do not serve a pod.
type Refused struct {
	Why string   `json:"why"`
	By  []string `json:"by"` // their names
}

// Place places pods in the given order, each on top of those before.
func (w *World) Place(names ...string) (*Place, error) {
	if err := w.needNodes(); err != nil {
		return nil, err
	}
	pods := make([]*corev1.Pod, len(names))
	seen := map[*corev1.Pod]bool{}
	for i, name := range names {
		pod, err := w.pod(name)
		if err != nil {
			return nil, err
		}
		if seen[pod] {
			return nil, fmt.Errorf("pod %s: given twice", podName(pod))
		}
		pods[i], seen[pod] = pod, true
	}
	out := &Place{Fits: true, Pods: make([]Placement, len(pods))}
	s := w.stack()
	for _, pod := range pods {
		s.lift(pod)
	}
	placed := 0
	var problems []problem.Problem
	for i, pod := range pods {
		a := w.ask(pod)
		problems = append(problems, a.problems...)
		out.Pods[i] = s.place(a)
		out.Pods[i].RunsOn = w.nodeOf(pod)
		if out.Pods[i].Node != "" {
			placed++
		}
	}
	out.Fits = placed == len(pods)
	out.Summary = fmt.Sprintf("%d of %s would be placed.", placed, plural(len(pods), "pod"))
	out.Remarks = w.remarks(problems)
	return out, nil
}

// place places one pod where a live scheduler would.
func (s *stack) place(a asked) Placement {
	p := Placement{Pod: podName(a.pod), Devices: []Granted{}, Refused: []Refused{}}
	if a.invalid == nil {
		a.invalid = gated(a.pod)
	}
	if a.invalid != nil {
		p.Invalid = a.invalid.Error()
		return p
	}
	result, err := s.snapshot.PlaceAnywhere(a.pod, simulate.PlaceOptions{Fit: s.w.fit, Allow: s.allow, Placed: s.placed})
	if err != nil {
		p.Invalid = err.Error()
		return p
	}
	p.Refused = refused(result.Refused)
	if result.OK() {
		s.w.grant(&p, a.pod, result.Node, result.Allocation)
	}
	return p
}

// grant writes down an allocation.
func (w *World) grant(p *Placement, pod *corev1.Pod, node string, a *device.Allocation) {
	p.Node = node
	p.Devices = w.granted(pod, a)
	if len(a.Devices) == 0 {
		return // placed by the ordinary scheduler, which writes nothing
	}
	u, _ := w.snapshot.Node(node)
	p.Annotations = w.set.Annotations(pod, u.Info(), a, time.Time{})
	p.Stale = w.set.Stale(pod, p.Annotations)
}

func (w *World) granted(pod *corev1.Pod, a *device.Allocation) []Granted {
	out := make([]Granted, len(a.Devices))
	for i, d := range a.Devices {
		out[i] = Granted{
			Container: containerName(pod, d.Container), Device: d.ID, Vendor: string(d.Vendor), Memory: d.Memory, Cores: d.Cores,
			CoreUnit: w.coreUnit(d.Vendor),
		}
		if m := d.MIG; !m.IsZero() {
			out[i].MIG = &MIGInstance{m.Profile, m.Placement.Start, m.Placement.Size}
		}
	}
	return out
}

// refused groups nodes by why they refuse, in the order of their names.
func refused(all []simulate.Refusal) []Refused {
	out := refusals{}
	for _, r := range all {
		out.add(r.Node, why(r))
	}
	return out.list()
}

func why(r simulate.Refusal) string {
	if r.Err != nil {
		return r.Err.Error()
	}
	return r.Reasons.Detail()
}

// refusals gathers who refuses, by why.
type refusals struct{ all []Refused }

func (r *refusals) add(name, why string) {
	i := slices.IndexFunc(r.all, func(x Refused) bool { return x.Why == why })
	if i < 0 {
		i = len(r.all)
		r.all = append(r.all, Refused{Why: why})
	}
	r.all[i].By = append(r.all[i].By, name)
}

func (r *refusals) list() []Refused {
	if r.all == nil {
		return []Refused{}
	}
	return r.all
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
