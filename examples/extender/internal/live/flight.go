package live

import (
	"errors"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
)

var (
	errBusy     = errors.New("another call for the pod is under way")
	errStranger = errors.New("the uid is that of another pod")
)

// flight is a pod that is being placed or bound: while it is, what the API server shows of the pod is not taken in, because it
// may be from before.
type flight struct{ gone bool }

// begin starts the flight of a pod and returns the newest that is known of it: what the API server says goes before what a
// caller says. The error is errBusy while another flight of the pod is under way, and errStranger for a pod that is made up.
func (st *state) begin(pod *corev1.Pod) (*corev1.Pod, error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	key := keyOf(pod)
	if st.stranger(pod) {
		return nil, errStranger
	}
	if st.flights[key] != nil {
		return nil, errBusy
	}
	st.flights[key] = &flight{}
	return st.newest(pod), nil
}

// known returns the newest that is known of a pod.
func (st *state) known(pod *corev1.Pod) *corev1.Pod {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.newest(pod)
}

func (st *state) newest(pod *corev1.Pod) *corev1.Pod {
	if known := st.pods[keyOf(pod)]; known != nil && !st.stranger(pod) {
		return known
	}
	return pod
}

// drop releases what a pod in flight holds.
func (st *state) drop(key string) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.release(key)
}

// land ends a flight. written is the pod as the API server answered the last write, or nil. What the pod holds is from then on
// what the newest that is known says; where nothing is known, what was reserved stays.
func (st *state) land(key string, written *corev1.Pod) []device.Problem {
	st.mu.Lock()
	defer st.mu.Unlock()
	f := st.flights[key]
	delete(st.flights, key)
	if f.gone {
		st.release(key)
		return nil
	}
	if known := st.pods[key]; written == nil || known != nil && older(written, known) {
		written = known
	}
	if written == nil {
		return nil
	}
	return st.observe(written)
}
