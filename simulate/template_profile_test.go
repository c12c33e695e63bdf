package simulate_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/vendors"
)

// cleanNode has two linked cards and one in mode mig; damaged is the same node after some weeks.
func cleanNode(t testing.TB) *corev1.Node {
	t.Helper()
	devices := []device.DeviceInfo{testkit.Card("g0", 10000), testkit.Card("g1", 10000), testkit.MIGCard("g2")}
	devices[0].LinkScores = map[string]int64{"g1": 200}
	for i := range devices {
		devices[i].Index = i
	}
	n := bareNode("t", "pool=a", "kubernetes.io/hostname=t")
	if err := vendors.Default().Backend("NVIDIA").Describe(n, devices); err != nil {
		t.Fatal(err)
	}
	return n
}

func damaged(t testing.TB) (*corev1.Node, []*corev1.Pod) {
	t.Helper()
	n := cleanNode(t)
	n.Annotations["hami.io/node-nvidia-register"] = strings.Replace(n.Annotations["hami.io/node-nvidia-register"], `"health":true`, `"health":false`, 1)
	n.Annotations[device.AnnotationCordon] = "g1"
	n.Annotations[device.AnnotationLock] = "2026-01-01T00:00:00Z,ns,p"
	n.Annotations["hami.io/node-handshake"] = "Requesting_2026-01-01 00:00:00"
	n.UID, n.ResourceVersion, n.Generation, n.Spec.ProviderID = "uid", "7", 3, "cloud://1"
	n.Spec.Unschedulable = true
	n.Spec.Taints = []corev1.Taint{{Key: corev1.TaintNodeUnschedulable}, {Key: corev1.TaintNodeNotReady}}
	n.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionFalse}}
	n.Status.Allocatable["nvidia.com/gpu"] = resource.MustParse("7")
	n.Status.Addresses = []corev1.NodeAddress{{Address: "10.0.0.1"}}
	running := podOf(`busy gpu=1 mem=4000 hami.io/vgpu-node=t hami.io/vgpu-devices-allocated=g2,NVIDIA,19968,43:; ` +
		`hami.io/vgpu-mig-allocations=[{"containerIndex":0,"deviceIndex":0,"gpuUUID":"g2","profile":"3g.20gb","placement":{"start":4,"size":4}}]`)
	running.Spec.NodeName = "t"
	return n, []*corev1.Pod{running}
}

func mixedPods() []*corev1.Pod {
	pods := podsOf(5, "gpu=1 mem=6000")
	return append(pods, podOf("pair gpu=2 mem=3000"), podOf("cut gpu=1 mem=20000"), podOf("tiny gpu=1 mem=4000 nvidia.com/vgpu-mode=mig"))
}

// TestDamagedSampleAnswersAsACleanOne: a failed card, a cordoned one, MIG instances in use, and whatever else is state of the
// sample change nothing.
func TestDamagedSampleAnswersAsACleanOne(t *testing.T) {
	set := vendors.Default()
	worn, running := damaged(t)
	if _, problems := simulate.New(set, []*corev1.Node{worn}, running); len(problems) > 0 {
		t.Fatal(problems)
	}
	want := simulate.Estimate(set, simulate.Template{Node: cleanNode(t)}, mixedPods(), simulate.Limits{})
	got := simulate.Estimate(set, simulate.Template{Node: worn}, mixedPods(), simulate.Limits{})
	if a, b := estimatedText(&want), estimatedText(&got); a != b || len(got.Problems) > 0 {
		t.Errorf("clean:\n%sdamaged:\n%s%v", a, b, got.Problems)
	}
	for i := range got.Nodes {
		if got.Nodes[i].Object.Status.Conditions[0].Status != corev1.ConditionTrue {
			t.Error("the new node is not Ready")
		}
		a, b := want.Nodes[i].Object.DeepCopy(), got.Nodes[i].Object.DeepCopy()
		a.Status.Conditions, b.Status.Conditions, a.Spec.Taints, b.Spec.Taints = nil, nil, nil, nil
		if diff := cmp.Diff(a, b); diff != "" {
			t.Error(diff)
		}
	}
	kept := simulate.Template{Node: worn, Pods: running, Options: simulate.TemplateOptions{
		KeepHealth: true, KeepCordon: true, KeepIDs: true, KeepUsage: true,
	}}
	with := simulate.Estimate(set, kept, []*corev1.Pod{podOf("one gpu=1 mem=6000")}, simulate.Limits{})
	if text := estimatedText(&with); text != "t-new-00000: one g2(2g.10gb@0)\nlower bound 1\n" {
		t.Error(text)
	}
}

// registers fails unless the object of a new node tells any reader of the devices that count.
func registers(t *testing.T, set *vendors.Set, n *simulate.NewNode) {
	t.Helper()
	read, info := set.Inventory(n.Object), n.Usage.Info()
	if !reflect.DeepEqual(read.Described(), info.Described()) {
		t.Fatalf("%s: registers %v, has %v", n.Name, read.Described(), info.Described())
	}
	for _, v := range info.Described() {
		a, b := read.Inventory(v), info.Inventory(v)
		if want, got := testkit.DevicesText(b.Devices), testkit.DevicesText(a.Devices); want != got || !reflect.DeepEqual(a.Extra, b.Extra) {
			t.Errorf("%s: %s: has\n%sregisters\n%s%v %v", n.Name, v, want, got, b.Extra, a.Extra)
		}
	}
}

// TestNewNodesRegisterTheirDevices: for every backend, with every option, under names of any kind.
func TestNewNodesRegisterTheirDevices(t *testing.T) {
	set, rnd := vendors.Default(), testkit.Rand(t)
	for _, b := range set.Backends() {
		for range 20 {
			m := testkit.OneOf(rnd, testkit.ModelsOf(b.Vendor())...)
			devices := testkit.UsualDevices(b, &m, 1+rnd.IntN(5))
			disturb(rnd, devices)
			sample := bareNode("n", testkit.OneOf(rnd, "a=b", "node.kubernetes.io/instance-type=inf2.48xlarge"))
			if b.Describe(sample, devices) != nil {
				continue
			}
			template := simulate.Template{Node: sample, Options: simulate.TemplateOptions{
				KeepHealth: rnd.IntN(2) == 0, KeepCordon: rnd.IntN(2) == 0, KeepIDs: rnd.IntN(2) == 0, KeepUsage: rnd.IntN(2) == 0,
			}}
			sample.Name = testkit.OneOf(rnd, "n", "n.example", `quote"d`, "accelfit-new-node")
			e := simulate.Estimate(set, template, podsOf(2, ""), simulate.Limits{Allow: alone})
			if len(e.Nodes) != 2 || len(e.Problems) > 0 {
				t.Fatalf("%s: %d nodes, %v", b.Vendor(), len(e.Nodes), e.Problems)
			}
			ids := map[string]bool{}
			for i := range e.Nodes {
				registers(t, set, &e.Nodes[i])
				for k := range e.Nodes[i].Usage.Info().Len() {
					ids[e.Nodes[i].Usage.Info().Device(k).ID] = true
				}
			}
			if all := 2 * len(devices); len(ids) != all && !template.Options.KeepIDs {
				t.Errorf("%s: %d ids of %d devices", b.Vendor(), len(ids), all)
			}
		}
	}
}

// alone allows one pod on a node.
func alone(_ *corev1.Pod, _ *corev1.Node, on []*corev1.Pod) error {
	if len(on) > 0 {
		return errAlone
	}
	return nil
}

// TestTemplateWithProfile: a profile goes before what the sample says, and gives devices to one that says nothing.
func TestTemplateWithProfile(t *testing.T) {
	set := vendors.Default()
	p, err := simulate.ProfileOfModels("two", 2, "NVIDIA L4")
	if err != nil {
		t.Fatal(err)
	}
	worn, _ := damaged(t)
	for _, sample := range []*corev1.Node{bareNode("t"), worn, testkit.Node("t", cards(8, 100)...)} {
		before := sample.DeepCopy()
		e := simulate.Estimate(set, simulate.Template{Node: sample, Profile: &p}, podsOf(3, "gpu=1 mem=20000"), simulate.Limits{})
		want := "t-new-00000: a0 ./NVIDIA-1, a1 ./NVIDIA-0\nt-new-00001: a2 ./NVIDIA-1\nlower bound 2\n"
		if text := estimatedText(&e); text != want || len(e.Problems) > 0 {
			t.Errorf("%s%v", text, e.Problems)
		}
		if got := fmt.Sprint(e.Notes); got != "[node t: devices assumed from device profile two]" {
			t.Error(got)
		}
		for i := range e.Nodes {
			registers(t, set, &e.Nodes[i])
		}
		if diff := cmp.Diff(before, sample); diff != "" {
			t.Errorf("the sample was changed: %s", diff)
		}
	}
}

// TestTemplateWithBadProfile: the sample counts, and the problem is told.
func TestTemplateWithBadProfile(t *testing.T) {
	bad := &simulate.Profile{Name: "bad", Devices: []simulate.ProfileDevices{{Vendor: "nobody", Model: "x"}}}
	e := simulate.Estimate(vendors.Default(), simulate.Template{Node: testkit.Node("t", cards(1, 10000)...), Profile: bad}, podsOf(1, "gpu=1 mem=100"), simulate.Limits{})
	if len(e.Nodes) != 1 || len(e.Problems) != 1 || !strings.Contains(e.Problems[0].Error(), "devices[0].slots: is missing") {
		t.Errorf("%s%v", estimatedText(&e), e.Problems)
	}
}

// TestKeepUsageUnderAProfile: what a pod holds on a device of the sample it holds on the one with the same index.
func TestKeepUsageUnderAProfile(t *testing.T) {
	p, _ := simulate.ProfileOfModels("two", 2, "NVIDIA L4")
	held := podOf("held gpu=1 mem=20000 hami.io/vgpu-node=t hami.io/vgpu-devices-allocated=g1,NVIDIA,20000,0:;")
	template := simulate.Template{Node: testkit.Node("t", cards(2, 100)...), Profile: &p, Pods: []*corev1.Pod{held}, Options: simulate.TemplateOptions{KeepUsage: true}}
	e := simulate.Estimate(vendors.Default(), template, podsOf(1, "gpu=1 mem=20000"), simulate.Limits{})
	if text := estimatedText(&e); text != "t-new-00000: a0 ./NVIDIA-0\nlower bound 1\n" {
		t.Error(text)
	}
}
