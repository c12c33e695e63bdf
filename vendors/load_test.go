package vendors_test

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
	"github.com/accelfit/accelfit/vendors/nvidia"
)

// chart is the configuration of HAMi's chart.
func chart(tb testing.TB) []byte {
	tb.Helper()
	text, err := os.ReadFile("chart.yaml")
	if err != nil {
		tb.Fatal(err)
	}
	return text
}

func problems(set *vendors.Set) (out []string) {
	for _, p := range set.Problems() {
		out = append(out, p.Error())
	}
	return out
}

// TestLoadChart: every key of the chart's configuration is known, and every section without a backend is reported.
func TestLoadChart(t *testing.T) {
	set, err := vendors.Load(chart(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems(set) {
		section, ok := strings.CutSuffix(strings.TrimPrefix(p, "device configuration: "), ": not supported yet")
		if !ok || set.Backend(device.Vendor(section)) != nil {
			t.Errorf("problem %q", p)
		}
	}
	c := set.Config()
	if n := len(c.VNPUs.Configs); n != 7 || c.VNPUs.Configs[5].MemoryAllocatable != 21527 || !c.VNPUs.Configs[6].SuperPod {
		t.Errorf("%d Ascend chips: %+v", n, c.VNPUs.Configs)
	}
	if n := len(c.Iluvatars); n != 4 || c.Iluvatars[2].ResourceMemoryName != "iluvatar.ai/BI-V150.vMem" {
		t.Errorf("%d Iluvatar chips: %+v", n, c.Iluvatars)
	}
	if n := len(c.NVIDIA.MIGProfileAllowlist); n != 9 || c.NVIDIA.MIGProfileAllowlist[5].Models[1] != "H100 on GH200" {
		t.Errorf("%d entries of the allowlist: %+v", n, c.NVIDIA.MIGProfileAllowlist)
	}
	if c.NVIDIA.DeviceSplitCount != 10 || c.NVIDIA.DeviceMemoryScaling != 1 || c.NVIDIA.LibCudaLogLevel != "1" {
		t.Errorf("settings of the node agent: %+v", c.NVIDIA)
	}
	if c.Metax.ResourceVCoreName != "metax-tech.com/vcore" || c.Enflame.ResourceNameGCUCore != "enflame.com/gcu-core" || c.Hygon.MemoryFactor != 1 {
		t.Errorf("sections: %+v", c)
	}
}

// TestLoadKeepsEverySection: no key of the schema is lost on the way: each field of each section is set by its own key.
func TestLoadKeepsEverySection(t *testing.T) {
	set, err := vendors.Load(chart(t))
	if err != nil {
		t.Fatal(err)
	}
	v := reflect.ValueOf(set.Config())
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			t.Errorf("section %s is empty", v.Type().Field(i).Name)
		}
	}
}

// TestDefaultDecidesAsTheChart: the built-in configuration names the same NVIDIA resources.
func TestDefaultDecidesAsTheChart(t *testing.T) {
	set, err := vendors.Load(chart(t))
	if err != nil {
		t.Fatal(err)
	}
	a, b := set.Backend(nvidia.Vendor).Names(), vendors.Default().Backend(nvidia.Vendor).Names()
	if !reflect.DeepEqual(a, b) {
		t.Errorf("chart %+v, built-in %+v", a, b)
	}
}

// TestLoadReports: what is odd is reported with its path, in lists too, and is no error.
func TestLoadReports(t *testing.T) {
	set, err := vendors.Load([]byte(`
nvidia:
  resourceCountName: nvidia.com/gpu
  ResourceMemoryName: nvidia.com/gpumem # letter case does not matter
  colour: red
  migProfileAllowlist:
  - {models: [A30], profiles: [1g.6gb]}
  - {models: [A30], profiles: [1g.6gb], comment: x}
vnpus:
  configs:
  - {chipName: a, commonWord: v, size: 1, templates: [{name: x, memory: 1}, {name: b, memory: 2, cpu: 1}]}
iluvatars:
- {chipName: a, commonWord: w, common: b}
gpu: {}
cambricon: {}
`))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"gpu: unknown key",
		"iluvatars[0].common: unknown key",
		"nvidia.colour: unknown key",
		"nvidia.migProfileAllowlist[1].comment: unknown key",
		"vnpus.configs[0].size: unknown key",
		"vnpus.configs[0].templates[1].cpu: unknown key",
	}
	got := problems(set)
	for _, w := range want {
		w = "device configuration: " + w
		if len(got) == 0 || got[0] != w {
			t.Fatalf("problems %q, want %q next", got, w)
		}
		got = got[1:]
	}
	for _, p := range got { // sections without a backend; those that are built need no report
		if !strings.HasSuffix(p, ": not supported yet") || strings.Contains(p, "nvidia") || strings.Contains(p, "cambricon") {
			t.Errorf("problem %q", p)
		}
	}
	if name := set.Config().NVIDIA.ResourceMemoryName; name != "nvidia.com/gpumem" {
		t.Errorf("resourceMemoryName %q", name)
	}
}

func TestLoadRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                    "all configurations are empty",
		"null":                "all configurations are empty",
		"# nothing":           "all configurations are empty",
		"{}":                  "all configurations are empty",
		"nvidia: {}":          "all configurations are empty",
		"nvidia: null":        "all configurations are empty",
		"iluvatars: []":       "all configurations are empty",
		"unknown: {a: 1}":     "all configurations are empty",
		"nvidia: [":           "yaml",
		"[]":                  "array",
		"nvidia: [1]":         "nvidia",
		"nvidia: {a: 1, b]":   "yaml",
		"iluvatars: {a: 1}":   "iluvatars",
		"nvidia: x":           "nvidia",
		"vnpus: {configs: 1}": "vnpus.configs",

		"nvidia: {resourceCountName: 7}":                 "nvidia.resourceCountName",
		"nvidia: {overwriteEnv: 1}":                      "nvidia.overwriteEnv",
		"nvidia: {defaultMemory: 2147483648}":            "nvidia.defaultMemory",
		"nvidia: {defaultMemory: -1}":                    "nvidia: defaultMemory: must not be negative: -1",
		"nvidia: {defaultCores: -1}":                     "nvidia: defaultCores: must not be negative: -1",
		"nvidia: {defaultGPUNum: -1}":                    "nvidia: defaultGPUNum: must not be negative: -1",
		"nvidia: {defaultGPUNum: 1.5}":                   "nvidia.defaultGPUNum",
		"nvidia: {memoryFactor: ten}":                    "nvidia.memoryFactor",
		"nvidia: {deviceSplitCount: -1}":                 "nvidia.deviceSplitCount",
		"vnpus: {configs: [{memoryFactor: x}]}":          "vnpus.configs.memoryFactor",
		"nvidia: {migProfileAllowlist: {a: 1}}":          "nvidia.migProfileAllowlist",
		"nvidia: {migProfileAllowlist: [{models: A30}]}": "nvidia.migProfileAllowlist.models",

		"nvidia: {migProfileAllowlist: [{models: [A30], profiles: [1g.6gb]}, {models: [A30]}]}": "migProfileAllowlist[1]: MIG profile allowlist must define models and profiles",
		"nvidia: {migProfileAllowlist: [{profiles: [1g.6gb]}]}":                                 "migProfileAllowlist[0]: MIG profile allowlist must define models and profiles",
		"nvidia: {migProfileAllowlist: [{models: [A30], profiles: [1g.6gb, 1g]}]}":              `migProfileAllowlist[0]: invalid MIG profile "1g"`,
		"nvidia: {migProfileAllowlist: [{models: [A30], profiles: [g.6gb]}]}":                   `migProfileAllowlist[0]: invalid MIG profile "g.6gb"`,
		"nvidia: {migProfileAllowlist: [{models: [A30], profiles: [1c.6gb]}]}":                  `migProfileAllowlist[0]: invalid MIG profile "1c.6gb"`,
		"nvidia: {migProfileAllowlist: [{models: [A30], profiles: [\"\"]}]}":                    `migProfileAllowlist[0]: invalid MIG profile ""`,
	} {
		set, err := vendors.Load([]byte(text))
		if err == nil {
			t.Errorf("%q is accepted: %+v", text, set.Config())
			continue
		}
		if !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "device configuration: ") {
			t.Errorf("%q: error %q, want %q in it", text, err, want)
		}
	}
}

func TestLoadAcceptsJSON(t *testing.T) {
	set, err := vendors.Load([]byte(`{"nvidia":{"resourceCountName":"x/gpu","defaultGPUNum":3}}`))
	if err != nil {
		t.Fatal(err)
	}
	if n := set.Backend(nvidia.Vendor).Names(); n.Count != "x/gpu" || n.Memory != "" {
		t.Errorf("names %+v", n)
	}
}

// TestMissingSectionMatchesNothing: the backend of a section that is not there is registered, and its names, being empty, never
// match (spec core §15.2).
func TestMissingSectionMatchesNothing(t *testing.T) {
	set, err := vendors.Load([]byte("biren: {resourceCountName: birentech.com/gpu}"))
	if err != nil {
		t.Fatal(err)
	}
	if set.Backend(nvidia.Vendor) == nil {
		t.Error("no NVIDIA backend")
	}
	pod := asking(map[string]string{"nvidia.com/gpu": "1", "": "1"})
	if r := request(t, set, pod); !r.Empty() {
		t.Errorf("asks for %v", r.Containers())
	}
	a, err := set.Admit(pod, vendors.AdmitOptions{})
	if err != nil || a.Devices {
		t.Errorf("admitted as %+v, %v", a, err)
	}
}

// TestSetsAreIndependent: two sets with other configurations and options decide side by side.
func TestSetsAreIndependent(t *testing.T) {
	a := vendors.Default()
	b, err := vendors.Load([]byte("nvidia: {resourceCountName: other.com/gpu}"))
	if err != nil {
		t.Fatal(err)
	}
	c := a.With(vendors.Options{DevicePolicy: "binpack"})
	pod := asking(map[string]string{"nvidia.com/gpu": "1"})
	if request(t, a, pod).Empty() || !request(t, b, pod).Empty() || request(t, c, pod).Shape() == request(t, a, pod).Shape() {
		t.Error("one set's configuration shows in another")
	}
	if a.Options() != (vendors.Options{}) {
		t.Errorf("With changed the set: %+v", a.Options())
	}
	want := []string{"nvidia.com/gpu", "nvidia.com/gpucores", "nvidia.com/gpumem", "nvidia.com/gpumem-percentage"}
	for _, name := range want {
		if !slices.Contains(a.ManagedResources(), name) {
			t.Errorf("%s is not managed: %v", name, a.ManagedResources())
		}
	}
}

// TestShape: pods that read the same have one shape; whatever the fit reads makes another.
func TestShape(t *testing.T) {
	set := vendors.Default()
	base := request(t, set, asking(gpus("1", "100"), "unrelated", "x"))
	if base.Shape() != request(t, set, asking(gpus("1", "100"))).Shape() {
		t.Error("an unrelated annotation counts")
	}
	seen := map[string]string{base.Shape(): "base", "": "empty"}
	for key, value := range map[string]string{
		"nvidia.com/use-gputype": "a", "nvidia.com/nouse-gputype": "a", "nvidia.com/use-gpuuuid": "a", "nvidia.com/nouse-gpuuuid": "a",
		"nvidia.com/vgpu-mode": "mig", "nvidia.com/numa-bind": "true", "hami.io/gpu-scheduler-policy": "binpack",
		"hami.io/node-scheduler-policy": "spread", "hami.io/device-scoring-weights": "slot=1,core=2,memory=3",
	} {
		shape := request(t, set, asking(gpus("1", "100"), key, value)).Shape()
		if other, double := seen[shape]; double {
			t.Errorf("%s has the shape of %s", key, other)
		}
		seen[shape] = key
	}
	if !request(t, set, &corev1.Pod{}).Empty() || request(t, set, &corev1.Pod{}).Shape() != "" {
		t.Error("a pod that asks for nothing has a shape")
	}
}
