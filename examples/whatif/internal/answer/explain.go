package answer

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/examples/whatif/internal/keys"
	"github.com/accelfit/accelfit/examples/whatif/internal/problem"
	"github.com/accelfit/accelfit/vendors"
	"github.com/accelfit/accelfit/vendors/enflame"
)

// Explained is the answer of "whatif explain-request": what a pod really asks for.
type Explained struct {
	Pod        string              `json:"pod"`
	Summary    string              `json:"summary"`
	Valid      bool                `json:"valid"`
	Invalid    []Invalid           `json:"invalid,omitempty"` // why it fits nowhere, whatever the nodes
	Containers []ExplainedAsks     `json:"containers"`        // init containers first
	Conditions []Condition         `json:"conditions"`        // what else decides which devices it gets
	Admission  []Added             `json:"admission"`         // what admission adds
	Charges    []Charge            `json:"charges"`           // what it is charged
	Unread     []UnreadAnnotation  `json:"unread"`            // annotations that nobody reads
	Ineffect   []IneffectiveAsking `json:"withoutEffect"`     // annotations that are read for other vendors only
	Remarks
}

// Invalid is something no request can be made of.
type Invalid struct {
	Container string `json:"container,omitempty"`
	Key       string `json:"key,omitempty"` // resource or annotation
	Value     string `json:"value,omitempty"`
	Why       string `json:"why"`
	Write     string `json:"write,omitempty"` // what to do instead
}

// ExplainedAsks is what one container asks for.
type ExplainedAsks struct {
	Container string         `json:"container"`
	Class     string         `json:"class"` // init, sidecar or app
	Asks      []ExplainedAsk `json:"asks"`  // none: it asks for no device
}

// ExplainedAsk is what a container asks of one vendor, and what of the pod says so.
type ExplainedAsk struct {
	Ask
	Slices      int64  `json:"slices,omitempty"`     // of the one instance it gets, where it asks for a size
	CoresInAll  int64  `json:"coresInAll,omitempty"` // cores of all devices together; each node decides how many devices that makes
	DevicesFrom string `json:"devicesFrom"`
	MemoryFrom  string `json:"memoryFrom"`
	CoresFrom   string `json:"coresFrom"`
}

// Condition is something besides amounts that decides which devices a pod gets.
type Condition struct {
	What  string `json:"what"`  // for example device policy, models to use
	Value string `json:"value"` // in words
	From  string `json:"from"`  // annotation, or default
}

// Added is something that admission adds to a pod.
type Added struct {
	Container string `json:"container,omitempty"` // empty: the pod
	What      string `json:"what"`                // limit, request, environment, annotation, runtime class or scheduler
	Name      string `json:"name,omitempty"`
	Value     string `json:"value"`
}

// UnreadAnnotation is an annotation that no vendor reads.
type UnreadAnnotation struct {
	Key     string `json:"key"`
	Nearest string `json:"nearest,omitempty"` // the annotation that may be meant
}

// IneffectiveAsking is an annotation of vendors that the pod asks nothing of.
type IneffectiveAsking struct {
	Key     string `json:"key"`
	Vendors string `json:"vendors"` // that read it
}

// chartScheduler is the scheduler name that admission sets, unless HAMi's chart is told another.
const chartScheduler = "hami-scheduler"

// Explain tells what a pod really asks for.
func (w *World) Explain(name string) (*Explained, error) {
	pod, err := w.pod(name)
	if err != nil {
		return nil, err
	}
	a := w.ask(pod)
	out := &Explained{
		Pod: podName(pod), Valid: a.invalid == nil, Containers: []ExplainedAsks{}, Conditions: []Condition{}, Admission: []Added{},
		Charges: []Charge{}, Unread: []UnreadAnnotation{}, Ineffect: []IneffectiveAsking{},
	}
	book := keys.New(w.set)
	out.annotations(book, pod)
	if a.invalid != nil {
		out.Invalid = []Invalid{w.instead(a.invalid)}
		out.Summary = fmt.Sprintf("%s asks for the impossible and fits nowhere.", out.Pod)
		out.Problems = []problem.Problem{}
		return out, nil
	}
	out.Containers = w.explainContainers(a, pod)
	if !w.options.NoAdmission && w.nodeOf(pod) == "" {
		out.Admission = append(out.Admission, added(pod, a.pod)...)
		if name := pod.Spec.SchedulerName; !a.request.Empty() && (name == "" || name == corev1.DefaultSchedulerName) {
			out.Admission = append(out.Admission, Added{What: "scheduler", Value: chartScheduler})
		}
	}
	if !a.request.Empty() {
		out.Conditions = w.conditions(book, a)
		out.Charges = w.charges(a)
		out.ineffective(book, a)
	}
	out.Summary = out.sentence(a.request)
	out.Problems = w.problemsOf(pod, a.problems)
	return out, nil
}

// problemsOf are those about a pod and about what all pods depend on.
func (w *World) problemsOf(pod *corev1.Pod, more []problem.Problem) []problem.Problem {
	return slices.DeleteFunc(w.remarks(more).Problems, func(p problem.Problem) bool {
		kind, name, _ := strings.Cut(p.Object, " ")
		switch kind {
		case "pod":
			return name != podName(pod)
		case "resourcequota":
			return !strings.HasPrefix(name, pod.Namespace+"/")
		}
		return p.Object != "device configuration"
	})
}

// sentence is the answer in one sentence.
func (x *Explained) sentence(r *vendors.Request) string {
	if r.Empty() {
		return x.Pod + " asks for no device: it is left to the ordinary scheduler."
	}
	var parts []string
	for _, v := range asksVendors(r) {
		most := int64(0)
		for _, container := range r.Containers() {
			for _, ask := range container {
				if ask.Vendor == v {
					most = max(most, ask.Nums)
				}
			}
		}
		parts = append(parts, plural(int(most), string(v)+" device"))
	}
	containers := 0
	for _, c := range x.Containers {
		if len(c.Asks) > 0 {
			containers++
		}
	}
	if containers == 1 {
		return fmt.Sprintf("%s asks for %s.", x.Pod, enumerate(parts))
	}
	return fmt.Sprintf("%s asks for devices in %s, at most %s in one.", x.Pod, plural(containers, "container"), enumerate(parts))
}

// asksVendors lists the vendors a request is about, in the order of their words.
func asksVendors(r *vendors.Request) []device.Vendor {
	var out []device.Vendor
	for _, container := range r.Containers() {
		for _, ask := range container {
			if !slices.Contains(out, ask.Vendor) {
				out = append(out, ask.Vendor)
			}
		}
	}
	slices.Sort(out)
	return out
}

func (w *World) explainContainers(a asked, written *corev1.Pod) []ExplainedAsks {
	out := []ExplainedAsks{}
	admitted, before := containersOf(a.pod), containersOf(written)
	for i, asks := range a.request.Containers() {
		c := ExplainedAsks{Container: containerName(a.pod, i), Class: className(a.request.Classes()[i]), Asks: []ExplainedAsk{}}
		for k := range asks {
			s := source{names: w.set.Backend(asks[k].Vendor).Names(), ask: &asks[k], now: admitted[i], before: before[i]}
			ask := ExplainedAsk{
				Ask: w.askOf(c.Container, &asks[k]), CoresInAll: asks[k].CoresInAll,
				DevicesFrom: s.devices(), MemoryFrom: s.memory(), CoresFrom: s.cores(),
			}
			ask.plainly(s.names.Memory)
			c.Asks = append(c.Asks, ask)
		}
		out = append(out, c)
	}
	return out
}

// plainly says of amounts that are not what their name says what they are. memory is the resource that memory is asked for with.
func (x *ExplainedAsk) plainly(memory string) {
	if x.CoreUnit == "core mask" {
		x.CoreUnit = "cores" // masks are what is booked; asked is a number
	}
	switch {
	case x.Vendor == string(enflame.Vendor) && x.Percent == 0: // Memory is a number of slices
		x.Slices, x.Memory = x.Memory, 0
		x.DevicesFrom, _, _ = strings.Cut(x.DevicesFrom, ",")
		x.MemoryFrom, x.CoresFrom = "what the slices have", "what the slices have"
	case memory == "" && x.Memory > 0: // a whole device counts as something that no pod can ask for
		x.Memory, x.Percent, x.MemoryFrom = 0, 100, "whole devices only"
	}
}

// containersOf lists a pod's containers, init containers first.
func containersOf(pod *corev1.Pod) []*corev1.Container {
	var out []*corev1.Container
	for i := range pod.Spec.InitContainers {
		out = append(out, &pod.Spec.InitContainers[i])
	}
	for i := range pod.Spec.Containers {
		out = append(out, &pod.Spec.Containers[i])
	}
	return out
}

func className(c device.ContainerClass) string {
	switch c {
	case device.Init:
		return "init"
	case device.Sidecar:
		return "sidecar"
	}
	return "app"
}
