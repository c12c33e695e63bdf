package ascend_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/vendors"
	"github.com/accelfit/accelfit/vendors/ascend"
)

var set = sync.OnceValue(vendors.Default)

// TestModelsAreTheChart: the models are the chips of HAMi's chart, with as many slots as the smallest template goes into them.
func TestModelsAreTheChart(t *testing.T) {
	var want []device.Model
	for _, c := range set().Config().VNPUs.Configs {
		small := slices.MinFunc(c.Templates, func(a, b ascend.Template) int { return int(a.Memory - b.Memory) })
		want = append(want, device.Model{
			Vendor: device.Vendor(c.CommonWord), Name: c.CommonWord, Memory: c.MemoryAllocatable, Cores: int64(c.AICore),
			Slots: min(int64(c.AICore/small.AICore), c.MemoryAllocatable/small.Memory),
		})
	}
	if got := ascend.Models(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("models %v, want %v", got, want)
	}
}

// npus is what is read of a node with such devices.
func npus(word device.Vendor, annotations map[string]string, devices ...device.DeviceInfo) *device.NodeInfo {
	node := &corev1.Node{}
	node.Name, node.Annotations = "n", maps.Clone(annotations)
	if err := set().Backend(word).Describe(node, devices); err != nil {
		panic(err)
	}
	return set().Inventory(node)
}

func npu(word device.Vendor, i int, network json.RawMessage) device.DeviceInfo {
	d := device.DeviceInfo{ID: fmt.Sprint("d", i), Index: i, Type: string(word), Slots: 4, Memory: 65536, Cores: 20, Healthy: true}
	if network != nil {
		d.CustomInfo = map[string]json.RawMessage{"NetworkID": network}
	}
	return d
}

func podOf(word string, n int, more map[string]string, annotations ...string) *corev1.Pod {
	limits := corev1.ResourceList{corev1.ResourceName("huawei.com/" + word): *resource.NewQuantity(int64(n), resource.DecimalSI)}
	for name, q := range more {
		limits[corev1.ResourceName("huawei.com/"+word+name)] = resource.MustParse(q)
	}
	pod := &corev1.Pod{}
	pod.Name, pod.Annotations = "p", map[string]string{}
	for i := 0; i+1 < len(annotations); i += 2 {
		pod.Annotations[annotations[i]] = annotations[i+1]
	}
	pod.Spec.Containers = []corev1.Container{{Name: "c", Resources: corev1.ResourceRequirements{Limits: limits}}}
	return pod
}

func request(t testing.TB, pod *corev1.Pod) *vendors.Request {
	t.Helper()
	r, err := set().Request(pod)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestChoiceAgreesWithNaive compares the choice of several NPUs with one that does what spec ascend §6 says step by step.
func TestChoiceAgreesWithNaive(t *testing.T) {
	rnd := testkit.Rand(t)
	accepted := 0
	for range 4000 {
		word := testkit.OneOf[device.Vendor](rnd, "Ascend910B3", "Ascend910C")
		node := randomNode(rnd, word)
		n := 2 + rnd.IntN(4)
		pod := podOf(string(word), n, nil, device.AnnotationDevicePolicy, testkit.OneOf(rnd, "binpack", "spread", "mutex", "numa"))
		r := request(t, pod)
		why := set().Explain(r, node)
		if why.Reasons.Has(device.NodeInsufficientDevice) {
			continue
		}
		want := naive(node.Info(), word, n, granted(node.Info(), why.Verdicts))
		got := []string{}
		fit := set().Fit(r, node)
		if fit.OK() {
			accepted++
			for _, d := range fit.Allocation.Devices {
				got = append(got, d.ID)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%d of %s: %v, want %v (%s)\n%s", n, word, got, want, fit.Reasons, testkit.Table(node))
		}
	}
	if accepted < 500 {
		t.Errorf("only %d fits seen", accepted)
	}
}

func randomNode(rnd *rand.Rand, word device.Vendor) *device.NodeUsage {
	var devices []device.DeviceInfo
	for i := range 1 + rnd.IntN(9) {
		d := npu(word, i, json.RawMessage(testkit.OneOf(rnd, "0", "1", "1.5", "2", "7")))
		if rnd.IntN(30) == 0 {
			d.CustomInfo = nil
		}
		if rnd.IntN(8) == 0 {
			d.Index = rnd.IntN(9)
		}
		d.NUMA, d.Healthy = rnd.IntN(2), rnd.IntN(6) > 0
		devices = append(devices, d)
	}
	rnd.Shuffle(len(devices), func(i, j int) { devices[i], devices[j] = devices[j], devices[i] })
	return device.NewNodeUsage(npus(word, nil, devices...)).Update(func(u []device.DeviceUsage) {
		for i := range u {
			if rnd.IntN(4) == 0 {
				u[i].Slots, u[i].Memory = 1, testkit.OneOf[int64](rnd, 0, 16384)
			}
		}
	})
}

// granted lists the devices that passed, in visiting order.
func granted(info *device.NodeInfo, verdicts []vendors.Verdict) []*device.DeviceInfo {
	var out []*device.DeviceInfo
	for _, v := range verdicts {
		if v.Granted {
			out = append(out, info.Device(info.Find(v.Vendor, v.Device)))
		}
	}
	return out
}

func naive(info *device.NodeInfo, word device.Vendor, n int, from []*device.DeviceInfo) []string {
	var groups [][]*device.DeviceInfo
	if word == "Ascend910C" {
		groups = naiveModules(from)
	} else if groups = [][]*device.DeviceInfo{from}; len(from) > n && allNamed(info) {
		groups = naiveNetworks(from)
	}
	out := []string{}
	for _, g := range groups {
		enough := len(out) >= n
		for _, d := range g {
			if !enough && (len(out) < n || word == "Ascend910C") { // modules are taken whole
				out = append(out, d.ID)
			}
		}
	}
	if len(out) != n {
		return []string{}
	}
	return out
}

// naiveModules are the pairs with indexes 2j and 2j+1 of whose module nothing else passed; the first visited comes first.
func naiveModules(from []*device.DeviceInfo) [][]*device.DeviceInfo {
	var out [][]*device.DeviceInfo
	for i, a := range from {
		var module []*device.DeviceInfo
		for _, b := range from {
			if a.Index/2 == b.Index/2 {
				module = append(module, b)
			}
		}
		if len(module) == 2 && module[0].Index != module[1].Index && module[0] == from[i] {
			out = append(out, module)
		}
	}
	return out
}

func naiveNetworks(from []*device.DeviceInfo) [][]*device.DeviceInfo {
	by := map[string][]*device.DeviceInfo{}
	var order []string
	for _, d := range from {
		whole, _, _ := strings.Cut(string(d.CustomInfo["NetworkID"]), ".")
		if by[whole] == nil {
			order = append(order, whole)
		}
		by[whole] = append(by[whole], d)
	}
	slices.SortStableFunc(order, func(a, b string) int { return len(by[b]) - len(by[a]) })
	var out [][]*device.DeviceInfo
	for _, g := range order {
		out = append(out, by[g])
	}
	return out
}

func allNamed(info *device.NodeInfo) bool {
	for i := range info.Len() {
		if info.Device(i).CustomInfo == nil {
			return false
		}
	}
	return true
}
