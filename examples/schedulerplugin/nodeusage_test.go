package schedulerplugin

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
)

func request(t *testing.T, p *Plugin, memory string) *vendors.Request {
	t.Helper()
	r, err := p.set.Request(wants("probe", "1", memory))
	require.NoError(t, err)
	return r
}

// memories are the MiB taken of each device.
func memories(u *device.NodeUsage) (out []int64) {
	for i := range u.Devices() {
		out = append(out, u.Device(i).Memory)
	}
	return out
}

// What a pod holds is what is reserved, else what its annotations say of this node, else what a replay gives it.
func TestNodeUsageSources(t *testing.T) {
	set := vendors.Default()
	object := l4s(t, "n", 2, 11441)
	annotated := placed(t, wants("annotated", "1", "1000"), object)
	elsewhere := placed(t, wants("elsewhere", "1", "3000"), l4s(t, "m", 2, 11441))
	elsewhere.Spec.NodeName = "n"
	moved := placed(t, wants("moved", "1", "300"), object)
	moved.Spec.NodeName = ""
	reserved := placed(t, wants("reserved", "2", "20"), object)
	held := func(pod *corev1.Pod) (usage.Holding, bool) {
		if pod != reserved {
			return usage.Holding{}, false
		}
		return usage.Holding{UID: pod.UID, Node: "n", Allocation: &device.Allocation{Devices: []device.ContainerDevice{
			{Vendor: "NVIDIA", ID: "GPU-n-0", Memory: 10},
		}, Classes: []device.ContainerClass{device.App}}}, true
	}
	for _, test := range []struct {
		why  string
		pods []*corev1.Pod
		want int64 // MiB taken
	}{
		{"annotations", []*corev1.Pod{annotated}, 1000},
		{"replay", []*corev1.Pod{wants("p", "1", "6000")}, 6000},
		{"the annotations of another node", []*corev1.Pod{elsewhere}, 3000},
		{"a copy that is moved", []*corev1.Pod{moved}, 300},
		{"one pod three times", []*corev1.Pod{moved, moved, moved}, 900},
		{"reserved", []*corev1.Pod{reserved}, 10},
		{"all", []*corev1.Pod{moved, reserved, annotated, elsewhere}, 4310},
	} {
		var copies []*corev1.Pod
		for _, pod := range test.pods {
			copies = append(copies, pod.DeepCopy())
		}
		r := NodeUsage(set, infoOf(object, test.pods...), UsageOptions{Held: held})
		var sum int64
		for _, m := range memories(r.Usage) {
			sum += m
		}
		assert.Equal(t, test.want, sum, test.why)
		assert.Empty(t, r.Problems, test.why)
		assert.Equal(t, copies, test.pods, "%s: pods are not written to", test.why)
	}
}

// A node that was made up is fresh, by its label or its name: health and cordons of the sample are gone, and the sampled pods'
// annotations tell of other devices.
func TestTemplates(t *testing.T) {
	set := vendors.Default()
	sick := l4s(t, "live", 1, 11441)
	daemon := placed(t, wants("daemon", "1", "500"), sick)
	sick.Annotations[device.AnnotationCordon] = "GPU-live-0"
	for name, made := range map[string]bool{
		"live": false, "template-node-for-l4-123": true, "l4-upcoming-7": true, "upcoming-l4": false, "labelled": true,
	} {
		node := sick.DeepCopy()
		node.Name = name
		if name == "labelled" {
			node.Labels = map[string]string{LabelTemplate: "true"}
		}
		copied := daemon.DeepCopy()
		copied.Spec.NodeName = name
		r := NodeUsage(set, infoOf(node, copied), UsageOptions{})
		d := r.Usage.Info().Device(0)
		assert.Equal(t, !made, d.Cordoned, name)
		if made {
			assert.Equal(t, name+"/GPU-live-0", d.ID)
			assert.Equal(t, []int64{500}, memories(r.Usage), name)
		}
	}
}

const l4Profile = `{"apiVersion":"accelfit.dev/v1alpha1","kind":"DeviceProfile","metadata":{"name":"l4"},
"match":{"matchLabels":{"pool":"l4"}},"devices":[{"model":"NVIDIA L4","count":2}]}`

// Nodes that have never registered have what their profile says: those that were made up always, those that have joined where the
// host wants it.
func TestProfiles(t *testing.T) {
	for _, test := range []struct {
		why     string
		node    metav1.ObjectMeta
		args    string
		devices int
	}{
		{"made up", metav1.ObjectMeta{Name: "template-node-for-a", Labels: map[string]string{"pool": "l4"}}, `{"profiles":[` + l4Profile + `]}`, 2},
		{"made up, no profile", metav1.ObjectMeta{Name: "template-node-for-a", Labels: map[string]string{"pool": "l4"}}, `{}`, 0},
		{"made up, built in", metav1.ObjectMeta{Name: "template-node-for-a", Labels: map[string]string{corev1.LabelInstanceTypeStable: "g6.12xlarge"}}, `{}`, 4},
		{"joined", metav1.ObjectMeta{Name: "a", Labels: map[string]string{"pool": "l4"}}, `{"profiles":[` + l4Profile + `]}`, 0},
		{"upcoming", metav1.ObjectMeta{Name: "a", Labels: map[string]string{"pool": "l4"}}, `{"upcoming":true,"profiles":[` + l4Profile + `]}`, 2},
		{"upcoming, built in", metav1.ObjectMeta{Name: "a", Labels: map[string]string{corev1.LabelInstanceTypeStable: "g6.12xlarge"}}, `{"upcoming":true}`, 4},
		{"upcoming, nothing known", metav1.ObjectMeta{Name: "a"}, `{"upcoming":true}`, 0},
	} {
		p := pluginOf(t, nil, test.args)
		r := NodeUsage(p.set, infoOf(&corev1.Node{ObjectMeta: test.node}), p.options)
		assert.Equal(t, test.devices, r.Usage.Info().Len(), test.why)
		assert.Empty(t, r.Problems, test.why)
	}
}

// What cannot be read, and what cannot be had, is told.
func TestNodeUsageProblems(t *testing.T) {
	set := vendors.Default()
	bad := l4s(t, "n", 1, 1000)
	bad.Annotations[set.Backend("NVIDIA").Names().Register] = "?"
	r := NodeUsage(set, infoOf(bad), UsageOptions{})
	require.Len(t, r.Problems, 1)
	var decode *device.DecodeError
	assert.ErrorAs(t, r.Problems[0], &decode)
	assert.Contains(t, texts(append(r.Problems, r.Problems...)), "; ")

	broken := simulate.Profile{Name: "x", Match: simulate.ProfileMatch{MatchLabels: map[string]string{"a": "b"}},
		Devices: []simulate.ProfileDevices{{Model: "no such model", Count: 1}}}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n", Labels: map[string]string{"a": "b"}}}
	r = NodeUsage(set, infoOf(node), UsageOptions{Upcoming: true, Profiles: []simulate.Profile{broken}})
	assert.Len(t, r.Problems, 1)

	over := NodeUsage(set, infoOf(l4s(t, "n", 1, 1000), wants("a", "1", "900"), wants("b", "1", "900")), UsageOptions{})
	assert.Len(t, over.Unplaced, 1)
	assert.Zero(t, NodeUsage(set, infoOf(nil), UsageOptions{}).Usage.Info().Len())
}
