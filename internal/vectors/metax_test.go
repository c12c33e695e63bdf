package vectors

import (
	"encoding/json"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/score"
	"github.com/accelfit/accelfit/vendors"
	"github.com/accelfit/accelfit/vendors/metax"
)

func metaxDeviations() []Deviation {
	out := []Deviation{{"DG1", explainedBy(device.OneCardOfMetaX)}, {"DG3", foreignTopology}}
	for _, id := range metaxDefects {
		out = append(out, Deviation{id, func(s *Situation, d *Difference) bool { return metaxDefect(s, d) == id }})
	}
	return out
}

// metaxDefects are the deviations for which the reference's decision is worked out anew, with its defect: a bit of a defects each.
var metaxDefects = []string{"DG2", "DG4", "DS3", "DS5", "DS6", "DS10", "DS11"}

type defects uint

const (
	unknownIsBest defects = 1 << iota // DG2
	initCounts                        // DG4
	qosRemembered                     // DS3
	selfIsOther                       // DS5
	thousandBytes                     // DS6
	grantsCount                       // DS10
	negativeZones                     // DS11

	gpuDefects  = unknownIsBest | initCounts
	sgpuDefects = qosRemembered | selfIsOther | thousandBytes | grantsCount | negativeZones
)

// metaxDefect returns the deviation that explains a difference: with its defect, and as few others as possible, we decide as
// recorded. Of several the first is named; empty: none explains it.
func metaxDefect(s *Situation, d *Difference) string {
	if !s.Step.isPod() || s.Request == nil {
		return ""
	}
	possible := defectsOf(s.Request)
	for n := 1; n <= 3; n++ {
		for set := defects(1); set <= possible; set++ {
			if bits.OnesCount(uint(set)) == n && set&^possible == 0 && decidesWith(s, d, set) {
				return metaxDefects[bits.TrailingZeros(uint(set))]
			}
		}
	}
	return ""
}

// defectsOf are those that can show in what a pod asks for.
func defectsOf(r *vendors.Request) (which defects) {
	for _, asks := range r.Containers() {
		for _, a := range asks {
			switch a.Vendor {
			case metax.VendorGPU:
				which |= gpuDefects
			case metax.VendorSGPU:
				which |= sgpuDefects
			}
		}
	}
	return which
}

// decidesWith says whether a field of a decision is as recorded where some defects are at work.
func decidesWith(s *Situation, d *Difference, which defects) bool {
	var backends []device.Backend
	for _, b := range s.Set.Backends() {
		switch b := b.(type) {
		case *metax.GPU:
			backends = append(backends, defectiveGPU{b, which, s.run.nodes})
		case *metax.SGPU:
			backends = append(backends, defectiveSGPU{b, which, qosMemory(s)})
		default:
			backends = append(backends, b)
		}
	}
	set, err := vendors.New(backends...)
	if err != nil {
		return false
	}
	set = set.With(s.Set.Options())
	req, err := set.Request(s.Pod)
	if err != nil {
		return false
	}
	if d.Kind == "requests" {
		return jsonText(requests(req, s.Step)) == d.Want
	}
	if s.Node == nil {
		return false
	}
	return s.recordedExactly(d, set, req.WithQuota(s.run.quotas.Headroom(s.Pod.Namespace)))
}

// defectiveGPU is the model of whole GPUs with defects of the reference.
type defectiveGPU struct {
	*metax.GPU
	which defects
	nodes map[string]*corev1.Node
}

// ScoreNodes is the reference's: all containers count together, and a topology that does not tell is the best where there is an
// annotation at all, and nothing where there is none.
func (b defectiveGPU) ScoreNodes(pod *device.PodContext) func(*device.NodeUsage, *device.Allocation) float32 {
	right := b.GPU.ScoreNodes(pod)
	if right == nil {
		return nil
	}
	key, worst := metax.AnnotationLosses, float32(0)
	if pod.NodePolicy == score.Spread {
		key, worst = metax.AnnotationScores, 2000
	}
	return func(node *device.NodeUsage, a *device.Allocation) float32 {
		if b.which&initCounts != 0 {
			a = a.DeepCopy()
			for i := range a.Classes {
				a.Classes[i] = device.App
			}
		}
		add := right(node, a)
		if b.which&unknownIsBest == 0 || add != worst {
			return add
		}
		if _, there := b.nodes[node.Info().Name()].Annotations[key]; there {
			return 2000
		}
		return 0
	}
}

// defectiveSGPU is the model of shared GPUs with defects of the reference.
type defectiveSGPU struct {
	*metax.SGPU
	which    defects
	memoryOf map[string]string
}

// Request is the reference's: multiples of 1000 are bytes.
func (b defectiveSGPU) Request(c *corev1.Container) (device.ContainerRequest, error) {
	ask, err := b.SGPU.Request(c)
	q := c.Resources.Limits[corev1.ResourceName(b.Names().Memory)]
	if b.which&thousandBytes != 0 && err == nil && ask.Nums > 0 && strings.ContainsAny(q.String(), "kMGTPE") {
		ask.Memory = q.Value() >> 20
		if ask.MemoryPercent = 0; ask.Memory == 0 {
			ask.MemoryPercent = 100
		}
	}
	return ask, err
}

// Plan is the reference's: its memory of QoS policies, and containers of the pod at hand that are strangers to each other.
func (b defectiveSGPU) Plan(pod *device.PodContext, ask device.ContainerRequest) device.Plan {
	p := b.SGPU.Plan(pod, ask)
	rules := slices.Clone(p.Rules.Rules())
	class, qos := pod.Annotations[metax.AnnotationAppClass], pod.Annotations[metax.AnnotationQoS]
	for i := range rules {
		switch r := &rules[i]; {
		case r.Code == device.CardQosPolicyMismatch && b.which&qosRemembered != 0:
			r.Func = func(c *device.Candidate) bool {
				has := b.policy(c, qos)
				return c.Usage.Slots <= 0 || has == "" || has == qos
			}
		case r.Code == device.CardAppClassMismatch && b.which&selfIsOther != 0:
			r.Func = func(c *device.Candidate) bool { return c.Usage.Slots <= 0 || joinsOthers(c, class) }
		}
	}
	p.Rules = device.NewTable(rules)
	return p
}

// policy is the QoS policy of a card to the reference: as remembered, else as left by the pod at hand, else as registered.
func (b defectiveSGPU) policy(c *device.Candidate, qos string) string {
	policy, remembered := b.memoryOf[c.Info().ID]
	if remembered {
		return policy
	}
	_ = json.Unmarshal(c.Info().CustomInfo["QosPolicy"], &policy)
	for _, t := range own(c) {
		if policy = qos; t.Cores == 100 {
			policy = ""
		}
	}
	return policy
}

// own is what the pod at hand has of a card by now.
func own(c *device.Candidate) []device.ContainerDevice {
	return slices.DeleteFunc(slices.Clone(c.Fit.Taken), func(t device.ContainerDevice) bool {
		return t.Vendor != c.Info().Vendor || t.ID != c.Info().ID || c.Fit.Classes[t.Container] == device.Init
	})
}

// joinsOthers is the rule of classes, the pod at hand not counted.
func joinsOthers(c *device.Candidate, class string) bool {
	online, offline := 0, 0
	for _, tag := range c.Usage.Tags()[:len(c.Usage.Tags())-len(own(c))] {
		switch word, _, _ := strings.Cut(tag, ":"); word {
		case "online":
			online++
		case "offline":
			offline++
		}
	}
	switch class {
	case "online":
		return online+offline > 0
	case "offline":
		return online == 0 && offline > 0
	}
	return online+offline == 0
}

// ScoreNodes is the reference's: a card counts as often as it was given, and negative link zones are zones.
func (b defectiveSGPU) ScoreNodes(pod *device.PodContext) func(*device.NodeUsage, *device.Allocation) float32 {
	right := b.SGPU.ScoreNodes(pod)
	if right == nil || pod.Annotations[metax.AnnotationAppClass] == "online" || b.which&(grantsCount|negativeZones) == 0 {
		return right
	}
	sign := float32(10000)
	if pod.NodePolicy == score.Spread {
		sign = -sign
	}
	return func(node *device.NodeUsage, a *device.Allocation) float32 {
		whole := slices.DeleteFunc(slices.Clone(a.Of(metax.VendorSGPU)), func(d device.ContainerDevice) bool { return d.Cores != 100 })
		if len(whole) == 0 {
			return 0
		}
		return sign * float32(b.linkScore(node, whole))
	}
}

func (b defectiveSGPU) linkScore(node *device.NodeUsage, whole []device.ContainerDevice) int {
	var given, idle, rest []int // positions
	for i := range whole {
		at := node.Info().Find(metax.VendorSGPU, whole[i].ID)
		if b.which&grantsCount != 0 || !slices.Contains(given, at) {
			given = append(given, at)
		}
	}
	from, to := node.Range(metax.VendorSGPU)
	for i := from; i < to; i++ {
		if node.Device(i).Slots == 0 {
			idle = append(idle, i)
			if !slices.Contains(given, i) {
				rest = append(rest, i)
			}
		}
	}
	links := func(set []int) int {
		sum := 0
		for k, i := range set {
			for _, j := range set[:k] {
				if z := b.zone(node, i); i != j && z != 0 && z == b.zone(node, j) {
					sum += 10
				}
			}
		}
		return sum
	}
	return 10*links(given) - (links(idle) - links(given) - links(rest))
}

func (b defectiveSGPU) zone(node *device.NodeUsage, i int) (zone int) {
	_ = json.Unmarshal(node.Info().Device(i).CustomInfo["LinkZone"], &zone)
	if zone < 0 && b.which&negativeZones == 0 {
		return 0
	}
	return zone
}

// qosMemory is the reference's memory of QoS policies before a step, worked out from what it did before.
func qosMemory(s *Situation) map[string]string {
	memory := map[string]string{}
	nodes := map[string]map[string]string{}
	for i := range s.Sequence.Nodes {
		nodes[s.Sequence.Nodes[i].Name] = policies(&s.Sequence.Nodes[i])
	}
	for i := range s.Sequence.Steps {
		step := &s.Sequence.Steps[i]
		switch {
		case step == s.Step:
			return memory
		case step.Op == "node":
			if read := policies(step.Node); read != nil {
				nodes[step.Node.Name] = read
			}
			for _, read := range nodes {
				maps.DeleteFunc(memory, func(id, policy string) bool { now, ok := read[id]; return ok && now == policy })
			}
		case step.Op == "pod":
			remember(memory, step, nodes)
		}
	}
	return memory
}

// policies is what a node registers, by id; nil: it cannot be read.
func policies(node *corev1.Node) map[string]string {
	var cards []struct{ UUID, QosPolicy string }
	if json.Unmarshal([]byte(node.Annotations[metax.AnnotationRegister]), &cards) != nil {
		return nil
	}
	out := map[string]string{}
	for _, c := range cards {
		out[c.UUID] = c.QosPolicy
	}
	return out
}

// remember adds what a placement leaves behind: the pod's policy where a card had another one when it was given.
func remember(memory map[string]string, step *Step, nodes map[string]map[string]string) {
	name, alloc := "", Alloc(nil)
	switch {
	case step.Applied != nil:
		name, alloc = step.Applied.Node, step.Applied.Alloc
	case step.Chosen != nil && *step.Chosen != "":
		name, alloc = *step.Chosen, step.Nodes[*step.Chosen].Alloc
	}
	if name == "" || step.Pod.Annotations[metax.AnnotationAppClass] == "online" {
		return
	}
	has := maps.Clone(nodes[name])
	for c, list := range alloc[string(metax.VendorSGPU)] {
		for _, d := range list {
			leaves := step.Pod.Annotations[metax.AnnotationQoS]
			if d.UsedCores == 100 {
				leaves = ""
			}
			if has[d.UUID] != leaves {
				memory[d.UUID] = leaves
			}
			if c >= len(step.Pod.Spec.InitContainers) {
				has[d.UUID] = leaves
			}
		}
	}
}

// foreignTopology: a node with MetaX GPUs and a topology scores for a pod that gets none of them (DG3). What else the scores
// differ by is in the account of another vendor's devices, at most 30.
func foreignTopology(s *Situation, d *Difference) bool {
	if d.Kind != "score" || s.Request == nil || s.Node == nil || !s.Verdict.Fit || len(compact(s.Verdict.Alloc)[string(metax.VendorGPU)]) > 0 {
		return false
	}
	key := map[string]string{score.Binpack: metax.AnnotationLosses, score.Spread: metax.AnnotationScores}[s.Request.NodePolicy]
	text, there := s.run.nodes[d.Node].Annotations[key]
	if from, to := s.Node.Range(metax.VendorGPU); !there || from == to {
		return false
	}
	var known map[int]float64
	if json.Unmarshal([]byte(text), &known) != nil {
		known = nil
	}
	var want, got float64
	_ = json.Unmarshal([]byte(d.Want), &want)
	_ = json.Unmarshal([]byte(d.Got), &got)
	return math.Abs(want-got-(2000-known[0])) <= 30
}
