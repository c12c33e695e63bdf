package conformance_test

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"text/tabwriter"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/device/devicetest"
	"github.com/accelfit/accelfit/internal/conformance"
)

// mutation is a mistake that somebody may make in a real backend, and the law that catches it.
type mutation struct {
	vendor  device.Vendor
	mistake string
	law     string
	mutant  func() *mutant // without its Backend
}

func mutations() []mutation {
	return slices.Concat(ruleMutations(), amountMutations(), readingMutations(), requestMutations(), choiceMutations(), stateMutations())
}

func plans(change func(device.Plan) device.Plan) func() *mutant {
	return func() *mutant { return &mutant{plan: change} }
}

func ruleMutations() []mutation {
	return []mutation{
		{"NVIDIA", "the rule about health is missing", "no over-commit", plans(without(device.IsHealthy))},
		{"NVIDIA", "the rule about cordons is missing", "no over-commit", plans(without(device.NotCordoned))},
		{"NVIDIA", "the rule about slots is missing", "no over-commit", plans(without(device.HasSlot))},
		{"NVIDIA", "the rule about memory is missing", "no over-commit", plans(without(device.HasMemory))},
		{"NVIDIA", "the rule about cores is missing", "no over-commit", plans(without(device.HasCores))},
		{"NVIDIA", "the policy mutex is not heeded", "claims", plans(without(device.IsIdle))},
		{"DCU", "the rule about memory is missing", "no over-commit", plans(without(device.HasMemory))},
		{"Biren", "the rule about slots is missing", "no over-commit", plans(without(device.HasSlot))},
		{"NVIDIA", "a rule that nothing breaks", "rules", plans(withRule(device.CardInsufficientCore, func(*device.Candidate) bool { return true }))},
		{"NVIDIA", "a rule gives a reason that there is not", "reasons", plans(withRule(device.Code(0), func(c *device.Candidate) bool { return c.Device > 0 }))},
		{"NVIDIA", "a rule wants a device that is in use", "monotone", plans(withRule(device.CardTypeMismatch, func(c *device.Candidate) bool { return c.Cores > 0 || c.Usage.Slots > 0 }))},
		{"DCU", "a rule refuses small requests", "larger request", plans(withRule(device.CardInsufficientMemory, func(c *device.Candidate) bool { return c.Memory > 6000 }))},
		{"NVIDIA", "a rule goes by the name of the node", "nodes", plans(withRule(device.CardTypeMismatch, func(c *device.Candidate) bool {
			return strings.HasPrefix(c.Fit.Node.Name(), "n")
		}))},
		{"NVIDIA", "a rule takes the place in the list for the index", "deterministic", plans(withRule(device.CardTypeMismatch, func(c *device.Candidate) bool {
			return c.Device != 0 || c.Info().Index == 0
		}))},
		{"NVIDIA", "a rule writes to the usage it is shown", "pure", plans(withRule(device.CardTypeMismatch, func(c *device.Candidate) bool {
			if c.Usage.Slots > 0 {
				c.Usage.Memory++
			}
			return true
		}))},
	}
}

func amountMutations() []mutation {
	return []mutation{
		{"NVIDIA", "percentages are rounded to GiB", "whole card", plans(amounts(func(_ *device.Candidate, memory, cores int64) (int64, int64) {
			return memory &^ 1023, cores
		}))},
		{"NVIDIA", "percentages are computed in 32 bits", "whole card", plans(amounts(func(c *device.Candidate, memory, cores int64) (int64, int64) {
			if c.Fit.Plan.Ask.Memory == 0 {
				memory = int64(int32(c.Info().Memory) * int32(c.Fit.Plan.Ask.MemoryPercent) / 100)
			}
			return memory, cores
		}))},
		{"NVIDIA", "percentages are computed in binary32", "whole card", plans(amounts(func(c *device.Candidate, memory, cores int64) (int64, int64) {
			return int64(float32(memory)), cores
		}))},
		{"NVIDIA", "one percent of memory is kept back", "whole card", plans(amounts(func(_ *device.Candidate, memory, cores int64) (int64, int64) {
			return memory * 99 / 100, cores
		}))},
		{"NVIDIA", "memory that is left wraps around", "no over-commit", plans(amounts(func(c *device.Candidate, memory, cores int64) (int64, int64) {
			if c.Usage.Slots > 1 {
				memory = -memory
			}
			return memory, cores
		}))},
		{"DCU", "twice of what is checked is booked", "no over-commit", plans(func(p device.Plan) device.Plan {
			p.Rules = device.NewTable(append(slices.Clone(p.Rules.Rules()), device.Rule{Code: device.CardInsufficientMemory, Check: device.CanBook}))
			p.Book = func(c *device.Candidate) bool {
				c.BookAs(device.Grant{Memory: 2 * c.Memory, Cores: c.Cores})
				return true
			}
			return p
		})},
	}
}

func readingMutations() []mutation {
	last := func(_ *corev1.Node, inv device.Inventory) device.Inventory {
		if n := len(inv.Devices); n > 1 {
			inv.Devices = inv.Devices[:n-1]
		}
		return inv
	}
	return []mutation{
		{"DCU", "the last device is not read", "round trip", func() *mutant { return &mutant{inventory: last} }},
		{"NVIDIA", "one more slot is read than is written", "round trip", func() *mutant {
			return &mutant{inventory: devices(func(d *device.DeviceInfo) { d.Slots++ })}
		}},
		{"Ascend910B3", "all devices are described with index 0", "round trip", func() *mutant {
			return &mutant{describe: func(_ *corev1.Node, devices []device.DeviceInfo) []device.DeviceInfo {
				devices = slices.Clone(devices)
				for i := range devices {
					devices[i].Index = 0
				}
				return devices
			}}
		}},
		{"NVIDIA", "reading marks the node as seen", "pure", func() *mutant {
			return &mutant{inventory: func(node *corev1.Node, inv device.Inventory) device.Inventory {
				node.Annotations["seen"] = "true"
				return inv
			}}
		}},
		{"Vastai", "the devices of the last node are kept and handed out again", "copies", func() *mutant {
			known := map[string][]device.DeviceInfo{}
			return &mutant{inventory: func(node *corev1.Node, inv device.Inventory) device.Inventory {
				key := fmt.Sprint(node.Name, node.Annotations, node.Status.Capacity)
				if known[key] == nil {
					known[key] = inv.Devices
				}
				inv.Devices = known[key]
				return inv
			}}
		}},
		{"NVIDIA", "an id may be read twice", "hostile", func() *mutant {
			return &mutant{inventory: func(_ *corev1.Node, inv device.Inventory) device.Inventory {
				if len(inv.Devices) > 1 {
					inv.Devices[1].ID = inv.Devices[0].ID
				}
				return inv
			}}
		}},
		{"NVIDIA", "an unreadable registration is told without saying which", "hostile", func() *mutant {
			return &mutant{inventory: func(_ *corev1.Node, inv device.Inventory) device.Inventory {
				if inv.Err != nil {
					inv.Err = errors.New("cannot read devices")
				}
				return inv
			}}
		}},
		{"MLU", "the answer about health fails without a time", "hostile", func() *mutant {
			return &mutant{health: func(in device.HealthInput) {
				if in.Now.IsZero() {
					panic("no time")
				}
			}}
		}},
	}
}

func requestMutations() []mutation {
	return []mutation{
		{"NVIDIA", "an error is a plain text", "hostile", func() *mutant {
			return &mutant{request: func(_ *corev1.Container, ask device.ContainerRequest, err error) (device.ContainerRequest, error) {
				if err != nil {
					err = errors.New("bad request")
				}
				return ask, err
			}}
		}},
		{"DCU", "a negative count is taken as it is", "hostile", func() *mutant {
			return &mutant{request: func(c *corev1.Container, ask device.ContainerRequest, err error) (device.ContainerRequest, error) {
				for _, q := range c.Resources.Limits {
					if q.Sign() < 0 {
						return device.ContainerRequest{Vendor: "DCU", Nums: q.Value(), MemoryPercent: 100}, nil
					}
				}
				return ask, err
			}}
		}},
		{"NVIDIA", "a container without limits is not expected", "hostile", func() *mutant {
			return &mutant{request: func(c *corev1.Container, ask device.ContainerRequest, err error) (device.ContainerRequest, error) {
				if ask.Nums > 0 && len(c.Resources.Limits) == 0 {
					panic("no limits")
				}
				return ask, err
			}}
		}},
		{"NVIDIA", "admission adds its default on top each time", "hostile", func() *mutant {
			return &mutant{admit: func(_ *corev1.Pod, c *corev1.Container) {
				c.Env = append(c.Env, corev1.EnvVar{Name: "SEEN", Value: "1"})
			}}
		}},
		{"DCU", "admission doubles the memory", "hostile", func() *mutant {
			return &mutant{admit: func(_ *corev1.Pod, c *corev1.Container) {
				for name, q := range c.Resources.Limits {
					if strings.Contains(string(name), "mem") {
						c.Resources.Limits[name] = *resource.NewQuantity(min(2*q.Value(), math.MaxInt32), q.Format)
					}
				}
			}}
		}},
	}
}

func choiceMutations() []mutation {
	choose := func(pick device.Chooser) func() *mutant {
		return plans(func(p device.Plan) device.Plan {
			p.Choose = pick
			return p
		})
	}
	first := func(f *device.ContainerFit) (out []int) {
		for i := range min(int(f.Nums), len(f.Granted)) {
			out = append(out, i)
		}
		return out
	}
	return []mutation{
		{"NVIDIA", "the same device is chosen for every place", "no over-commit", choose(func(f *device.ContainerFit, why *device.Reasons) []int {
			if len(f.Granted) < int(f.Nums) {
				f.TooFew(why)
				return nil
			}
			return make([]int, f.Nums)
		})},
		{"NVIDIA", "too few are refused without a word", "reasons", choose(func(f *device.ContainerFit, why *device.Reasons) []int {
			if len(f.Granted) < int(f.Nums) {
				*why = device.Reasons{}
				return nil
			}
			return first(f)
		})},
		{"DCU", "the chosen positions are those on the node", "no over-commit", choose(func(f *device.ContainerFit, why *device.Reasons) []int {
			if len(f.Granted) < int(f.Nums) {
				f.TooFew(why)
				return nil
			}
			out := first(f)
			for i := range out {
				out[i] = f.Granted[i].Device
			}
			return out
		})},
		{"MLU", "the choice follows the order of a map", "deterministic", choose(func(f *device.ContainerFit, why *device.Reasons) []int {
			if len(f.Granted) < int(f.Nums) {
				f.TooFew(why)
				return nil
			}
			set := map[int]bool{}
			for i := range f.Granted {
				set[i] = true
			}
			return slices.Collect(maps.Keys(set))[:f.Nums]
		})},
	}
}

func stateMutations() []mutation {
	return []mutation{
		{"NVIDIA", "every eighth answer is another", "deterministic", func() *mutant {
			var calls atomic.Int64
			return &mutant{plan: withRule(device.CardTypeMismatch, func(*device.Candidate) bool { return calls.Add(1)%8 != 0 })}
		}},
		{"Ascend910B3", "the score counts how often it was asked for", "deterministic", func() *mutant {
			var calls atomic.Int64
			return &mutant{score: func(score float32) float32 { return score + float32(calls.Add(1)) }}
		}},
		{"NVIDIA", "the score divides by what may be 0", "hostile", func() *mutant {
			return &mutant{score: func(score float32) float32 { return score / 0 * 0 * float32(math.Inf(1)) }}
		}},
		{"Metax-SGPU", "the tag that is read back is not the one that was booked", "conserve", func() *mutant {
			return &mutant{tag: func(string) string { return "other" }}
		}},
		{"Ascend910B3", "one map of annotations is handed out to everybody", "copies", func() *mutant {
			shared := map[string]string{}
			return &mutant{annotate: func(_ *corev1.Pod, written map[string]string) map[string]string {
				if len(shared) == 0 {
					shared["once"] = "1"
				}
				return shared
			}}
		}},
		{"NVIDIA", "the pod is annotated as a side effect", "pure", func() *mutant {
			return &mutant{annotate: func(pod *corev1.Pod, written map[string]string) map[string]string {
				pod.Annotations["placed"] = "true"
				return written
			}}
		}},
		{"NVIDIA", "what was given is written for the node agent only", "round trip", func() *mutant {
			return &mutant{names: func(n device.Names) device.Names {
				n.Allocated = ""
				return n
			}}
		}},
	}
}

// harnesses are those of the vendors that have mutants.
var harnesses = map[device.Vendor]func() devicetest.Harness{
	"NVIDIA": conformance.NVIDIA, "DCU": conformance.Hygon, "MLU": conformance.Cambricon, "Biren": conformance.Biren,
	"Vastai": conformance.Vastai, "Metax-SGPU": conformance.MetaXSGPU,
	"Ascend910B3": func() devicetest.Harness { return conformance.Ascend("Ascend910B3") },
}

// TestMutantsAreCaught: each mistake is caught by the law that is there for it, which the real backend keeps.
func TestMutantsAreCaught(t *testing.T) {
	if testing.Short() {
		t.Skip("a law of each backend, and once more for each mistake")
	}
	kept := map[string]error{}
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "backend\tmistake\tcaught by")
	all := mutations()
	for _, m := range all {
		h := harnesses[m.vendor]()
		law := lawOf(t, m.law)
		key := string(m.vendor) + law.Name
		if _, known := kept[key]; !known {
			kept[key] = law.Check(h)
		}
		if kept[key] != nil {
			t.Errorf("%s: the real backend breaks the law: %v", m.vendor, kept[key])
		}
		broken := m.mutant()
		broken.Backend = h.Backend
		h.Backend = broken
		err := law.Check(h)
		v := (*devicetest.Violation)(nil)
		if !errors.As(err, &v) || v.Law != m.law {
			t.Errorf("%s: %s: law %s says: %v", m.vendor, m.mistake, m.law, err)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", m.vendor, m.mistake, m.law)
	}
	w.Flush()
	t.Logf("%d mutants:\n%s", len(all), &table)
	if len(all) < 30 {
		t.Errorf("%d mutants", len(all))
	}
}

func lawOf(t *testing.T, name string) devicetest.Law {
	t.Helper()
	laws := devicetest.Laws()
	i := slices.IndexFunc(laws, func(l devicetest.Law) bool { return l.Name == name })
	if i < 0 {
		t.Fatalf("no law %q", name)
	}
	return laws[i]
}
