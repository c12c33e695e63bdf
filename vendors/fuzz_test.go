package vendors_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
	"github.com/accelfit/accelfit/vendors/nvidia"
)

// FuzzLoad: whatever the text, Load gives a set that works, or an error that says what it is about.
func FuzzLoad(f *testing.F) {
	f.Add(chart(f))
	for _, text := range []string{
		"", "nvidia: {}", "nvidia: {resourceCountName: a}", "nvidia: {defaultMemory: -1}", "nvidia: []", "- a", "nvidia: {memoryFactor: 2147483648}",
		"nvidia: {resourceCountName: a, resourceMemoryName: a, resourceCoreName: a, resourceMemoryPercentageName: a, defaultGPUNum: 1}",
		"nvidia: {migProfileAllowlist: [{models: [a], profiles: [1g.5gb]}]}", "iluvatars: [{x: 1}]", "a: &a [*a]", "vnpus: {configs: [{templates: [{z: 1}]}]}",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		set, err := vendors.Load(text)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "device configuration: ") {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		for _, p := range set.Problems() {
			if p.Object == "" || p.Err == nil {
				t.Fatalf("problem %+v", p)
			}
		}
		pod := asking(map[string]string{"a": "1", "nvidia.com/gpu": "1"})
		admitted, err := set.Admit(pod, vendors.AdmitOptions{SchedulerName: "s"})
		if err == nil {
			pod = admitted.Pod
		}
		if r, err := set.Request(pod); err == nil {
			set.Fit(r, device.NewNodeUsage(set.Inventory(&corev1.Node{})))
		} else {
			testkit.MustBeTyped(t, err)
		}
	})
}

// hostileNode and hostilePod are everything of a node and a pod that fitting reads.
type hostileNode struct{ register, score, cordon, allocated, reserved string }

type hostilePod struct{ gpu, mem, percent, cores, lists, policy, mode, weights string }

// FuzzNVIDIAFit: whatever the annotations and quantities, nothing panics, errors are typed, and what is given out exists, is free
// and is the node's.
func FuzzNVIDIAFit(f *testing.F) {
	mig := `[{"id":"m0","count":7,"devmem":40960,"devcore":100,"type":"NVIDIA A100","mode":"mig","health":true,"migProfiles":[` +
		`{"name":"1g.5gb","memoryMB":4864,"core":15,"sliceCount":1,"placements":[{"start":0,"size":1},{"start":6,"size":1}]},` +
		`{"name":"2g.10gb","memoryMB":9856,"core":29,"sliceCount":2,"placements":[{"start":0,"size":2}]}]},` +
		`{"id":"h0","count":2,"devmem":1000,"devcore":100,"type":"NVIDIA","numa":1,"mode":"hami-core","health":true}]`
	two := `[{"id":"g0","count":2,"devmem":1000,"devcore":100,"health":true},{"id":"g1","count":2,"devmem":1000,"devcore":100,"health":true}]`
	links := `[{"uuid":"g0","score":{"g1":9223372036854775807}},{"uuid":"g1","score":{"g0":-9223372036854775808}}]`
	used := `[{"containerIndex":0,"deviceIndex":0,"gpuUUID":"m0","profile":"1g.5gb","placement":{"start":6,"size":1}}]`
	add := func(n hostileNode, p hostilePod, shape uint8) {
		f.Add(n.register, n.score, n.cordon, n.allocated, n.reserved, p.gpu, p.mem, p.percent, p.cores, p.lists, p.policy, p.mode, p.weights, shape)
	}
	add(hostileNode{mig, "", "h0", "m0,NVIDIA,4864,15:;", used}, hostilePod{"2", "4000", "", "", "", "topology-aware", "mig", ""}, 0)
	add(hostileNode{two, links, "", "g0,NVIDIA,2147483647,100:;", ""}, hostilePod{"2", "", "50", "150", "g0,g1", "binpack,topology-aware", "", "slot=1,core=1,memory=1"}, 255)
	add(hostileNode{mig, "[]", "", "", "{}"}, hostilePod{"2147483647", "1", "", "", ",", "numa", "", "x"}, 3)
	add(hostileNode{"[null]", "{", ",", ";;;,", "null"}, hostilePod{"1e3", "16Gi", "-1", "1m", "", "", "", ""}, 7)
	f.Fuzz(func(t *testing.T, register, score, cordon, allocated, reserved, gpu, mem, percent, cores, lists, policy, mode, weights string, shape uint8) {
		tryHostile(t, hostileNode{register, score, cordon, allocated, reserved}, hostilePod{gpu, mem, percent, cores, lists, policy, mode, weights}, shape)
	})
}

func tryHostile(t *testing.T, n hostileNode, p hostilePod, shape uint8) {
	set := vendors.Default().With(vendors.Options{Quirks: device.Quirks(shape) & device.AllQuirks})
	node, pod := n.object(), p.object(shape)
	u, problems := usage.Node(set, node, []*corev1.Pod{n.running()})
	for _, problem := range problems {
		if d := (*device.DecodeError)(nil); !errors.As(problem, &d) || d.Key == "" {
			t.Fatalf("problem %v is of type %T", problem, problem.Err)
		}
	}
	r, err := set.Request(pod)
	if err != nil {
		testkit.MustBeTyped(t, err)
		return
	}
	if shape&64 != 0 {
		r = r.WithQuota(map[device.Vendor]device.Headroom{"NVIDIA": {Memory: device.Limit{Left: int64(shape) * 100, Set: true}}})
	}
	fit := set.Fit(r, u)
	if why := set.Explain(r, u); !reflect.DeepEqual(why.Fit, fit) {
		t.Fatalf("Explain says %v, Fit %v", why.Fit, fit)
	}
	if fit.OK() != fit.Reasons.IsZero() || !fit.OK() && fit.Reasons.String() == "" {
		t.Fatalf("neither fit nor reasons: %+v", fit)
	}
	if fit.OK() {
		testkit.MustBeSound(t, set, pod, u, fit.Allocation)
	}
}

func (n hostileNode) object() *corev1.Node {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n", Annotations: map[string]string{}}}
	node.Annotations[nvidia.AnnotationRegister] = n.register
	if n.score != "" {
		node.Annotations[nvidia.AnnotationLinkScores] = n.score
	}
	node.Annotations[device.AnnotationCordon] = n.cordon
	return node
}

func (n hostileNode) running() *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "r", Annotations: map[string]string{
		device.AnnotationNode: "n", nvidia.AnnotationAllocated: n.allocated, nvidia.AnnotationMIG: n.reserved,
	}}}
}

// object is a pod of one to three containers: bits of shape decide what they are and which lists the pod has.
func (p hostilePod) object(shape uint8) *corev1.Pod {
	pod := asking(nil, device.AnnotationDevicePolicy, p.policy)
	set := func(bit uint8, key, value string) {
		if shape&bit != 0 {
			pod.Annotations[key] = value
		}
	}
	set(1, nvidia.AnnotationUseUUID, p.lists)
	set(2, nvidia.AnnotationNoUseType, p.lists)
	set(4, device.AnnotationNUMABind, "true")
	if p.mode != "" {
		pod.Annotations[nvidia.AnnotationMode] = p.mode
	}
	if p.weights != "" {
		pod.Annotations[device.AnnotationWeights] = p.weights
	}
	c := corev1.Container{Name: "c", Resources: corev1.ResourceRequirements{Limits: p.limits()}}
	pod.Spec.Containers = []corev1.Container{c}
	if shape&16 != 0 {
		pod.Spec.Containers = append(pod.Spec.Containers, c)
	}
	if shape&32 != 0 {
		always := corev1.ContainerRestartPolicyAlways
		side := c
		side.RestartPolicy = &always
		pod.Spec.InitContainers = []corev1.Container{c, side}
	}
	return pod
}

func (p hostilePod) limits() corev1.ResourceList {
	out := corev1.ResourceList{}
	for name, text := range map[string]string{"gpu": p.gpu, "gpumem": p.mem, "gpumem-percentage": p.percent, "gpucores": p.cores} {
		if q, ok := testkit.HostileQuantity(text); ok {
			out[corev1.ResourceName("nvidia.com/"+name)] = q
		}
	}
	return out
}

// FuzzAdmit: whatever the quantities and the configuration, admission completes a copy, or refuses with a typed error; a pod it
// lets pass can be made a request of, and admitting it again changes nothing more.
func FuzzAdmit(f *testing.F) {
	f.Add("1", "", "", "", int32(1), int32(0), int32(1), uint8(0))
	f.Add("", "10", "", "", int32(0), int32(5000), int32(10), uint8(1))
	f.Add("", "", "100", "", int32(2), int32(0), int32(0), uint8(2))
	f.Add("0", "", "0.5", "1e30", int32(-1), int32(-1), int32(-1), uint8(255))
	f.Fuzz(func(t *testing.T, gpu, mem, percent, cores string, num, memory, factor int32, shape uint8) {
		config := nvidia.DefaultConfig()
		config.DefaultGPUNum, config.DefaultMemory, config.MemoryFactor = num, memory, factor
		config.OverwriteEnv = shape&1 != 0
		b, err := nvidia.New(config)
		if err != nil {
			if num >= 0 && memory >= 0 {
				t.Fatal(err)
			}
			return
		}
		set, err := vendors.New(b)
		if err != nil {
			t.Fatal(err)
		}
		testkit.MustAdmitOnce(t, set, hostilePod{gpu: gpu, mem: mem, percent: percent, cores: cores}.object(shape&0xf0))
	})
}
