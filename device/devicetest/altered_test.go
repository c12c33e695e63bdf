package devicetest_test

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// altered is the toy with some of its methods written otherwise; nil: as they are.
type altered struct {
	*toy
	inventory func(node *corev1.Node, inv *device.Inventory)
	request   func(c *corev1.Container, ask device.ContainerRequest, err error) (device.ContainerRequest, error)
	plan      func(pod *device.PodContext, p *device.Plan)
	describe  func(node *corev1.Node, devices []device.DeviceInfo) error
	health    func(in device.HealthInput, answer *device.HealthAnswer)
}

func (a *altered) Inventory(node *corev1.Node) device.Inventory {
	inv := a.toy.Inventory(node)
	if a.inventory != nil {
		a.inventory(node, &inv)
	}
	return inv
}

func (a *altered) Request(c *corev1.Container) (device.ContainerRequest, error) {
	ask, err := a.toy.Request(c)
	if a.request != nil {
		return a.request(c, ask, err)
	}
	return ask, err
}

func (a *altered) Plan(pod *device.PodContext, ask device.ContainerRequest) device.Plan {
	p := a.toy.Plan(pod, ask)
	if a.plan != nil {
		a.plan(pod, &p)
	}
	return p
}

func (a *altered) Describe(node *corev1.Node, devices []device.DeviceInfo) error {
	if a.describe != nil {
		return a.describe(node, devices)
	}
	return a.toy.Describe(node, devices)
}

func (a *altered) Health(in device.HealthInput) device.HealthAnswer {
	answer := a.toy.Health(in)
	if a.health != nil {
		a.health(in, &answer)
	}
	return answer
}

func inventoryOf(f func(node *corev1.Node, inv *device.Inventory)) device.Backend {
	return &altered{toy: newToy(), inventory: f}
}

func requestOf(f func(c *corev1.Container, ask device.ContainerRequest, err error) (device.ContainerRequest, error)) device.Backend {
	return &altered{toy: newToy(), request: f}
}

func planOf(f func(pod *device.PodContext, p *device.Plan)) device.Backend {
	return &altered{toy: newToy(), plan: f}
}

func describeOf(f func(node *corev1.Node, devices []device.DeviceInfo) error) device.Backend {
	return &altered{toy: newToy(), describe: f}
}

// annotating is the toy that writes more on pods.
type annotating struct {
	*toy
	annotate func(a *device.Allocation) map[string]string
}

func (b *annotating) Annotate(_ *corev1.Pod, _ *device.NodeInfo, a *device.Allocation, _ time.Time) map[string]string {
	return b.annotate(a)
}

// instead puts another rule, or none, in the place of a shared check.
func instead(p *device.Plan, check device.Check, rules ...device.Rule) {
	all := slices.Clone(p.Rules.Rules())
	if i := slices.IndexFunc(all, func(r device.Rule) bool { return r.Check == check }); i >= 0 {
		all = slices.Replace(all, i, i+1, rules...)
	}
	p.Rules = device.NewTable(all)
}

// also puts a rule in front of all others.
func also(p *device.Plan, code device.Code, holds func(c *device.Candidate) bool) {
	p.Rules = device.NewTable(slices.Concat([]device.Rule{{Code: code, Func: holds}}, p.Rules.Rules()))
}

// inPlainOrder chooses the first granted devices, as a plan without a chooser does, and hands them to order.
func inPlainOrder(order func(chosen []int) []int) device.Chooser {
	return func(f *device.ContainerFit, why *device.Reasons) []int {
		if int64(len(f.Granted)) < f.Nums {
			f.TooFew(why)
			return nil
		}
		chosen := kit.InOrder(f, int(f.Nums))
		if !kit.WithinQuota(f, chosen) {
			why.Set(device.ResourceQuotaNotFit, len(f.Granted))
			return nil
		}
		return order(chosen)
	}
}
