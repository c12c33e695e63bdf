package cases

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/vendors"
)

// answer is what accelfit says to a case.
type answer struct {
	pods     []podAnswer
	newNodes int
	reasons  string // of everything that did not fit
	problems string // of everything that could not be read
	trace    bool   // a dropped fork left something behind
}

type podAnswer struct {
	fit        bool
	node       string
	allocation *device.Allocation
	reason     string
}

// Run answers a case and returns what disagrees with its expectation.
func Run(c *Case, config []byte) ([]string, error) {
	set, err := load(config, c.Config)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.ID, err)
	}
	a, err := run(set, c)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.ID, err)
	}
	return check(c, a), nil
}

func run(set *vendors.Set, c *Case) (*answer, error) {
	var nodes []*corev1.Node
	var pods []*corev1.Pod
	var template *corev1.Node
	for i := range c.Nodes {
		if c.Nodes[i].Role == "template" {
			template = c.Nodes[i].object()
		} else {
			nodes = append(nodes, c.Nodes[i].object())
		}
	}
	for i := range c.Running {
		pods = append(pods, c.Running[i].objects()...)
	}
	snap, problems := simulate.New(set, nodes, pods)
	for i, q := range c.Quotas {
		snap.SetQuota(&corev1.ResourceQuota{
			ObjectMeta: metav1.ObjectMeta{Namespace: q.Namespace, Name: fmt.Sprint("quota-", i)},
			Spec:       corev1.ResourceQuotaSpec{Hard: q.Hard},
		})
	}
	a := &answer{problems: fmt.Sprint(problems)}
	switch c.Op {
	case "decode-node", "decode-pod":
	case "estimate":
		a.estimate(set, c, snap, template)
	default:
		a.fit(set, c, snap)
	}
	return a, nil
}

func (a *answer) fit(set *vendors.Set, c *Case, snap *simulate.Snapshot) {
	options := simulate.PlaceOptions{}
	if len(c.Candidates) > 0 {
		options.Allow = func(_ *corev1.Pod, n *corev1.Node) error {
			if !slices.Contains(c.Candidates, n.Name) {
				return fmt.Errorf("not a candidate")
			}
			return nil
		}
	}
	for i := range c.Pods {
		for _, pod := range c.Pods[i].objects() {
			a.pods = append(a.pods, a.place(set, snap, pod, options))
		}
	}
}

func (a *answer) place(set *vendors.Set, snap *simulate.Snapshot, pod *corev1.Pod, o simulate.PlaceOptions) podAnswer {
	admitted, err := set.Admit(pod, vendors.AdmitOptions{Quota: snap.Quotas().Headroom(pod.Namespace)})
	if err != nil {
		a.reasons += err.Error() + "\n"
		return podAnswer{reason: err.Error()}
	}
	r, err := snap.PlaceAnywhere(admitted.Pod, o)
	if err != nil {
		a.reasons += err.Error() + "\n"
		return podAnswer{reason: err.Error()}
	}
	out := podAnswer{fit: r.OK(), node: r.Node, allocation: r.Allocation}
	if !r.OK() {
		out.reason = fmt.Sprint(r.Refused)
		a.reasons += out.reason + "\n"
	}
	return out
}

// estimate tries the live nodes first, then counts the copies of the template that the rest needs.
func (a *answer) estimate(set *vendors.Set, c *Case, snap *simulate.Snapshot, template *corev1.Node) {
	if c.Expect.ForkRevert {
		before := dump(snap)
		dropped := &answer{}
		dropped.estimateOn(set, c, snap.Fork(), template)
		a.trace = dump(snap) != before
		a.estimateOn(set, c, snap.Fork(), template)
		a.trace = a.trace || dump(snap) != before || !reflect.DeepEqual(dropped.pods, a.pods) || dropped.newNodes != a.newNodes
		return
	}
	a.estimateOn(set, c, snap, template)
}

func dump(snap *simulate.Snapshot) string {
	var b strings.Builder
	for name, n := range snap.Nodes() {
		fmt.Fprintf(&b, "%s %+v %+v\n", name, n.Devices(), snap.Holdings(name))
	}
	return b.String()
}

func (a *answer) estimateOn(set *vendors.Set, c *Case, snap *simulate.Snapshot, template *corev1.Node) {
	var waiting []*corev1.Pod
	for i := range c.Pods {
		for _, pod := range c.Pods[i].objects() {
			admitted, err := set.Admit(pod, vendors.AdmitOptions{})
			if err != nil {
				a.reasons += err.Error() + "\n"
				a.pods = append(a.pods, podAnswer{reason: err.Error()})
				continue
			}
			waiting = append(waiting, admitted.Pod)
		}
	}
	placed, rest := snap.PlaceAll(waiting, simulate.PlaceOptions{})
	for _, p := range placed {
		a.pods = append(a.pods, podAnswer{fit: true, node: p.Node, allocation: p.Allocation})
	}
	var left []*corev1.Pod
	for _, p := range rest {
		left = append(left, p.Pod)
	}
	if template == nil || len(left) == 0 {
		return
	}
	e := simulate.Estimate(set, simulate.Template{Node: template}, left, simulate.Limits{Quotas: snap.Quotas()})
	a.newNodes = len(e.Nodes)
	for _, n := range e.Nodes {
		for i := range n.Pods {
			a.pods = append(a.pods, podAnswer{fit: true, node: n.Name, allocation: n.Placed[i]})
		}
	}
	for _, u := range e.Unplaced {
		why := u.Reasons.Detail()
		if u.Err != nil {
			why = u.Err.Error()
		}
		a.pods = append(a.pods, podAnswer{reason: why})
		a.reasons += why + "\n"
	}
}

// ids lists the devices of a pod, each once, ascending.
func (p *podAnswer) ids() []string {
	if p.allocation == nil {
		return nil
	}
	seen := map[string]bool{}
	for _, d := range p.allocation.Devices {
		seen[d.ID] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

// holds adds up what a pod books on each device.
func (p *podAnswer) holds(amount func(device.Hold) int64) map[string]int64 {
	out := map[string]int64{}
	if p.allocation != nil {
		for _, h := range p.allocation.Collapse() {
			out[h.ID] += amount(h)
		}
	}
	return out
}
