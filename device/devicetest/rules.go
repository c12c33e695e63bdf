package devicetest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
)

// probe is a backend of which every rule that is evaluated is noted down.
type probe struct {
	device.Backend
	broken map[string]bool // by rule: whether some device broke it
}

// RequestOf implements [device.PodRequester].
func (p *probe) RequestOf(annotations map[string]string, container *corev1.Container) (device.ContainerRequest, error) {
	return device.RequestOf(p.Backend, annotations, container)
}

// Plan implements [device.Backend].
func (p *probe) Plan(pod *device.PodContext, ask device.ContainerRequest) device.Plan {
	plan := p.Backend.Plan(pod, ask)
	var watched []device.Rule
	nth := map[string]int{}
	for _, r := range plan.Rules.Rules() {
		name := r.Code.String()
		if r.Check != device.Custom { // the same one may be in a plan for two reasons
			name = fmt.Sprintf("%s (%s)", name, r.Check)
		} else if nth[name]++; nth[name] > 1 {
			name = fmt.Sprintf("%s (the vendor's number %d)", name, nth[name])
		}
		if _, known := p.broken[name]; !known {
			p.broken[name] = false
		}
		alone := device.NewTable([]device.Rule{r})
		watched = append(watched, device.Rule{Code: r.Code, Func: func(c *device.Candidate) bool {
			holds := alone.Broken(c) < 0
			p.broken[name] = p.broken[name] || !holds
			return holds
		}})
	}
	plan.Rules = device.NewTable(watched)
	return plan
}

func rules(x *exam) error {
	p := &probe{Backend: x.Backend, broken: map[string]bool{}}
	set, err := vendors.New(p)
	if err != nil {
		return err
	}
	for seed := range x.searched() {
		x.random(seeded(uint64(seed))).play(set)
	}
	x.fill(set)
	if len(p.broken) == 0 {
		return fmt.Errorf("no plan has a rule")
	}
	maps.DeleteFunc(p.broken, func(_ string, broken bool) bool { return broken })
	if len(p.broken) > 0 {
		return fmt.Errorf("no situation breaks %s: the rule is dead, or the harness lacks a node or pod", strings.Join(sorted(p.broken), "; "))
	}
	return nil
}

func sorted(of map[string]bool) []string { return slices.Sorted(maps.Keys(of)) }

// full is how many of a pod may be tried on a device: some vendors' devices have a hundred slots.
const full = 128

// fill places each pod on the first device of each node, again and again until it is refused.
func (x *exam) fill(set *vendors.Set) {
	for i := range x.bases {
		c := x.described(x.bases[i].node, x.bases[i].devices[:1])
		if c == nil {
			continue
		}
		for _, pod := range x.Pods {
			u := device.NewNodeUsage(set.Inventory(c.Node))
			for range full {
				next := placed(set, pod, u)
				if next == u {
					break
				}
				u = next
			}
		}
	}
}
