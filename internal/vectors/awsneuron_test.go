package vectors

import (
	"math/bits"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/score"
	"github.com/accelfit/accelfit/vendors/awsneuron"
)

// neuronDefects are the defects of the reference that its decisions show, each as a bit of neuron.defects in this order.
var neuronDefects = []string{"nD1", "nD2", "nD3", "nD4", "nD8", "nD10"}

const (
	oneNumberOfCores = 1 << iota // nD1: the first node decides how many cores the devices of all nodes have
	masksOfTwo                   // nD2: masks are made for two cores
	noListsForRuns               // nD3: several devices are given whatever the pod's lists say
	placesAsIndexes              // nD4: runs are found by place in the sorted list, and taken by index
	zeroHidesCores               // nD8: a count of 0 hides the cores next to it
	limitsOnly                   // nD10: annotations tell of devices only where they are in the limits
)

func awsneuronDeviations() []Deviation {
	var out []Deviation
	for _, id := range neuronDefects {
		out = append(out, Deviation{id, func(s *Situation, d *Difference) bool { return neuronDefect(s, d) == id }})
	}
	return out
}

// neuronDefect is the deviation behind a difference: the reference's decision is made anew with one more defect at a time; the
// one with which it is first as recorded is it. Empty: none.
func neuronDefect(s *Situation, d *Difference) string {
	if !neuronOnly(s, d) || hasSidecar(s) || lostPositions(s, d) || foreignVendors(s, d) { // one of the last two alone explains it
		return ""
	}
	for i, id := range neuronDefects {
		m := neuron{s: s, at: d, cores: neuronCores(s, d.Step), defects: 1<<(i+1) - 1}
		if m.says() == d.Want && (i > 0 || m.otherCores()) {
			return id
		}
	}
	return ""
}

// neuronOnly says whether a difference is about this vendor, and its model has the whole answer.
func neuronOnly(s *Situation, d *Difference) bool {
	if !s.Step.isPod() || s.asked == nil {
		return d.Kind == "registered" && d.Vendor == awsneuron.Vendor
	}
	foreign := func(asks []device.ContainerRequest) bool {
		return slices.ContainsFunc(asks, func(a device.ContainerRequest) bool { return a.Vendor != awsneuron.Vendor })
	}
	asks := func(c *corev1.Container) bool {
		_, devices := device.Quantity(c, "aws.amazon.com/neuron")
		_, cores := device.Quantity(c, "aws.amazon.com/neuroncore")
		return devices || cores
	}
	read := d.Kind == "requests" || d.Kind == "passthrough" // vendor by vendor
	return slices.ContainsFunc(neuronContainers(s), asks) && (read || !slices.ContainsFunc(s.asked.Containers(), foreign))
}

// neuronCores is the number of cores that all devices have for the reference: those of the first node with any.
func neuronCores(s *Situation, step int) int64 {
	for i := range s.Sequence.Nodes {
		if _, k := neuronNode(&s.Sequence.Nodes[i]); k > 0 {
			return k
		}
	}
	for i := range min(step+1, len(s.Sequence.Steps)) {
		if node := s.Sequence.Steps[i].Node; node != nil {
			if _, k := neuronNode(node); k > 0 {
				return k
			}
		}
	}
	return 0
}

func neuronNode(node *corev1.Node) (devices, cores int64) {
	n, _ := device.Capacity(node, "aws.amazon.com/neuron")
	t, _ := device.Capacity(node, "aws.amazon.com/neuroncore")
	if n <= 0 {
		return 0, 0
	}
	return n, t / n
}

// neuron is the reference's model with some of its defects.
type neuron struct {
	s       *Situation
	at      *Difference
	cores   int64 // of every device
	defects int
}

func (m *neuron) has(defect int) bool { return m.defects&defect != 0 }

// otherCores says whether it matters that all devices have as many cores: not all do, they are not two, or some container asks
// for a number of cores that does not go with two.
func (m *neuron) otherCores() bool {
	if node := m.s.run.nodes[m.at.Node]; node != nil {
		if _, k := neuronNode(node); k != m.cores {
			return true
		}
	}
	odd := func(c *corev1.Container) bool {
		q, _ := device.Quantity(c, "aws.amazon.com/neuroncore")
		return q.Value() > 2 && q.Value()%2 != 0
	}
	return m.cores != 2 || m.s.Step.isPod() && slices.ContainsFunc(neuronContainers(m.s), odd)
}

func neuronContainers(s *Situation) []*corev1.Container {
	var out []*corev1.Container
	for _, list := range [][]corev1.Container{s.Pod.Spec.InitContainers, s.Pod.Spec.Containers} {
		for i := range list {
			out = append(out, &list[i])
		}
	}
	return out
}

// says is the model's answer in the field of the difference.
func (m *neuron) says() string {
	switch m.at.Kind {
	case "registered":
		return jsonText(m.registered())
	case "requests", "passthrough":
		asks := m.requests()
		if m.at.Kind == "requests" {
			return jsonText(asks)
		}
		return jsonText(!slices.ContainsFunc(asks, func(a map[string]Request) bool { return len(a) > 0 }))
	case "fit", "reason", "alloc", "annotations":
		if m.s.Node != nil {
			return m.decides()
		}
	}
	return ""
}

func (m *neuron) registered() []RegisteredDevice {
	var out []RegisteredDevice
	n, _ := neuronNode(m.s.run.nodes[m.at.Node])
	for i := range n {
		out = append(out, RegisteredDevice{
			ID: m.at.Node + "-AWSNeuron-" + strconv.FormatInt(i, 10), Index: uint64(i), Count: m.cores, Core: 1<<m.cores - 1,
			Type: "AWSNeuron", Health: true,
		})
	}
	return out
}

// requests is what is asked for, with the model's answer for this vendor.
func (m *neuron) requests() []map[string]Request {
	asks, _ := requests(m.s.asked, m.s.Step).([]map[string]Request)
	for i, c := range neuronContainers(m.s) {
		if i < len(asks) {
			delete(asks[i], "AWSNeuron")
			if n, cores := m.ask(c); n > 0 {
				asks[i]["AWSNeuron"] = Request{Nums: n, Type: "AWSNeuron", Cores: cores}
			}
		}
	}
	return asks
}

// ask reads a container (spec awsneuron §6).
func (m *neuron) ask(c *corev1.Container) (devices, cores int64) {
	q, found := device.Quantity(c, "aws.amazon.com/neuron")
	if n, _ := q.AsInt64(); n > 0 {
		return n, m.cores
	} else if found && m.has(zeroHidesCores) {
		return 0, 0
	}
	q, _ = device.Quantity(c, "aws.amazon.com/neuroncore")
	v, _ := q.AsInt64()
	each := m.cores
	if each == 0 || m.has(masksOfTwo) {
		each = min(max(1, each), 2)
	}
	if m.cores == 0 {
		each = 2
	}
	switch {
	case v <= 0:
		return 0, 0
	case v <= each:
		return 1, v
	case v%each == 0:
		return v / each, each
	}
	return 0, 0
}

// decides is the answer in a field about the node.
func (m *neuron) decides() string {
	alloc, why := m.fit()
	lists := Alloc{"AWSNeuron": alloc}
	switch m.at.Kind {
	case "fit":
		return jsonText(why == "")
	case "reason":
		return jsonText(why)
	case "alloc":
		if why != "" {
			return jsonText(Alloc(nil))
		}
		if jsonText(compact(lists)) != jsonText(compact(parseAlloc(m.at.Want))) {
			return ""
		}
		return m.at.Want
	}
	if why != "" {
		return ""
	}
	return optional(m.writes(alloc), strings.TrimPrefix(m.at.Field, "annotations."))
}

// neuronDevice is a device as the reference sees it.
type neuronDevice struct {
	id           string
	index        int64
	count, cores int64
	used, mask   int64
	healthy      bool
}

func (m *neuron) devices() []neuronDevice {
	var out []neuronDevice
	for _, r := range m.s.run.recorded[m.at.Node]["AWSNeuron"] {
		d := neuronDevice{id: r.ID, index: int64(r.Index), count: r.Count, cores: r.Core, healthy: r.Health}
		if i := m.s.Node.Info().Find(awsneuron.Vendor, r.ID); i >= 0 {
			u := m.s.Node.Device(i)
			d.used, d.mask = u.Slots, u.Cores
		}
		out = append(out, d)
	}
	return out
}

// fit is spec awsneuron §9 for all containers of the pod.
func (m *neuron) fit() (alloc [][]Device, why string) {
	base := m.devices()
	shared := slices.Clone(base)
	for i, c := range neuronContainers(m.s) {
		list := shared
		if i < len(m.s.Pod.Spec.InitContainers) {
			list = slices.Clone(base)
		}
		given := []Device{}
		if n, cores := m.ask(c); n > 0 {
			if devicePolicy(m.s) == "mutex" {
				slices.SortStableFunc(list, func(a, b neuronDevice) int { return int(b.used - a.used) })
			}
			switch {
			case n > int64(len(list)):
				return nil, "NodeInsufficientDevice"
			case n == 1:
				given, why = m.one(list, cores)
			default:
				given, why = m.run(list, int(n))
			}
			if why != "" {
				return nil, why
			}
		}
		for _, g := range given {
			d := &list[slices.IndexFunc(list, func(d neuronDevice) bool { return d.id == g.UUID })]
			d.used, d.mask = d.used+1, d.mask+g.UsedCores
		}
		alloc = append(alloc, given)
	}
	return alloc, ""
}

func (m *neuron) allows(id string) bool {
	ids := device.ParseIDs(m.s.Pod.Annotations[awsneuron.AnnotationUseUUID], m.s.Pod.Annotations[awsneuron.AnnotationNoUseUUID])
	return ids.AllowsID(id)
}

func (m *neuron) one(list []neuronDevice, cores int64) ([]Device, string) {
	why := device.Reasons{Total: len(list)}
	mutex := score.ParsePolicy(devicePolicy(m.s), false).Mutex
	for i := len(list) - 1; i >= 0; i-- {
		d := &list[i]
		free := int64(bits.OnesCount64(uint64(d.cores)) - bits.OnesCount64(uint64(d.mask)))
		switch {
		case !d.healthy:
			why.Add(device.CardNotHealth, 1)
		case !m.allows(d.id):
			why.Add(device.CardUuidMismatch, 1)
		case d.count <= d.used:
			why.Add(device.CardTimeSlicingExhausted, 1)
		case mutex && d.used > 0:
			why.Add(device.ExclusiveDeviceAllocateConflict, 1)
		case free < cores:
			why.Add(device.CardInsufficientCore, 1)
		default:
			return []Device{{UUID: d.id, Type: "AWSNeuron", UsedCores: m.mask(d, cores)}}, ""
		}
	}
	return nil, why.String()
}

func (m *neuron) mask(d *neuronDevice, cores int64) int64 {
	if m.has(masksOfTwo) {
		switch {
		case d.mask != 0:
			return 3 - d.mask
		case cores == 1:
			return 1
		}
		return 3
	}
	mask := int64(0)
	for b := int64(1); cores > 0; b <<= 1 {
		if d.mask&b == 0 {
			mask, cores = mask|b, cores-1
		}
	}
	return mask
}

func (m *neuron) run(list []neuronDevice, n int) ([]Device, string) {
	byIndex := slices.Clone(list)
	slices.SortFunc(byIndex, func(a, b neuronDevice) int { return int(a.index - b.index) })
	if !m.has(placesAsIndexes) {
		list = byIndex
	}
	instance := m.s.run.nodes[m.at.Node].Labels[awsneuron.LabelInstanceType]
	step := n
	if strings.Contains(instance, "inf") || strings.Contains(instance, "Inf") {
		step = 1
	} else if n != 4 && n != 8 && n != 16 {
		return nil, "1/" + strconv.Itoa(len(list)) + " NumaNotFit"
	}
	busy := func(d neuronDevice) bool {
		return !d.healthy || d.used > 0 || !m.has(noListsForRuns) && !m.allows(d.id)
	}
	for at := 0; at+n <= len(list); at += step {
		if !slices.ContainsFunc(list[at:at+n], busy) {
			var out []Device
			for _, d := range byIndex[at : at+n] {
				out = append(out, Device{UUID: d.id, Type: "AWSNeuron", UsedCores: d.cores})
			}
			return out, ""
		}
	}
	return nil, "1/" + strconv.Itoa(len(list)) + " NumaNotFit"
}

// writes is spec awsneuron §12.
func (m *neuron) writes(alloc [][]Device) map[string]string {
	out := map[string]string{}
	var ids []string
	text := ""
	for i, c := range neuronContainers(m.s) {
		_, whole := c.Resources.Limits["aws.amazon.com/neuron"]
		if _, found := device.Quantity(c, "aws.amazon.com/neuron"); !m.has(limitsOnly) {
			whole = found
		}
		for _, d := range alloc[i] {
			text += d.UUID + ",AWSNeuron,0," + strconv.FormatInt(d.UsedCores, 10) + ":"
			index, _ := strconv.ParseInt(d.UUID[strings.LastIndex(d.UUID, "-")+1:], 10, 64)
			if whole {
				ids = append(ids, strconv.FormatInt(index, 10))
				continue
			}
			for b := range int64(2) {
				if d.UsedCores>>b&1 != 0 {
					ids = append(ids, strconv.FormatInt(m.cores*index+b, 10))
					out[awsneuron.AnnotationResourceType] = "aws.amazon.com/neuroncore"
				}
			}
		}
		text += ";"
	}
	out[awsneuron.AnnotationAllocated] = text
	if len(ids) == 0 {
		return out
	}
	out[awsneuron.AnnotationIDs] = strings.Join(ids, ",")
	out[awsneuron.AnnotationAssigned] = "false"
	out[awsneuron.AnnotationPredicateNode] = m.at.Node
	return out
}
