package conformance

import (
	"encoding/json"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/device/devicetest"
	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/vendors/ascend"
)

// Ascend is the harness of the Ascend NPUs of a vendor word: nodes that do the hard split only and nodes that do both, with and
// without network groups, and pods of both kinds.
func Ascend(word device.Vendor) devicetest.Harness {
	h := Usual(word)
	n := h.Backend.Names()
	m := testkit.ModelsOf(word)[0]
	h.Nodes = ascendNodes(h.Backend, &m)
	h.Pods = append(pods(device.Names{Count: n.Count, Memory: n.Memory}, &m), ascendPods(n, &m)...)
	h.Claims = devicetest.Claims{
		Modes:    []string{""},
		Policies: []string{"binpack", "mutex", "numa"},
		Codes: []device.Code{
			device.AllocatedCardsInsufficientRequest, device.ModeNotFit, device.NodeInsufficientDevice, device.ResourceQuotaNotFit,
		},
		Unlimited: map[device.Unit]string{
			device.Cores: "the soft split books up to 100 percent on the counter of AI cores, of which an NPU has fewer (spec ascend §5 checks 9 to 11)",
		},
	}
	if word == "Ascend910C" {
		h.Claims.Waived = map[string]string{
			"larger request": "several NPUs are whole modules of two: three, which no admission lets pass, fit nowhere, and six do (spec ascend §6.1, §11 quirk 8)",
		}
	}
	return h
}

// AscendByPercent is the harness of NPUs that have 100 AI cores, so that cores limit what is given of them in both splits alike.
func AscendByPercent(word device.Vendor) devicetest.Harness {
	h := Ascend(word)
	h.Nodes = h.Nodes[len(h.Nodes)-1:]
	h.Claims = devicetest.Claims{Modes: h.Claims.Modes, Waived: h.Claims.Waived}
	return h
}

// ascendNodes are four nodes; the NPUs of the last one have 100 cores.
func ascendNodes(b device.Backend, m *device.Model) []*corev1.Node {
	npus := func(change func(i int, d *device.DeviceInfo)) *corev1.Node {
		return Node(b, edited(testkit.UsualDevices(b, m, devices), change))
	}
	grouped := func(i int, d *device.DeviceInfo) {
		d.NUMA, d.CustomInfo = i/4, map[string]json.RawMessage{"NetworkID": json.RawMessage([]string{"0", "1", "1.5"}[i%3])}
	}
	hard := npus(grouped)
	soft := npus(func(_ int, d *device.DeviceInfo) { d.Slots = 2 })
	both := npus(func(i int, d *device.DeviceInfo) {
		if grouped(i, d); i == 3 {
			d.CustomInfo = nil
		}
	})
	percent := npus(func(_ int, d *device.DeviceInfo) { d.Cores = 100 })
	for _, node := range []*corev1.Node{soft, both, percent} {
		device.Annotate(node, ascend.AnnotationSoftNode, "true")
	}
	return []*corev1.Node{hard, soft, both, percent}
}

func ascendPods(n device.Names, m *device.Model) []*corev1.Pod {
	softly := func(limits Limits) *corev1.Pod { return Pod(limits, ascend.AnnotationMode, ascend.ModeSoftSplit) }
	quarter := m.Memory / 4
	return []*corev1.Pod{
		Pod(Limits{n.Count: 4}),
		Pod(Limits{n.Count: 1, n.Memory: 1, n.Cores: 100}), // what no admission lets pass
		Pod(Limits{n.Count: 2}, n.PodKeys[0], "d0,d1,d2,d3,d7"),
		Pod(Limits{n.Count: 1, n.Memory: quarter}, n.PodKeys[1], "d0,d5"),
		softly(Limits{n.Count: 1, n.Memory: 1}),
		softly(Limits{n.Count: 1, n.Memory: quarter, n.Cores: m.Cores}),
		softly(Limits{n.Count: 2, n.Memory: quarter, n.Cores: 20}),
		softly(Limits{n.Count: 1, n.Memory: 1, n.Cores: 50}),
		softly(Limits{n.Count: 1, n.Memory: 1, n.Cores: 100}),
		softly(Limits{n.Count: 4, n.Memory: 100}),
	}
}
