package devicetest_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestOutside: a module that is no part of this repository writes a model and proves it with the kit, and one with a fault is told
// which law it breaks. Nothing is downloaded.
func TestOutside(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a module of its own")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":                outsideModule(t),
		"go.sum":                outsideRead(t, "../../go.sum"),
		"npu.go":                outsideModel,
		"npu_test.go":           outsideTest,
		"broken/broken_test.go": outsideBroken,
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := outsideGo(dir, "test", "-v", "."); err != nil || !strings.Contains(out, "--- PASS: TestConformance/round_trip") {
		t.Errorf("%v\n%s", err, out)
	}
	out, err := outsideGo(dir, "test", "./broken")
	if err == nil || !strings.Contains(out, "--- FAIL: TestConformance/no_over-commit") || !strings.Contains(out, "law no over-commit: container 0 is given device a, which takes no new work") {
		t.Errorf("%v\n%s", err, out)
	}
}

// outsideModule is a module that takes this one from its folder, and the versions that it needs from its go.mod.
func outsideModule(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	module := outsideRead(t, "../../go.mod")
	return "module example.com/npu\n" + module[strings.Index(module, "\n")+1:] +
		"\nrequire github.com/accelfit/accelfit v0.0.0\n\nreplace github.com/accelfit/accelfit => " + filepath.ToSlash(root) + "\n"
}

func outsideRead(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func outsideGo(dir string, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// outsideModel is a model of NPUs that are shared by memory.
const outsideModel = `package npu

import (
	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

type Backend struct {
	kit.Base[struct{}]
	kit.Registered
	kit.Asks
}

func New() *Backend {
	names := device.Names{
		Count: "example.com/npu", Memory: "example.com/npu-memory",
		Register: "example.com/npus", Handshake: "example.com/npu-handshake", Allocated: "example.com/npus-allocated",
	}
	return &Backend{
		kit.NewBase(struct{}{}, "NPU", names),
		kit.NewRegistered("NPU", names, kit.Form{}),
		kit.Asked(kit.Shares{Vendor: "NPU", Count: names.Count, Memory: names.Memory}),
	}
}

func (*Backend) Plan(_ *device.PodContext, ask device.ContainerRequest) device.Plan {
	var rules kit.Rules
	rules.Add(kit.Healthy())
	rules.Add(kit.Slot())
	rules.Add(kit.Quota())
	rules.Add(kit.Memory())
	return device.Plan{Ask: ask, Rules: rules.Table()}
}

func Node() []device.DeviceInfo {
	npu := device.DeviceInfo{ID: "a", Slots: 4, Memory: 16384, Healthy: true}
	other := npu
	other.ID, other.Index = "b", 1
	return []device.DeviceInfo{npu, other}
}
`

const outsideTest = `package npu_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"example.com/npu"
	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/device/devicetest"
)

func TestConformance(t *testing.T) { devicetest.Run(t, Harness(npu.New())) }

func Harness(b device.Backend) devicetest.Harness {
	node, pod := &corev1.Node{}, &corev1.Pod{}
	node.Name = "n"
	if err := b.Describe(node, npu.Node()); err != nil {
		panic(err)
	}
	pod.Spec.Containers = []corev1.Container{{Name: "c"}}
	pod.Spec.Containers[0].Resources.Limits = corev1.ResourceList{
		"example.com/npu": resource.MustParse("1"), "example.com/npu-memory": resource.MustParse("2000"),
	}
	return devicetest.Harness{Backend: b, Nodes: []*corev1.Node{node}, Pods: []*corev1.Pod{pod}}
}
`

// outsideBroken is the same without the first rule: NPUs need not be healthy.
var outsideBroken = strings.NewReplacer(
	"package npu_test", "package broken_test", "Harness(npu.New())", "Harness(careless{npu.New()})",
).Replace(outsideTest) + `
type careless struct{ *npu.Backend }

func (c careless) Plan(pod *device.PodContext, ask device.ContainerRequest) device.Plan {
	p := c.Backend.Plan(pod, ask)
	p.Rules = device.NewTable(p.Rules.Rules()[1:])
	return p
}
`
