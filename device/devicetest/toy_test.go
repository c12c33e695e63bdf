package devicetest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/device/devicetest"
	"github.com/accelfit/accelfit/vendors/kit"
)

// toy is a small, correct model of a made-up vendor: chips that are shared by memory and cores, two of them on a board. Its node
// agent registers the chips in an annotation; operators cordon chips, pods name the ids of those that they want.
type toy struct{ names device.Names }

const (
	toyVendor = "Toy"
	useIDs    = "toy.io/use-ids"
	noUseIDs  = "toy.io/no-use-ids"
)

func newToy() *toy {
	return &toy{device.Names{
		Count: "toy.io/chip", Memory: "toy.io/memory", Percent: "toy.io/memory-percent", Cores: "toy.io/cores", MemoryFactor: 1,
		Register: "toy.io/register", Handshake: "toy.io/handshake", ToAllocate: "toy.io/to-allocate", Allocated: "toy.io/allocated",
		PodKeys: []string{useIDs, noUseIDs},
	}}
}

func (t *toy) Vendor() device.Vendor { return toyVendor }

func (t *toy) Names() device.Names { return t.names }

// Inventory reads the registration and what the operator has cordoned.
func (t *toy) Inventory(node *corev1.Node) device.Inventory {
	inv := kit.Registration(node, toyVendor, t.names.Register, device.SkipBad, device.DecodeRegistration)
	cordoned := strings.Split(node.Annotations[device.AnnotationCordon], ",")
	for i := range inv.Devices {
		inv.Devices[i].Cordoned = slices.Contains(cordoned, inv.Devices[i].ID)
	}
	return inv
}

func (t *toy) Describe(node *corev1.Node, devices []device.DeviceInfo) error {
	if err := kit.Describe(node, t.names, devices, device.EncodeFullRegistration); err != nil {
		return err
	}
	delete(node.Annotations, device.AnnotationCordon)
	var ids []string
	for i := range devices {
		if devices[i].Cordoned {
			ids = append(ids, devices[i].ID)
		}
	}
	if len(ids) > 0 {
		device.Annotate(node, device.AnnotationCordon, strings.Join(ids, ","))
	}
	return kit.ReadsBack(t, node, devices)
}

func (t *toy) Health(in device.HealthInput) device.HealthAnswer { return kit.Handshake(in, t.names) }

// Request reads how many chips, and of each how much memory, in MiB or in percent, and how many cores.
func (t *toy) Request(c *corev1.Container) (device.ContainerRequest, error) {
	shares := kit.Shares{Vendor: toyVendor, Count: t.names.Count, Memory: t.names.Memory, Cores: t.names.Cores, MostCores: 100}
	ask, err := shares.Request(c)
	if err != nil || ask.Nums == 0 || ask.Memory > 0 {
		return ask, err
	}
	percent, given, err := device.WholeNumber(c, t.names.Percent, 100)
	if given && err == nil {
		ask.MemoryPercent = percent
	}
	if err != nil {
		return device.ContainerRequest{}, err
	}
	return ask, nil
}

func (t *toy) Admit(_ *corev1.Pod, c *corev1.Container) (device.Admitted, error) {
	return kit.AdmitAsked(t, c, kit.Named(c, t.names.Count))
}

// Plan tries chips by the rules; under the policy topology-aware chips come by the board.
func (t *toy) Plan(pod *device.PodContext, ask device.ContainerRequest) device.Plan {
	var rules kit.Rules
	rules.Add(kit.Healthy())
	rules.Add(device.Rule{Code: device.CardCordoned, Check: device.NotCordoned})
	rules.IDs(pod.Annotations, useIDs, noUseIDs)
	rules.Add(kit.Slot())
	rules.When(pod.Policy.Mutex, kit.Idle())
	rules.Add(kit.Quota())
	rules.Add(kit.Memory())
	rules.Add(kit.Cores())
	plan := device.Plan{Ask: ask, Cores: ask.Cores, Rules: rules.Table()}
	if pod.Policy.TopologyAware {
		plan.Choose = byBoard(func(f *device.ContainerFit, at int) int { return f.Node.Device(f.Granted[at].Device).Index / 2 })
	}
	return plan
}

// byBoard chooses whole boards, for an odd number one chip of any board besides. board tells that of a granted chip.
func byBoard(board func(f *device.ContainerFit, at int) int) device.Chooser {
	return func(f *device.ContainerFit, why *device.Reasons) []int {
		first := map[int]int{} // by board: its first chip
		var pairs, rest []int
		for at := range f.Granted {
			b := board(f, at)
			if other, ok := first[b]; ok && int64(len(pairs)) < f.Nums/2*2 {
				pairs = append(pairs, other, at)
				delete(first, b)
			} else if !ok {
				first[b] = at
			}
		}
		for at := range f.Granted {
			if !slices.Contains(pairs, at) {
				rest = append(rest, at)
			}
		}
		odd := f.Nums % 2
		if int64(len(pairs)) < f.Nums-odd || int64(len(rest)) < odd {
			f.TooFew(why)
			return nil
		}
		chosen := append(pairs, rest[:odd]...)
		if !kit.WithinQuota(f, chosen) {
			why.Set(device.ResourceQuotaNotFit, len(f.Granted))
			return nil
		}
		return chosen
	}
}

// chips are n chips of a node, each on the NUMA node of its board.
func chips(n int, memory int64) []device.DeviceInfo {
	out := make([]device.DeviceInfo, n)
	for i := range out {
		out[i] = device.DeviceInfo{
			ID: fmt.Sprintf("chip-%d", i), Vendor: toyVendor, Index: i, Type: "T100", Mode: "shared",
			Slots: 4, Memory: memory, Cores: 100, NUMA: i / 4, Healthy: true,
		}
	}
	return out
}

// nodeOf is a node that the toy's node agent has registered chips on.
func nodeOf(b device.Backend, chips []device.DeviceInfo) *corev1.Node {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}
	if err := b.Describe(node, chips); err != nil {
		panic(err)
	}
	return node
}

// podOf is a pod of one container, with amounts as in "toy.io/chip=1 toy.io/memory=1000" and annotations in pairs.
func podOf(limits string, annotations ...string) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "default", UID: "p", Annotations: map[string]string{}}}
	for i := 0; i < len(annotations); i += 2 {
		pod.Annotations[annotations[i]] = annotations[i+1]
	}
	list := corev1.ResourceList{}
	for part := range strings.FieldsSeq(limits) {
		name, q, _ := strings.Cut(part, "=")
		list[corev1.ResourceName(name)] = resource.MustParse(q)
	}
	pod.Spec.Containers = []corev1.Container{{Name: "c", Resources: corev1.ResourceRequirements{Limits: list}}}
	return pod
}

// harnessOf is a harness of the toy's nodes and pods for a backend that is the toy, or a broken variant of it.
func harnessOf(b device.Backend) devicetest.Harness {
	return devicetest.Harness{
		Backend: b,
		Nodes:   []*corev1.Node{nodeOf(newToy(), chips(8, 16384)), nodeOf(newToy(), chips(3, 24576))},
		Pods: []*corev1.Pod{
			podOf("toy.io/chip=1"),
			podOf("toy.io/chip=2"),
			podOf("toy.io/chip=2", device.AnnotationDevicePolicy, "topology-aware"),
			podOf("toy.io/chip=3 toy.io/memory=2000"),
			podOf("toy.io/chip=1 toy.io/memory=8000"),
			podOf("toy.io/chip=1 toy.io/memory=4000 toy.io/cores=30"),
			podOf("toy.io/chip=2 toy.io/memory-percent=40 toy.io/cores=50"),
			podOf("toy.io/chip=1 toy.io/memory-percent=30"),
			podOf("toy.io/chip=1 toy.io/memory=1"),
			podOf("toy.io/chip=1 toy.io/memory=1000", useIDs, "chip-0,chip-1"),
			podOf("toy.io/chip=1 toy.io/cores=10", noUseIDs, "chip-0"),
		},
		Claims: devicetest.Claims{
			Modes:    []string{"shared"},
			Policies: []string{"mutex", "topology-aware"},
			Codes:    []device.Code{device.AllocatedCardsInsufficientRequest},
		},
	}
}

func TestKitAcceptsAGoodBackend(t *testing.T) {
	h := harnessOf(newToy())
	if testing.Short() {
		h = devicetest.Shortened(h)
	}
	if err := devicetest.Check(h); err != nil {
		t.Error(err)
	}
}

func TestConformance(t *testing.T) { devicetest.Run(t, harnessOf(newToy())) }

func BenchmarkBackend(b *testing.B) { devicetest.Bench(b, harnessOf(newToy())) }

func FuzzLaws(f *testing.F) { devicetest.FuzzLaws(f, harnessOf(newToy())) }

func FuzzHostile(f *testing.F) { devicetest.FuzzHostile(f, harnessOf(newToy())) }
