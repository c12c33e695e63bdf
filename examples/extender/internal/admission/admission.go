// Package admission answers admission reviews of pods: it completes pods that ask for devices, or refuses them (spec core §14.1).
package admission

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"gomodules.xyz/jsonpatch/v2"
	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
)

// Handler answers reviews. It keeps no state; any number of goroutines may use it.
type Handler struct {
	Set *vendors.Set

	// Options say what is set; their Quota is ignored.
	Options vendors.AdmitOptions

	// Headroom is what a namespace may still take, by vendor word. nil: anything.
	Headroom func(namespace string) map[device.Vendor]device.Headroom
}

// ErrNoReview is a text that is no review of a request.
var ErrNoReview = errors.New("want an AdmissionReview with a request")

// Review answers the JSON text of an AdmissionReview of version v1 with another. That a pod is refused is an answer; the error
// is a text that is no review.
func (h *Handler) Review(text []byte) (*admissionv1.AdmissionReview, error) {
	var review admissionv1.AdmissionReview
	if err := json.Unmarshal(text, &review); err != nil {
		return nil, fmt.Errorf("admission review: %w", err)
	}
	if review.Request == nil || review.APIVersion != admissionv1.SchemeGroupVersion.String() || review.Kind != "AdmissionReview" {
		return nil, fmt.Errorf("admission review: %w of version %s", ErrNoReview, admissionv1.SchemeGroupVersion)
	}
	response := h.respond(review.Request)
	response.UID = review.Request.UID
	return &admissionv1.AdmissionReview{TypeMeta: review.TypeMeta, Response: response}, nil
}

// respond answers a request. What is no pod that is created passes.
func (h *Handler) respond(request *admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse {
	pods := metav1.GroupVersionKind{Version: "v1", Kind: "Pod"}
	if request.Kind != pods || request.Operation != admissionv1.Create || request.SubResource != "" {
		return &admissionv1.AdmissionResponse{Allowed: true}
	}
	var pod corev1.Pod
	if err := json.Unmarshal(request.Object.Raw, &pod); err != nil {
		return refused(http.StatusBadRequest, metav1.StatusReasonBadRequest, fmt.Errorf("pod: %w", err))
	}
	if pod.Namespace == "" {
		pod.Namespace = request.Namespace // the object has none before it is stored
	}
	o := h.Options
	if h.Headroom != nil {
		o.Quota = h.Headroom(request.Namespace)
	}
	admitted, err := h.Set.Admit(&pod, o)
	if err != nil {
		return refusal(err)
	}
	return patched(&pod, &admitted)
}

// refusal tells why a pod is refused.
func refusal(err error) *admissionv1.AdmissionResponse {
	var denied *vendors.DeniedError
	var bad *device.RequestError
	switch {
	case errors.As(err, &denied):
		return refused(http.StatusForbidden, metav1.StatusReasonForbidden, err)
	case errors.As(err, &bad):
		return refused(http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, err)
	}
	return refused(http.StatusInternalServerError, metav1.StatusReasonInternalError, err)
}

func refused(code int32, reason metav1.StatusReason, err error) *admissionv1.AdmissionResponse {
	return &admissionv1.AdmissionResponse{Result: &metav1.Status{
		Status: metav1.StatusFailure, Code: code, Reason: reason, Message: err.Error(),
	}}
}

// patched is the answer with what admission changed. Both sides of the comparison are what this process reads of a pod, so that
// fields that it does not know stay as they are.
func patched(before *corev1.Pod, admitted *vendors.Admission) *admissionv1.AdmissionResponse {
	response := &admissionv1.AdmissionResponse{Allowed: true, Warnings: admitted.Warnings}
	if admitted.Note != "" {
		response.Result = &metav1.Status{Message: admitted.Note}
	}
	from, err := json.Marshal(before)
	if err != nil {
		return refused(http.StatusInternalServerError, metav1.StatusReasonInternalError, err)
	}
	to, err := json.Marshal(admitted.Pod)
	if err != nil {
		return refused(http.StatusInternalServerError, metav1.StatusReasonInternalError, err)
	}
	changes, err := jsonpatch.CreatePatch(from, to)
	if err != nil {
		return refused(http.StatusInternalServerError, metav1.StatusReasonInternalError, err)
	}
	if len(changes) == 0 {
		return response
	}
	if response.Patch, err = json.Marshal(changes); err != nil {
		return refused(http.StatusInternalServerError, metav1.StatusReasonInternalError, err)
	}
	kind := admissionv1.PatchTypeJSONPatch
	response.PatchType = &kind
	return response
}
