package admission_test

import (
	"encoding/json"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/examples/extender/internal/admission"
	"github.com/accelfit/accelfit/vendors"
)

func handler() *admission.Handler {
	return &admission.Handler{Set: vendors.Default(), Options: vendors.AdmitOptions{SchedulerName: "accelfit-scheduler"}}
}

func pod(limits ...string) *corev1.Pod {
	list := corev1.ResourceList{}
	for i := 0; i < len(limits); i += 2 {
		list[corev1.ResourceName(limits[i])] = resource.MustParse(limits[i+1])
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "p-"},
		Spec: corev1.PodSpec{SchedulerName: "default-scheduler", Containers: []corev1.Container{
			{Name: "main", Resources: corev1.ResourceRequirements{Limits: list}},
		}},
	}
}

func review(t *testing.T, p *corev1.Pod) *admissionv1.AdmissionReview {
	t.Helper()
	raw, err := json.Marshal(p)
	require.NoError(t, err)
	return &admissionv1.AdmissionReview{
		TypeMeta: metav1.TypeMeta{APIVersion: "admission.k8s.io/v1", Kind: "AdmissionReview"},
		Request: &admissionv1.AdmissionRequest{
			UID: "42", Kind: metav1.GroupVersionKind{Version: "v1", Kind: "Pod"}, Operation: admissionv1.Create, Namespace: "team",
			Object: runtime.RawExtension{Raw: raw},
		},
	}
}

func respond(t *testing.T, h *admission.Handler, r *admissionv1.AdmissionReview) *admissionv1.AdmissionResponse {
	t.Helper()
	text, err := json.Marshal(r)
	require.NoError(t, err)
	answer, err := h.Review(text)
	require.NoError(t, err)
	assert.Equal(t, r.TypeMeta, answer.TypeMeta)
	assert.Equal(t, r.Request.UID, answer.Response.UID)
	return answer.Response
}

// TestPatch: the patch, applied by another implementation, makes the pod that the library admits.
func TestPatch(t *testing.T) {
	p := pod("nvidia.com/gpumem", "3000")
	r := review(t, p)
	response := respond(t, handler(), r)
	require.True(t, response.Allowed)
	require.Equal(t, admissionv1.PatchTypeJSONPatch, *response.PatchType)
	patch, err := jsonpatch.DecodePatch(response.Patch)
	require.NoError(t, err)
	text, err := patch.Apply(r.Request.Object.Raw)
	require.NoError(t, err)
	var got corev1.Pod
	require.NoError(t, json.Unmarshal(text, &got))

	h := handler()
	want, err := h.Set.Admit(p, h.Options)
	require.NoError(t, err)
	wanted, err := json.Marshal(want.Pod)
	require.NoError(t, err)
	assert.JSONEq(t, string(wanted), string(text))
	assert.Equal(t, "accelfit-scheduler", got.Spec.SchedulerName)
	one := got.Spec.Containers[0].Resources.Limits["nvidia.com/gpu"]
	assert.Equal(t, "1", one.String())
}

func TestUnknownFieldsStay(t *testing.T) {
	r := review(t, pod("nvidia.com/gpu", "1"))
	var fields map[string]any
	require.NoError(t, json.Unmarshal(r.Request.Object.Raw, &fields))
	fields["spec"].(map[string]any)["fromTheFuture"] = true
	raw, err := json.Marshal(fields)
	require.NoError(t, err)
	r.Request.Object.Raw = raw
	assert.NotContains(t, string(respond(t, handler(), r).Patch), "fromTheFuture")
}

func TestPassing(t *testing.T) {
	plain := respond(t, handler(), review(t, pod("cpu", "1")))
	assert.True(t, plain.Allowed)
	assert.Nil(t, plain.Patch)

	other := pod("nvidia.com/gpu", "1")
	other.Spec.SchedulerName = "another"
	response := respond(t, handler(), review(t, other))
	assert.True(t, response.Allowed)
	assert.Nil(t, response.Patch)
	assert.Equal(t, "pod already has different scheduler assigned", response.Result.Message)

	update := review(t, pod("nvidia.com/gpu", "-1"))
	update.Request.Operation = admissionv1.Update
	assert.True(t, respond(t, handler(), update).Allowed)
	node := review(t, pod())
	node.Request.Kind.Kind = "Node"
	assert.True(t, respond(t, handler(), node).Allowed)
}

func TestRefusals(t *testing.T) {
	privileged := pod("nvidia.com/gpu", "1")
	yes := true
	privileged.Spec.Containers[0].SecurityContext = &corev1.SecurityContext{Privileged: &yes}
	bound := pod("nvidia.com/gpu", "1")
	bound.Spec.NodeName = "n"
	empty := pod()
	empty.Spec.Containers = nil
	for _, test := range []struct {
		pod  *corev1.Pod
		code int32
		text string
	}{
		{privileged, 403, "container main is privileged"},
		{bound, 403, "pod has node assigned"},
		{empty, 403, "pod has no containers"},
		{pod("nvidia.com/gpu", "1", "nvidia.com/gpumem", "-3"), 422, "nvidia.com/gpumem"},
		{pod("nvidia.com/gpu", "1", "nvidia.com/gpumem", "9000"), 403, "exceeding resource quota"},
	} {
		h := handler()
		h.Headroom = func(namespace string) map[device.Vendor]device.Headroom {
			require.Equal(t, "team", namespace)
			return quota(t)
		}
		response := respond(t, h, review(t, test.pod))
		assert.False(t, response.Allowed, test.text)
		assert.Equal(t, test.code, response.Result.Code, test.text)
		assert.Contains(t, response.Result.Message, test.text)
		assert.Nil(t, response.Patch)
	}
}

// quota leaves 8000 MiB of NVIDIA's devices.
func quota(t *testing.T) map[device.Vendor]device.Headroom {
	t.Helper()
	return map[device.Vendor]device.Headroom{"NVIDIA": {Memory: device.Limit{Left: 8000, Set: true}}}
}

func TestNoPod(t *testing.T) {
	r := review(t, pod())
	r.Request.Object.Raw = []byte(`{"spec":7}`)
	response := respond(t, handler(), r)
	assert.False(t, response.Allowed)
	assert.EqualValues(t, 400, response.Result.Code)
}

func TestNoReview(t *testing.T) {
	for _, text := range []string{"", "{", "[]", "{}", `{"apiVersion":"admission.k8s.io/v1beta1","kind":"AdmissionReview","request":{}}`} {
		_, err := handler().Review([]byte(text))
		assert.Error(t, err, text)
	}
}
