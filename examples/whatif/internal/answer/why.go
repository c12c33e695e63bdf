package answer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/examples/whatif/internal/nondevice"
	"github.com/accelfit/accelfit/vendors"
)

// Why is the answer of "whatif why": of every node and device, the first rule it breaks for a pod.
type Why struct {
	Pod     string    `json:"pod"`
	Summary string    `json:"summary"`
	Fits    bool      `json:"fits"`              // on some node
	Invalid string    `json:"invalid,omitempty"` // why it fits nowhere, whatever the nodes
	RunsOn  string    `json:"runsOn,omitempty"`  // the node it is on now; what it holds there does not stand in its way
	Best    string    `json:"best,omitempty"`    // the node a live scheduler would take
	Asks    []Ask     `json:"asks"`
	Nodes   []WhyNode `json:"nodes"`
	Remarks
}

// Ask is what one container asks of one vendor.
type Ask struct {
	Container string `json:"container"`
	Vendor    string `json:"vendor"`
	Devices   int64  `json:"devices"`
	Memory    int64  `json:"memoryMiB,omitempty"`     // of each device
	Percent   int64  `json:"memoryPercent,omitempty"` // of each device's memory, where no amount is given
	Cores     int64  `json:"cores,omitempty"`         // of each device
	CoreUnit  string `json:"coreUnit"`                // of Cores; %: percent of a card
}

// WhyNode is one node.
type WhyNode struct {
	Node    string             `json:"node"`
	Fits    bool               `json:"fits"`
	Reasons string             `json:"reasons,omitempty"` // why its devices do not serve, in the live scheduler's words
	Counts  map[string]int     `json:"counts,omitempty"`  // the same, by reason: devices, or 1 for a reason of the whole node
	Rules   nondevice.Findings `json:"rules"`             // other than devices
	Devices []WhyDevice        `json:"devices"`
}

// WhyDevice is what was found of one device for one container.
type WhyDevice struct {
	Container string `json:"container,omitempty"`
	Device    string `json:"device"`
	Verdict   string `json:"verdict"`          // granted, refused, or notTried: the devices before it were enough, or nothing would be
	Chosen    bool   `json:"chosen,omitempty"` // granted, and a live scheduler would take it
	Times     int    `json:"times,omitempty"`  // granted more than once: instances of one card
	Rule      string `json:"rule,omitempty"`
	Want      string `json:"want,omitempty"`
	Have      string `json:"have,omitempty"`
}

// Verdicts of a device.
const (
	VerdictGranted  = "granted"
	VerdictRefused  = "refused"
	VerdictNotTried = "notTried"
)

// Why explains where a pod fits, and why not elsewhere: on the named nodes, or on all.
func (w *World) Why(name string, nodes ...string) (*Why, error) {
	pod, err := w.pod(name)
	if err == nil {
		err = w.needNodes()
	}
	for _, node := range nodes {
		err = cmp.Or(err, w.knownNode(node))
	}
	if err != nil {
		return nil, err
	}
	a := w.ask(pod)
	out := &Why{Pod: podName(pod), RunsOn: w.nodeOf(pod), Asks: []Ask{}, Nodes: []WhyNode{}, Remarks: w.remarks(a.problems)}
	if a.invalid != nil {
		out.Invalid = a.invalid.Error()
		out.Summary = fmt.Sprintf("%s fits nowhere: %s.", out.Pod, out.Invalid)
		return out, nil
	}
	out.Asks = w.asks(a)
	s := w.stack()
	s.lift(pod)
	request := a.request.WithQuota(s.snapshot.Quotas().Headroom(pod.Namespace))
	for node, u := range s.snapshot.Nodes() {
		if len(nodes) > 0 && !slices.Contains(nodes, node) {
			continue
		}
		row := whyNode(a, w.set.Explain(request, u), u)
		row.Node, row.Rules = node, w.rules.Broken(a.pod, s.snapshot.Object(node), s.on(node))
		row.Fits = row.Reasons == "" && len(row.Rules) == 0
		out.Fits = out.Fits || row.Fits
		out.Nodes = append(out.Nodes, row)
	}
	if err := gated(pod); err != nil {
		out.Invalid = err.Error()
	}
	out.Best = s.place(a).Node
	out.Summary = out.sentence()
	return out, nil
}

func (w *World) asks(a asked) []Ask {
	out := []Ask{}
	for i, container := range a.request.Containers() {
		for k := range container {
			out = append(out, w.askOf(containerName(a.pod, i), &container[k]))
		}
	}
	return out
}

func (w *World) askOf(container string, r *device.ContainerRequest) Ask {
	ask := Ask{Container: container, Vendor: string(r.Vendor), Devices: r.Nums, Memory: r.Memory, Cores: r.Cores, CoreUnit: w.coreUnit(r.Vendor)}
	if r.Memory == 0 && r.MemoryPercent != device.PercentUnset {
		ask.Percent = r.MemoryPercent
	}
	return ask
}

// whyNode lists the devices of a node: as they were tried, then those that were not.
func whyNode(a asked, x vendors.Explanation, u *device.NodeUsage) WhyNode {
	row := WhyNode{Reasons: x.Reasons.Detail(), Devices: []WhyDevice{}}
	for _, c := range device.Codes() {
		if n := x.Reasons.Count(c); n > 0 {
			row.count(c, n)
		}
	}
	tried := map[deviceKey]bool{}
	for _, v := range x.Verdicts {
		tried[deviceKey{v.Vendor, v.Device}] = true
		row.Devices = addVerdict(row.Devices, a.pod, v)
	}
	for i := range row.Devices {
		d := &row.Devices[i]
		d.Chosen = d.Verdict == VerdictGranted && takes(x.Allocation, a.pod, d)
	}
	for i := range u.Info().Len() {
		d := u.Info().Device(i)
		if asksOf(a.request, d.Vendor) && !tried[deviceKey{d.Vendor, d.ID}] {
			row.Devices = append(row.Devices, WhyDevice{Device: d.ID, Verdict: VerdictNotTried})
		}
	}
	if x.Reasons.Node == device.NodeInsufficientDevice {
		row.Reasons += fmt.Sprintf(" (want %d, have %d)", x.Reasons.Asked, x.Reasons.Total)
	}
	return row
}

// addVerdict appends a verdict, or counts it with the one before if the same device was granted again.
func addVerdict(rows []WhyDevice, pod *corev1.Pod, v vendors.Verdict) []WhyDevice {
	d := WhyDevice{Container: containerName(pod, v.Container), Device: v.Device, Verdict: VerdictGranted}
	if !v.Granted {
		d.Verdict, d.Rule, d.Want, d.Have = VerdictRefused, v.Code.String(), v.Want.String(), v.Have.String()
		return append(rows, d)
	}
	if n := len(rows); n > 0 && rows[n-1].Device == d.Device && rows[n-1].Container == d.Container && rows[n-1].Verdict == VerdictGranted {
		rows[n-1].Times = max(rows[n-1].Times, 1) + 1
		return rows
	}
	return append(rows, d)
}

// takes says whether a container gets a device by an allocation.
func takes(a *device.Allocation, pod *corev1.Pod, d *WhyDevice) bool {
	return a != nil && slices.ContainsFunc(a.Devices, func(x device.ContainerDevice) bool {
		return x.ID == d.Device && containerName(pod, x.Container) == d.Container
	})
}

func asksOf(r *vendors.Request, v device.Vendor) bool {
	return slices.ContainsFunc(r.Containers(), func(asks []device.ContainerRequest) bool {
		return slices.ContainsFunc(asks, func(c device.ContainerRequest) bool { return c.Vendor == v })
	})
}

func (n *WhyNode) count(c device.Code, devices int) {
	if n.Counts == nil {
		n.Counts = map[string]int{}
	}
	n.Counts[c.String()] = devices
}

// sentence is the answer in one sentence.
func (y *Why) sentence() string {
	fits := 0
	for i := range y.Nodes {
		if y.Nodes[i].Fits {
			fits++
		}
	}
	switch {
	case y.Invalid != "":
		return fmt.Sprintf("%s is not scheduled: it %s. Otherwise it would fit %d of %s.", y.Pod, y.Invalid, fits, plural(len(y.Nodes), "node"))
	case len(y.Nodes) == 1 && fits == 0:
		return fmt.Sprintf("%s does not fit on %s: %s.", y.Pod, y.Nodes[0].Node, phrase(&y.Nodes[0]))
	case fits == 0:
		return fmt.Sprintf("%s fits none of %s: %s.", y.Pod, plural(len(y.Nodes), "node"), y.counts())
	}
	s := fmt.Sprintf("%s fits %d of %s", y.Pod, fits, plural(len(y.Nodes), "node"))
	if len(y.Nodes) == 1 {
		s = y.Pod + " fits on " + y.Nodes[0].Node
	}
	if y.RunsOn != "" {
		return s + "; it is on " + y.RunsOn + ", and what it holds there does not count against it."
	}
	return s + whereAlone + y.Best + "."
}

// whereAlone begins the part of a sentence that says where a pod would go if no other were waiting.
const whereAlone = "; it would go to "

// counts groups the nodes by why they do not serve, most frequent first.
func (y *Why) counts() string {
	var order []string
	nodes := map[string][]string{}
	for i := range y.Nodes {
		why := phrase(&y.Nodes[i])
		if nodes[why] == nil {
			order = append(order, why)
		}
		nodes[why] = append(nodes[why], y.Nodes[i].Node)
	}
	slices.SortStableFunc(order, func(a, b string) int { return len(nodes[b]) - len(nodes[a]) })
	parts := make([]string, len(order))
	for i, why := range order {
		if n := len(nodes[why]); n <= 3 {
			parts[i] = why + " on " + strings.Join(nodes[why], ", ")
		} else {
			parts[i] = fmt.Sprintf("%s on %d nodes", why, n)
		}
	}
	return strings.Join(parts, "; ")
}
