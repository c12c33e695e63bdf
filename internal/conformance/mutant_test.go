package conformance_test

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
)

// mutant is a backend with a mistake: what is not nil is done to what the real backend answers.
type mutant struct {
	device.Backend

	inventory func(node *corev1.Node, inv device.Inventory) device.Inventory
	request   func(c *corev1.Container, ask device.ContainerRequest, err error) (device.ContainerRequest, error)
	plan      func(p device.Plan) device.Plan
	admit     func(pod *corev1.Pod, c *corev1.Container)
	describe  func(node *corev1.Node, devices []device.DeviceInfo) []device.DeviceInfo
	health    func(in device.HealthInput)
	annotate  func(pod *corev1.Pod, written map[string]string) map[string]string
	score     func(score float32) float32
	tag       func(tag string) string
	names     func(n device.Names) device.Names
}

func (m *mutant) Names() device.Names {
	if n := m.Backend.Names(); m.names == nil {
		return n
	} else {
		return m.names(n)
	}
}

func (m *mutant) Inventory(node *corev1.Node) device.Inventory {
	inv := m.Backend.Inventory(node)
	if m.inventory != nil {
		inv = m.inventory(node, inv)
	}
	return inv
}

func (m *mutant) Request(c *corev1.Container) (device.ContainerRequest, error) {
	return m.RequestOf(nil, c)
}

func (m *mutant) RequestOf(annotations map[string]string, c *corev1.Container) (device.ContainerRequest, error) {
	ask, err := device.RequestOf(m.Backend, annotations, c)
	if m.request != nil {
		ask, err = m.request(c, ask, err)
	}
	return ask, err
}

func (m *mutant) Plan(pod *device.PodContext, ask device.ContainerRequest) device.Plan {
	p := m.Backend.Plan(pod, ask)
	if m.plan != nil {
		p = m.plan(p)
	}
	return p
}

func (m *mutant) Admit(pod *corev1.Pod, c *corev1.Container) (device.Admitted, error) {
	a, err := m.Backend.Admit(pod, c)
	if m.admit != nil && a.Mine {
		m.admit(pod, c)
	}
	return a, err
}

func (m *mutant) Describe(node *corev1.Node, devices []device.DeviceInfo) error {
	if m.describe != nil {
		devices = m.describe(node, devices)
	}
	return m.Backend.Describe(node, devices)
}

func (m *mutant) Health(in device.HealthInput) device.HealthAnswer {
	if m.health != nil {
		m.health(in)
	}
	return m.Backend.Health(in)
}

func (m *mutant) Annotate(pod *corev1.Pod, node *device.NodeInfo, a *device.Allocation, now time.Time) map[string]string {
	var written map[string]string
	if real, ok := m.Backend.(device.Annotator); ok {
		written = real.Annotate(pod, node, a, now)
	}
	if m.annotate != nil {
		written = m.annotate(pod, written)
	}
	return written
}

func (m *mutant) ScoreNodes(pod *device.PodContext) func(*device.NodeUsage, *device.Allocation) float32 {
	var scores func(*device.NodeUsage, *device.Allocation) float32
	if real, ok := m.Backend.(device.NodeScorer); ok {
		scores = real.ScoreNodes(pod)
	}
	if m.score == nil {
		return scores
	}
	return func(node *device.NodeUsage, a *device.Allocation) float32 {
		if scores == nil {
			return m.score(0)
		}
		return m.score(scores(node, a))
	}
}

func (m *mutant) Tag(annotations map[string]string, d *device.ContainerDevice) string {
	tag := ""
	if real, ok := m.Backend.(device.Tagger); ok {
		tag = real.Tag(annotations, d)
	}
	if m.tag != nil {
		tag = m.tag(tag)
	}
	return tag
}

// ruled changes the rule table of a plan.
func ruled(change func(rules []device.Rule) []device.Rule) func(device.Plan) device.Plan {
	return func(p device.Plan) device.Plan {
		p.Rules = device.NewTable(change(slices.Clone(p.Rules.Rules())))
		return p
	}
}

// without leaves out the rules with a check.
func without(check device.Check) func(device.Plan) device.Plan {
	return ruled(func(rules []device.Rule) []device.Rule {
		return slices.DeleteFunc(rules, func(r device.Rule) bool { return r.Check == check })
	})
}

// withRule adds a rule at the end.
func withRule(code device.Code, holds func(c *device.Candidate) bool) func(device.Plan) device.Plan {
	return ruled(func(rules []device.Rule) []device.Rule { return append(rules, device.Rule{Code: code, Func: holds}) })
}

// amounts changes what is checked and booked of a device.
func amounts(change func(c *device.Candidate, memory, cores int64) (int64, int64)) func(device.Plan) device.Plan {
	return func(p device.Plan) device.Plan {
		real := p.Amounts
		p.Amounts = func(c *device.Candidate) (int64, int64) {
			memory, cores := c.Memory, c.Cores
			if real != nil {
				memory, cores = real(c)
			}
			return change(c, memory, cores)
		}
		return p
	}
}

// devices changes each device that is read.
func devices(change func(d *device.DeviceInfo)) func(*corev1.Node, device.Inventory) device.Inventory {
	return func(_ *corev1.Node, inv device.Inventory) device.Inventory {
		for i := range inv.Devices {
			change(&inv.Devices[i])
		}
		return inv
	}
}
