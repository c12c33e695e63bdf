package documented

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
)

// reasons is the page that tells what to do.
const reasons = "docs/reasons.md"

// impossible are pods of which no request can be made: limits of their container, and annotations.
var impossible = []string{
	`{limits: {nvidia.com/gpu: 1, nvidia.com/gpumem: 16Gi}}`,
	`{limits: {nvidia.com/gpu: 1, nvidia.com/gpumem-percentage: 101}}`,
	`{limits: {nvidia.com/gpu: 1, nvidia.com/gpucores: -1}}`,
	`{limits: {amd.com/gpu: 1, amd.com/gpucores: 101}}`,
	`{limits: {amd.com/gpumem: 1000}}`,
	`{limits: {huawei.com/Ascend910C: 3}}`,
	`{limits: {huawei.com/Ascend910B2: 1, huawei.com/Ascend910B2-core: 20}}`,
	`{limits: {huawei.com/Ascend910B2: 1, huawei.com/Ascend910B2-memory: 1000000}}`,
	`{limits: {huawei.com/Ascend910B2: 2, huawei.com/Ascend910B2-memory: 1000}}`,
	`{limits: {metax-tech.com/sgpu: 1, metax-tech.com/vmemory: -1}}`,
	`{limits: {metax-tech.com/sgpu: 1}, annotations: {metax-tech.com/sgpu-qos-policy: best}}`,
	`{limits: {metax-tech.com/sgpu: 1}, annotations: {metax-tech.com/sgpu-app-class: best}}`,
	`{limits: {metax-tech.com/sgpu: 2}, annotations: {metax-tech.com/sgpu-app-class: online}}`,
	`{limits: {mthreads.com/vgpu: 1, mthreads.com/sgpu-memory: 3}}`,
	`{limits: {aws.amazon.com/neuroncore: 33}}`,
	`{limits: {aws.amazon.com/neuron: 3000000000}}`,
	`{limits: {enflame.com/drs-gcu: 0}}`,
	`{limits: {enflame.com/gcu-core: 101}}`,
	`{limits: {nvidia.com/gpu: 1}, annotations: {hami.io/device-scoring-weights: slot=1}}`,
	`{bare: true}`,
	`{limits: {nvidia.com/gpu: 1}, privileged: true}`,
	`{limits: {nvidia.com/gpu: 1}, node: n1}`,
	`{limits: {nvidia.com/gpu: 1, nvidia.com/gpumem: 5000}}`,
}

// number is what the page leaves out of an error.
var number = regexp.MustCompile(`\b(got|exceed|up to|from 0 to) \d+`)

// TestImpossibleRequests: the page lists why no request can be made of a pod, in the words of the errors, for the resources that
// have them.
func TestImpossibleRequests(t *testing.T) {
	rows := table(t, reasons, "## Impossible requests")
	complete(t, rows, 3)
	var left []string
	for _, r := range rows {
		left = append(left, words(r[0]))
	}
	for _, text := range impossible {
		why, key := refusal(t, text)
		why = number.ReplaceAllString(why, "$1 N")
		i := slices.IndexFunc(rows, func(r []string) bool { return words(r[0]) == why })
		if i < 0 {
			t.Errorf("%s: the page does not say %q", text, why)
			continue
		}
		key = strings.ReplaceAll(key, "Ascend910B2", "<w>")
		if !strings.Contains(rows[i][1], "`"+key+"`") && why != "must be a whole number from 0 to N" && key != "" {
			t.Errorf("%q is said of %s, not of %s", why, rows[i][1], key)
		}
		left = slices.DeleteFunc(left, func(l string) bool { return l == why })
	}
	if len(left) > 0 {
		t.Errorf("no pod is refused for: %q", left)
	}
}

// refusal is why no request can be made of a pod, and of which resource or annotation that is said.
func refusal(t *testing.T, text string) (why, key string) {
	t.Helper()
	var asked struct {
		Limits           corev1.ResourceList
		Annotations      map[string]string
		Bare, Privileged bool
		Node             string
	}
	if err := yaml.UnmarshalStrict([]byte(text), &asked); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	pod := &corev1.Pod{Spec: corev1.PodSpec{NodeName: asked.Node, Containers: []corev1.Container{{
		Name: "main", Resources: corev1.ResourceRequirements{Limits: asked.Limits},
		SecurityContext: &corev1.SecurityContext{Privileged: &asked.Privileged},
	}}}}
	pod.Annotations = asked.Annotations
	if asked.Bare {
		pod.Spec.Containers = nil
	}
	set := vendors.Default()
	admitted, err := set.Admit(pod, vendors.AdmitOptions{
		SchedulerName: "hami-scheduler", Quota: map[device.Vendor]device.Headroom{"NVIDIA": {Memory: device.Limit{Left: 1000, Set: true}}},
	})
	if err == nil {
		_, err = set.Request(admitted.Pod)
	}
	if r := (*device.RequestError)(nil); errors.As(err, &r) {
		return r.Why, r.Key
	}
	if d := (*vendors.DeniedError)(nil); errors.As(err, &d) {
		return d.Why, ""
	}
	t.Fatalf("%s: refused as neither, %v", text, err)
	return "", ""
}
