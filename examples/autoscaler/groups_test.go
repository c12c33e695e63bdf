package autoscaler_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/examples/autoscaler"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/vendors"
)

const registration = "hami.io/node-nvidia-register"

// pool is a profile for the nodes with the label pool=l4: four L4.
func pool(t *testing.T) simulate.Profile {
	t.Helper()
	p, err := simulate.ProfileOfModels("l4-pool", 4, "NVIDIA L4")
	require.NoError(t, err)
	p.Match.MatchLabels = map[string]string{"pool": "l4"}
	return p
}

func bare(name string, labels map[string]string) *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
		Status:     corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}},
	}
}

func registered(t *testing.T, name string) *corev1.Node {
	t.Helper()
	node, p := bare(name, map[string]string{"pool": "l4"}), pool(t)
	require.NoError(t, p.Apply(vendors.Default(), node))
	return node
}

func groups(t *testing.T) *autoscaler.Groups {
	return &autoscaler.Groups{Set: vendors.Default(), Profiles: []simulate.Profile{pool(t)}}
}

func TestNodeReady(t *testing.T) {
	malformed := registered(t, "n")
	malformed.Annotations[registration] = "[{"
	fewer := registered(t, "n")
	p, err := simulate.ProfileOfModels("", 3, "NVIDIA L4")
	require.NoError(t, err)
	require.NoError(t, p.Apply(vendors.Default(), fewer))
	for _, test := range []struct {
		what string
		node *corev1.Node
		why  string // empty: ready
	}{
		{"all registered", registered(t, "n"), ""},
		{"not registered yet", bare("n", map[string]string{"pool": "l4"}), "device profile l4-pool: NVIDIA: "},
		{"a device is missing: degraded, not on its way", fewer, ""},
		{"cannot be read", malformed, registration},
		{"nothing known", bare("n", nil), ""},
		{"instance type", bare("n", map[string]string{corev1.LabelInstanceTypeStable: "g5.xlarge"}), "instance type g5.xlarge: NVIDIA: "},
	} {
		t.Run(test.what, func(t *testing.T) {
			ready, why := groups(t).NodeReady(test.node)
			assert.Equal(t, test.why == "", ready, why)
			assert.Contains(t, why, test.why)
		})
	}
}

func TestNodeReadyWithoutInstanceTypes(t *testing.T) {
	g := groups(t)
	g.NoInstanceTypes = true
	ready, why := g.NodeReady(bare("n", map[string]string{corev1.LabelInstanceTypeStable: "g5.xlarge"}))
	assert.True(t, ready, why)
}

func TestGroupsByName(t *testing.T) {
	byName := pool(t)
	byName.Match = simulate.ProfileMatch{NodeGroups: []string{"l4"}}
	g := &autoscaler.Groups{Set: vendors.Default(), Profiles: []simulate.Profile{byName}, GroupOf: func(*corev1.Node) string { return "l4" }}
	ready, _ := g.NodeReady(bare("n", nil))
	assert.False(t, ready)
}

// TestTemplate: a worn live node, the provider's bare node, and the bare node of a machine that is known become fresh nodes.
func TestTemplate(t *testing.T) {
	g, set := groups(t), vendors.Default()
	worn := registered(t, "template-node-for-l4")
	worn.Annotations[device.AnnotationCordon] = "gpu-0"
	worn.Annotations[device.AnnotationLock] = "2026-03-01T12:00:00Z,a,b"
	for _, test := range []struct {
		what    string
		sample  *corev1.Node
		devices int
		note    simulate.NoteKind
	}{
		{"warm", worn, 4, ""},
		{"cold", bare("template-node-for-l4", map[string]string{"pool": "l4"}), 4, simulate.AssumedFromProfile},
		{"machine", bare("n", map[string]string{corev1.LabelInstanceTypeStable: "g5.xlarge"}), 1, simulate.AssumedFromInstanceType},
		{"unknown", bare("n", nil), 0, ""},
	} {
		t.Run(test.what, func(t *testing.T) {
			before := test.sample.DeepCopy()
			node, notes, problems := g.Template(test.sample)
			assert.Empty(t, problems)
			assert.Equal(t, before, test.sample, "the sample is not changed")
			assert.Equal(t, test.sample.Name, node.Name)
			info := set.Inventory(node)
			assert.Equal(t, test.devices, info.Len())
			for i := range info.Len() {
				assert.True(t, info.Device(i).Healthy && !info.Device(i).Cordoned)
			}
			assert.NotContains(t, node.Annotations, device.AnnotationLock)
			if test.note == "" {
				assert.Empty(t, notes)
			} else if assert.Len(t, notes, 1) {
				assert.Equal(t, test.note, notes[0].Kind)
			}
		})
	}
}

func TestUpcoming(t *testing.T) {
	g := groups(t)
	joined := bare("n", map[string]string{"pool": "l4"})
	node, note, err := g.Upcoming(joined)
	require.NoError(t, err)
	require.NotNil(t, note)
	assert.Equal(t, simulate.UpcomingDevices, note.Kind)
	assert.Equal(t, 4, g.Set.Inventory(node).Len())
	assert.Empty(t, joined.Annotations)

	for _, complete := range []*corev1.Node{registered(t, "n"), bare("n", nil)} {
		node, note, err := g.Upcoming(complete)
		require.NoError(t, err)
		assert.Nil(t, note)
		assert.Same(t, complete, node)
	}
}

func wants(name string, memory string, annotations ...string) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name, Annotations: map[string]string{}}}
	for i := 0; i < len(annotations); i += 2 {
		pod.Annotations[annotations[i]] = annotations[i+1]
	}
	c := corev1.Container{Name: "main"}
	if memory != "" {
		c.Resources.Limits = corev1.ResourceList{
			"nvidia.com/gpu": resource.MustParse("1"), "nvidia.com/gpumem": resource.MustParse(memory),
		}
	}
	pod.Spec.Containers = []corev1.Container{c}
	return pod
}

func TestEquivalenceKey(t *testing.T) {
	set := vendors.Default()
	key := func(p *corev1.Pod) string { return autoscaler.EquivalenceKey(set, p) }
	a := key(wants("a", "6000"))
	assert.Equal(t, a, key(wants("b", "6000")), "names are no part of it")
	assert.Equal(t, a, key(wants("b", "6000", "team", "x")), "nor annotations that no device model reads")
	assert.Empty(t, key(wants("c", "")))
	seen := map[string]string{}
	for what, pod := range map[string]*corev1.Pod{
		"plain": wants("a", "6000"), "more": wants("a", "7000"), "type": wants("a", "6000", "nvidia.com/use-gputype", "A100"),
		"policy": wants("a", "6000", device.AnnotationDevicePolicy, "binpack"), "invalid": wants("a", "-1"), "invalid otherwise": wants("a", "-2"),
	} {
		k := key(pod)
		assert.Len(t, k, 64)
		assert.Empty(t, seen[k], "%s and %s", what, seen[k])
		seen[k] = what
	}
}

func TestDemand(t *testing.T) {
	d := autoscaler.NewDemand(vendors.Default(), registered(t, "template"))
	small, large, none, invalid := wants("s", "3000"), wants("l", "8000"), wants("n", ""), wants("i", "-1")
	assert.True(t, d.LessDemanding(small, large))
	assert.False(t, d.LessDemanding(large, small))
	assert.False(t, d.LessDemanding(small, small))
	assert.Zero(t, d.Share(none))
	assert.Zero(t, d.Share(invalid))

	pods := []*corev1.Pod{none, small, invalid, large, wants("s2", "3000")}
	d.Sort(pods)
	var names []string
	for _, p := range pods {
		names = append(names, p.Name)
	}
	assert.Equal(t, []string{"l", "s", "s2", "n", "i"}, names)
}
