package vendors_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
	"github.com/accelfit/accelfit/vendors/nvidia"
)

// plain is the least a device model can be: whole devices, a count, memory.
type plain struct{ word device.Vendor }

func (b plain) Vendor() device.Vendor { return b.word }

func (b plain) Names() device.Names {
	w := "test/" + string(b.word)
	return device.Names{Count: w, Memory: w + "-memory", Register: w + "-register", Allocated: w + "-allocated"}
}

func (b plain) Inventory(node *corev1.Node) device.Inventory {
	inv := device.Inventory{Vendor: b.word, Err: device.ErrNoDescription}
	if text, ok := node.Annotations[b.Names().Register]; ok {
		inv.Devices, _, inv.Err = device.DecodeRegistration(text, device.RefuseAll)
	}
	return inv
}

func (b plain) Request(c *corev1.Container) (device.ContainerRequest, error) {
	n, _, err := device.WholeNumber(c, b.Names().Count, device.MaxAmount)
	if err != nil {
		return device.ContainerRequest{}, err
	}
	memory, _, err := device.WholeNumber(c, b.Names().Memory, device.MaxAmount)
	return device.ContainerRequest{Vendor: b.word, Nums: n, Memory: memory, MemoryPercent: device.PercentUnset}, err
}

func (b plain) Plan(_ *device.PodContext, ask device.ContainerRequest) device.Plan {
	return device.Plan{Ask: ask, Rules: device.NewTable([]device.Rule{
		{Code: device.CardTimeSlicingExhausted, Check: device.HasSlot},
		{Code: device.ResourceQuotaNotFit, Check: device.InQuota},
		{Code: device.CardInsufficientMemory, Check: device.HasMemory},
	})}
}

func (b plain) Admit(_ *corev1.Pod, c *corev1.Container) (device.Admitted, error) {
	_, mine := device.Quantity(c, b.Names().Count)
	return device.Admitted{Mine: mine}, nil
}

func (b plain) Describe(node *corev1.Node, devices []device.DeviceInfo) error {
	text, err := device.EncodeRegistration(devices)
	device.Annotate(node, b.Names().Register, text)
	return err
}

func (b plain) Health(device.HealthInput) device.HealthAnswer {
	return device.HealthAnswer{Healthy: true, Renew: true}
}

// mixed is a set of NVIDIA and two plain vendors, given in no particular order, and a node with devices of all three.
func mixed(t *testing.T) (*vendors.Set, *corev1.Node) {
	t.Helper()
	gpus, err := nvidia.New(nvidia.DefaultConfig())
	if err != nil {
		t.Fatal(err)
	}
	set, err := vendors.New(plain{"ZZ"}, gpus, plain{"AA"})
	if err != nil {
		t.Fatal(err)
	}
	const devices = `[{"id":"d0","count":1,"devmem":100,"devcore":100,"health":true},{"id":"d1","count":1,"devmem":100,"devcore":100,"health":true}]`
	return set, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n", Annotations: map[string]string{
		"test/ZZ-register": devices, "test/AA-register": devices, nvidia.AnnotationRegister: devices,
	}}}
}

func on(t testing.TB, set *vendors.Set, node *corev1.Node) *device.NodeUsage {
	t.Helper()
	u, problems := usage.Node(set, node, nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return u
}

// TestVendorsInOneContainer: D4, devices are ordered by vendor word; D13, only vendors with a device in the pod are written
// about; ids are those of each vendor's own devices.
func TestVendorsInOneContainer(t *testing.T) {
	set, node := mixed(t)
	pod := asking(map[string]string{"test/ZZ": "2", "nvidia.com/gpu": "1", "nvidia.com/gpumem": "60"})
	fit := set.Fit(request(t, set, pod), on(t, set, node))
	if !fit.OK() {
		t.Fatal(fit.Reasons)
	}
	if got := fit.Allocation.Vendors(); !slices.Equal(got, []device.Vendor{"NVIDIA", "ZZ"}) {
		t.Errorf("vendors %v", got)
	}
	want := map[string]string{
		"hami.io/vgpu-node": "n", "test/ZZ-allocated": "d1,ZZ,0,0:d0,ZZ,0,0:;",
		nvidia.AnnotationAllocated: "d1,NVIDIA,60,0:;", nvidia.AnnotationToAllocate: "d1,NVIDIA,60,0:;",
	}
	got := set.Annotations(pod, set.Inventory(node), fit.Allocation, time.Time{})
	for key := range want {
		if got[key] != want[key] {
			t.Errorf("%s: %q, want %q", key, got[key], want[key])
		}
	}
	if len(got) != len(want) {
		t.Errorf("annotations %v", got)
	}
}

// TestVendorsInOrder: D3, of two vendors that refuse the one with the smaller word gives the reason.
func TestVendorsInOrder(t *testing.T) {
	set, node := mixed(t)
	for range 20 {
		pod := asking(map[string]string{"test/ZZ": "2", "test/ZZ-memory": "101", "test/AA": "3", "nvidia.com/gpu": "3"})
		fit := set.Fit(request(t, set, pod), on(t, set, node))
		if fit.Reasons.Vendor != "AA" || fit.Reasons.String() != "NodeInsufficientDevice" || fit.Reasons.Asked != 3 {
			t.Fatalf("%s refuses: %s", fit.Reasons.Vendor, fit.Reasons)
		}
	}
}

// TestOneVendorsFaultHidesNoOther: a description that cannot be read concerns its vendor only.
func TestOneVendorsFaultHidesNoOther(t *testing.T) {
	set, node := mixed(t)
	node.Annotations[nvidia.AnnotationRegister] = `[{"id":"g0","devmem":1.5}]`
	u, problems := usage.Node(set, node, nil)
	if len(problems) != 1 || !strings.Contains(problems[0].Error(), "node n: hami.io/node-nvidia-register: device 0: devmem: ") {
		t.Errorf("problems %v", problems)
	}
	if fit := set.Fit(request(t, set, asking(map[string]string{"test/AA": "2"})), u); !fit.OK() {
		t.Error(fit.Reasons)
	}
	if fit := set.Fit(request(t, set, asking(gpus("1", "1"))), u); fit.Reasons.Node != device.NodeMalformed {
		t.Errorf("refused for %q", fit.Reasons)
	}
	delete(node.Annotations, nvidia.AnnotationRegister)
	if fit := set.Fit(request(t, set, asking(gpus("1", "1"))), on(t, set, node)); fit.Reasons.Node != device.NodeInsufficientDevice {
		t.Errorf("refused for %q", fit.Reasons)
	}
}

// TestEveryVendorHeedsQuotas: D30, a rule table with InQuota is all it takes.
func TestEveryVendorHeedsQuotas(t *testing.T) {
	set, node := mixed(t)
	pod := asking(map[string]string{"test/ZZ": "2", "test/ZZ-memory": "60"})
	for left, want := range map[int64]string{120: "", 119: "1/2 AllocatedCardsInsufficientRequest, 1/2 ResourceQuotaNotFit"} {
		r := request(t, set, pod).WithQuota(map[device.Vendor]device.Headroom{"ZZ": {Memory: device.Limit{Left: left, Set: true}}})
		if fit := set.Fit(r, on(t, set, node)); fit.Reasons.String() != want {
			t.Errorf("%d MiB left: %q, want %q", left, fit.Reasons, want)
		}
	}
}

// TestNodeLabel: D28, a name that is no label value is not written as one.
func TestNodeLabel(t *testing.T) {
	for name, want := range map[string]bool{"n1": true, "gpu-1.example.com": true, strings.Repeat("n", 64): false, "-n": false} {
		if _, value, ok := vendors.NodeLabel(name); ok != want || value != name {
			t.Errorf("%s: %t, want %t", name, ok, want)
		}
	}
}

func TestTwoBackendsWithOneWord(t *testing.T) {
	if _, err := vendors.New(plain{"AA"}, plain{"AA"}); err == nil {
		t.Error("no error")
	}
}
