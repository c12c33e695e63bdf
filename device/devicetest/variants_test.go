package devicetest_test

import (
	"encoding/json"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// variant is a toy with a mistake, made anew for every law.
type variant struct {
	law     string // that catches it, and no other does
	mistake string
	backend func() device.Backend
	limit   time.Duration // 0: the usual one
	tries   int           // 0: the usual number
}

func variants() []variant {
	return slices.Concat(impure(), undetermined(), notMonotone(), overCommitting(), notConserving(), notRoundTripping(),
		withoutReasons(), withDeadRules(), sharing(), notWhole(), dependingOnNodes(), notProof())
}

func impure() []variant {
	const seen = "toy.io/seen"
	return []variant{
		// A reader that notes on its input what it has read: a scheduler's informer cache is then written to by every reader.
		{"pure", "Inventory leaves a note on the node", func() device.Backend {
			return inventoryOf(func(node *corev1.Node, _ *device.Inventory) {
				if node.Annotations[seen] == "" {
					device.Annotate(node, seen, "true")
				}
			})
		}, 0, 0},
		// Defaults are written where they were missing, which is for admission to do.
		{"pure", "Request writes defaults into the container", func() device.Backend {
			return requestOf(func(c *corev1.Container, ask device.ContainerRequest, err error) (device.ContainerRequest, error) {
				if _, given := c.Resources.Limits["toy.io/cores"]; err == nil && ask.Nums > 0 && !given {
					kit.SetLimit(c, "toy.io/cores", 0)
				}
				return ask, err
			})
		}, 0, 0},
		// The plan is made for one pod and tried on many nodes, long after; a pod that it keeps is not its own by then.
		{"pure", "the plan keeps the pod's annotations, and a rule writes to them", func() device.Backend {
			return planOf(func(pod *device.PodContext, p *device.Plan) {
				annotations := pod.Annotations
				instead(p, device.HasSlot, device.Rule{Code: device.CardTimeSlicingExhausted, Func: func(c *device.Candidate) bool {
					if annotations != nil && annotations[seen] == "" {
						annotations[seen] = "true"
					}
					return c.Usage.Slots < c.Info().Slots
				}})
			})
		}, 0, 0},
		// A rule remembers with the device what it worked out; all snapshots of the node share the device.
		{"pure", "a rule writes to the usage", func() device.Backend {
			return planOf(func(_ *device.PodContext, p *device.Plan) {
				instead(p, device.HasSlot, device.Rule{Code: device.CardTimeSlicingExhausted, Func: func(c *device.Candidate) bool {
					if c.Usage.State == nil {
						c.Usage.State = device.TagState{}
					}
					return c.Usage.Slots < c.Info().Slots
				}})
			})
		}, 0, 0},
		// The same with the description of the device.
		{"pure", "a rule writes to the description of the device", func() device.Backend {
			return planOf(func(_ *device.PodContext, p *device.Plan) {
				instead(p, device.HasSlot, device.Rule{Code: device.CardTimeSlicingExhausted, Func: func(c *device.Candidate) bool {
					if d := c.Info(); d.ScoredAs == "" {
						d.ScoredAs = device.Vendor(d.Type)
					}
					return c.Usage.Slots < c.Info().Slots
				}})
			})
		}, 0, 0},
		// The caller goes on with its devices after it has described a node.
		{"pure", "Describe changes the devices that it is handed", func() device.Backend {
			return describeOf(func(node *corev1.Node, devices []device.DeviceInfo) error {
				for i := range devices {
					if devices[i].LinkScores == nil {
						devices[i].LinkScores = map[string]int64{}
					}
				}
				return newToy().Describe(node, devices)
			})
		}, 0, 0},
	}
}

func undetermined() []variant {
	return []variant{
		// Devices are spread by a counter of the backend, and not by what is in use.
		{"deterministic", "which device comes first goes round", func() device.Backend {
			var calls atomic.Int64
			return planOf(func(pod *device.PodContext, p *device.Plan) {
				if pod.Policy.TopologyAware {
					return
				}
				p.Choose = inPlainOrder(func(chosen []int) []int {
					n := int(calls.Add(1)) % len(chosen)
					return slices.Concat(chosen[n:], chosen[:n])
				})
			})
		}, 0, 0},
		// What a plan asks for is kept in the backend, where the next plan overwrites it.
		{"deterministic", "a rule reads what was asked for last", func() device.Backend {
			var last atomic.Int64
			return planOf(func(_ *device.PodContext, p *device.Plan) {
				last.Store(p.Ask.Memory)
				also(p, device.CardInsufficientMemory, func(c *device.Candidate) bool { return c.Info().Memory-c.Usage.Memory >= last.Load() })
			})
		}, 0, 0},
		// Node agents list devices in any order.
		{"deterministic", "the device that is listed first is kept for the system", func() device.Backend {
			return planOf(func(_ *device.PodContext, p *device.Plan) {
				also(p, device.CardAppClassMismatch, func(c *device.Candidate) bool { return c.Device > 0 || c.Fit.Node.Len() == 1 })
			})
		}, 0, 0},
		// Which board a chip is on follows from its index.
		{"deterministic", "the place in the list is taken for the index", func() device.Backend {
			return planOf(func(pod *device.PodContext, p *device.Plan) {
				if pod.Policy.TopologyAware {
					p.Choose = byBoard(func(f *device.ContainerFit, at int) int { return f.Granted[at].Device / 2 })
				}
			})
		}, 0, 300},
		// A backend guards its scratch memory by turning away whoever comes while it is in use.
		{"deterministic", "who asks at the same time as others is turned away", func() device.Backend {
			var asking atomic.Int64
			return planOf(func(_ *device.PodContext, p *device.Plan) {
				p.Open = func(_ *device.ContainerFit, why *device.Reasons) bool {
					asking.Add(1)
					defer asking.Add(-1)
					for range 20 {
						if asking.Load() > 1 {
							why.Set(device.CardUnhealthy, 1)
							return false
						}
						runtime.Gosched()
					}
					return true
				}
			})
		}, 0, 0},
	}
}

func notMonotone() []variant {
	return []variant{
		// Pods without cores are to be packed together, and the first one finds nothing to be packed with.
		{"monotone", "pods without cores are served by devices in use only", func() device.Backend {
			return planOf(func(_ *device.PodContext, p *device.Plan) {
				if p.Ask.Cores == 0 {
					also(p, device.ExclusiveDeviceAllocateConflict, func(c *device.Candidate) bool { return c.Usage.Slots > 0 })
				}
			})
		}, 0, 0},
		// The unit of an amount is guessed from its size.
		{"larger request", "much memory is taken for KiB", func() device.Backend {
			return requestOf(func(_ *corev1.Container, ask device.ContainerRequest, err error) (device.ContainerRequest, error) {
				if ask.Memory > 40000 {
					ask.Memory /= 1024
				}
				return ask, err
			})
		}, 0, 0},
	}
}

func overCommitting() []variant {
	missing := func(mistake string, check device.Check) variant {
		return variant{"no over-commit", mistake, func() device.Backend {
			return planOf(func(_ *device.PodContext, p *device.Plan) { instead(p, check) })
		}, 0, 0}
	}
	return []variant{
		// A table of rules that one was forgotten in.
		missing("memory is not checked", device.HasMemory),
		missing("cores are not checked", device.HasCores),
		missing("health is not checked", device.IsHealthy),
		missing("cordons are not checked", device.NotCordoned),
		missing("quotas are not checked", device.InQuota),
		// Off by one.
		{"no over-commit", "one task more than there are slots", func() device.Backend {
			return planOf(func(_ *device.PodContext, p *device.Plan) {
				instead(p, device.HasSlot, device.Rule{Code: device.CardTimeSlicingExhausted, Func: func(c *device.Candidate) bool {
					return c.Usage.Slots <= c.Info().Slots
				}})
			})
		}, 0, 0},
		// The loop that pairs chips takes the first one of a pair for both.
		{"no over-commit", "the chooser gives a device twice", func() device.Backend {
			return planOf(func(pod *device.PodContext, p *device.Plan) {
				if choose := p.Choose; pod.Policy.TopologyAware {
					p.Choose = func(f *device.ContainerFit, why *device.Reasons) []int {
						chosen := choose(f, why)
						if len(chosen) > 1 {
							chosen[1] = chosen[0]
						}
						return chosen
					}
				}
			})
		}, 0, 0},
		// As many as there are, where as many were asked for as there are not.
		{"no over-commit", "fewer devices than asked for will do", func() device.Backend {
			return planOf(func(_ *device.PodContext, p *device.Plan) {
				nums := p.Ask.Nums
				p.Nums = func(node *device.NodeInfo) int64 { return min(nums, int64(node.Len())) }
			})
		}, 0, 0},
		// MB are booked for MiB.
		{"no over-commit", "less memory is booked than asked for", func() device.Backend {
			return planOf(func(_ *device.PodContext, p *device.Plan) {
				ask, cores := p.Ask, p.Cores
				if ask.Memory > 100 {
					p.Amounts = func(*device.Candidate) (int64, int64) { return ask.Memory * 95 / 100, cores }
				}
			})
		}, 0, 0},
	}
}

func notConserving() []variant {
	return []variant{
		// A tag is put on devices, and what is read of a placed pod (device.Tagger) knows none.
		{"conserve", "a tag that annotations do not tell of", func() device.Backend {
			return planOf(func(_ *device.PodContext, p *device.Plan) { p.Tag = "class-a" })
		}, 0, 0},
	}
}

func notRoundTripping() []variant {
	return []variant{
		// A field was added to Inventory and not to Describe.
		{"round trip", "Describe forgets the NUMA node", func() device.Backend {
			return describeOf(func(node *corev1.Node, devices []device.DeviceInfo) error {
				devices = slices.Clone(devices)
				for i := range devices {
					devices[i].NUMA = 0
				}
				return newToy().Describe(node, devices)
			})
		}, 0, 0},
		// The text has room for one id. What cannot be described is to be an error.
		{"round trip", "Describe writes one cordon at most, without an error", func() device.Backend {
			return describeOf(func(node *corev1.Node, devices []device.DeviceInfo) error {
				devices = slices.Clone(devices)
				first := slices.IndexFunc(devices, func(d device.DeviceInfo) bool { return d.Cordoned })
				for i := range devices {
					devices[i].Cordoned = i == first
				}
				return newToy().Describe(node, devices)
			})
		}, 0, 0},
		// Who was asked and has not answered yet is not gone.
		{"round trip", "a handshake that waits is taken for one that has expired", func() device.Backend {
			return &altered{toy: newToy(), health: func(in device.HealthInput, answer *device.HealthAnswer) {
				if strings.HasPrefix(in.Node.Annotations["toy.io/handshake"], "Requesting") {
					answer.Healthy = false
				}
			}}
		}, 0, 0},
		// The node agent wants GiB, and usage is read back from the same text.
		{"round trip", "annotations are written in GiB", func() device.Backend {
			toy := newToy()
			return &annotating{toy, func(a *device.Allocation) map[string]string {
				a = a.DeepCopy()
				for i := range a.Devices {
					a.Devices[i].Memory /= 1024
				}
				return map[string]string{toy.names.Allocated: device.EncodeAllocation(a, toyVendor, nil)}
			}}
		}, 0, 0},
	}
}

func withoutReasons() []variant {
	return []variant{
		// A rule whose code was forgotten.
		{"reasons", "a rule without a code", func() device.Backend {
			return planOf(func(_ *device.PodContext, p *device.Plan) {
				instead(p, device.HasSlot, device.Rule{Check: device.HasSlot})
			})
		}, 0, 0},
		// A node that is refused as a whole, without a count of what is wrong.
		{"reasons", "more than four devices are refused without a word", func() device.Backend {
			return planOf(func(_ *device.PodContext, p *device.Plan) {
				p.Open = func(f *device.ContainerFit, _ *device.Reasons) bool { return f.Nums <= 4 }
			})
		}, 0, 0},
		// An error that does not say which amount is wrong; clients tell users by the key.
		{"reasons", "a limit of the vendor's own is an untyped error", func() device.Backend {
			return requestOf(func(_ *corev1.Container, ask device.ContainerRequest, err error) (device.ContainerRequest, error) {
				if ask.Nums > 8 && ask.Nums < 1000 {
					return device.ContainerRequest{}, errors.New("more chips than there are in a machine")
				}
				return ask, err
			})
		}, 0, 300},
	}
}

func withDeadRules() []variant {
	return []variant{
		// A rule that another one made superfluous, or that was never finished.
		{"rules", "a rule that nothing breaks", func() device.Backend {
			return planOf(func(_ *device.PodContext, p *device.Plan) {
				also(p, device.ModeNotFit, func(c *device.Candidate) bool { return c.Info().Memory > 0 })
			})
		}, 0, 0},
	}
}

func sharing() []variant {
	return []variant{
		// A table of models whose maps go into every answer.
		{"copies", "what is known of a model is handed out itself", func() device.Backend {
			known := map[string]json.RawMessage{"arch": kit.JSON("t1")}
			return inventoryOf(func(_ *corev1.Node, inv *device.Inventory) {
				for i := range inv.Devices {
					inv.Devices[i].CustomInfo = known
				}
			})
		}, 0, 0},
		// A cache of what was decoded.
		{"copies", "inventories are kept and handed out again", func() device.Backend {
			var mu sync.Mutex
			kept := map[string][]device.DeviceInfo{}
			return inventoryOf(func(node *corev1.Node, inv *device.Inventory) {
				mu.Lock()
				defer mu.Unlock()
				key := node.Annotations["toy.io/register"] + node.Annotations[device.AnnotationCordon]
				if devices, ok := kept[key]; ok {
					inv.Devices = devices
				}
				kept[key] = inv.Devices
			})
		}, 0, 0},
		// Annotations that are the same for every pod are made once.
		{"copies", "annotations are one map for all", func() device.Backend {
			always := map[string]string{"toy.io/scheduled": "true"}
			return &annotating{newToy(), func(*device.Allocation) map[string]string { return always }}
		}, 0, 0},
	}
}

func notWhole() []variant {
	share := func(of func(memory, percent int64) int64) func() device.Backend {
		return func() device.Backend {
			return planOf(func(_ *device.PodContext, p *device.Plan) {
				percent, cores := p.Ask.MemoryPercent, p.Cores
				if p.Ask.Memory == 0 {
					p.Amounts = func(c *device.Candidate) (int64, int64) { return of(c.Info().Memory, percent), cores }
				}
			})
		}
	}
	return []variant{
		// Rounded before it is multiplied: 100 % of 16384 MiB are 16300.
		{"whole card", "percent are rounded too early", share(func(memory, percent int64) int64 { return memory / 100 * percent }), 0, 0},
		// Numbers beyond 24 bits are rounded, here to more than the largest device has.
		{"whole card", "percent are worked out in 32-bit floating point", share(func(memory, percent int64) int64 {
			return int64(float32(memory) * float32(percent) / 100)
		}), 0, 0},
	}
}

func dependingOnNodes() []variant {
	return []variant{
		// A convention of one's own cluster.
		{"nodes", "nodes are told apart by their names", func() device.Backend {
			return planOf(func(_ *device.PodContext, p *device.Plan) {
				p.Open = func(f *device.ContainerFit, why *device.Reasons) bool {
					if strings.HasPrefix(f.Node.Name(), "another") {
						why.Set(device.CardTypeMismatch, 1)
						return false
					}
					return true
				}
			})
		}, 0, 0},
		// What is known of a node is kept in the backend, where the next node overwrites it.
		{"nodes", "the node that was read last decides", func() device.Backend {
			var last atomic.Int64
			return &altered{
				toy: newToy(),
				inventory: func(_ *corev1.Node, inv *device.Inventory) {
					if len(inv.Devices) > 0 {
						last.Store(inv.Devices[0].Memory)
					}
				},
				plan: func(_ *device.PodContext, p *device.Plan) {
					p.Open = func(f *device.ContainerFit, why *device.Reasons) bool {
						if f.Node.Device(0).Memory != last.Load() {
							why.Set(device.CardTypeMismatch, 1)
							return false
						}
						return true
					}
				},
			}
		}, 0, 0},
	}
}

// released lets go of what hangs.
var released = make(chan struct{})

func notProof() []variant {
	return []variant{
		// The first device is looked at, and an agent may register none.
		{"hostile", "Inventory panics where there is no device", func() device.Backend {
			return inventoryOf(func(_ *corev1.Node, inv *device.Inventory) {
				if inv.Err == nil && inv.Devices[0].Type == "" {
					inv.Devices[0].Type = "T100"
				}
			})
		}, 0, 0},
		// A list is taken to have an entry.
		{"hostile", "Plan panics at a list of ids", func() device.Backend {
			return planOf(func(pod *device.PodContext, p *device.Plan) {
				list, given := pod.Annotations[useIDs]
				if first := strings.FieldsFunc(list, func(r rune) bool { return r == ',' }); given && first[0] == "none" {
					instead(p, device.HasSlot)
				}
			})
		}, 0, 0},
		// A loop that does not get on; here it waits, so that the test leaves no work behind.
		{"hostile", "Inventory hangs at an empty entry", func() device.Backend {
			return inventoryOf(func(node *corev1.Node, _ *device.Inventory) {
				if strings.Contains(node.Annotations["toy.io/register"], "[null") {
					<-released
				}
			})
		}, 200 * time.Millisecond, 0},
		// An error without a type where an amount is absurd.
		{"hostile", "a negative count is an untyped error", func() device.Backend {
			return requestOf(func(c *corev1.Container, ask device.ContainerRequest, err error) (device.ContainerRequest, error) {
				if q, _ := device.Quantity(c, "toy.io/chip"); err != nil && q.Sign() < 0 {
					return ask, errors.New("negative")
				}
				return ask, err
			})
		}, 0, 0},
		// Amounts are read as whole numbers whatever they are: half a chip is one.
		{"hostile", "half a device is understood", func() device.Backend {
			return requestOf(func(c *corev1.Container, ask device.ContainerRequest, err error) (device.ContainerRequest, error) {
				if q, given := device.Quantity(c, "toy.io/chip"); err != nil && given && q.Cmp(resource.MustParse("1500m")) == 0 {
					return device.ContainerRequest{Nums: 2, MemoryPercent: 100}, nil
				}
				return ask, err
			})
		}, 0, 0},
		// A device that is listed twice is taken for two: one of them is not there.
		{"hostile", "a device that is registered twice is read twice", func() device.Backend {
			return inventoryOf(func(_ *corev1.Node, inv *device.Inventory) {
				if len(inv.Devices) > 0 && len(inv.Problems) > 0 {
					inv.Devices, inv.Problems = append(inv.Devices, inv.Devices[0].DeepCopy()), nil
				}
			})
		}, 0, 0},
		// A problem that does not say where it was found.
		{"hostile", "what is dropped is told without its annotation", func() device.Backend {
			return inventoryOf(func(_ *corev1.Node, inv *device.Inventory) {
				inv.Problems = slices.Clone(inv.Problems)
				for i := range inv.Problems {
					inv.Problems[i].Err = errors.New("bad device")
				}
			})
		}, 0, 0},
	}
}
