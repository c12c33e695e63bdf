package kit

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
)

// Invalid is the error of a container whose amount of a resource no request can be made of.
func Invalid(c *corev1.Container, name, why string) *device.RequestError {
	q, _ := device.Quantity(c, name)
	return &device.RequestError{Container: c.Name, Key: name, Value: q.String(), Why: why}
}

// Refusal is what admission turns away in the reference's words. It unwraps to a [*device.RequestError].
type Refusal struct {
	Text  string
	Cause *device.RequestError
}

// Error is the reference's message.
func (r *Refusal) Error() string { return r.Text }

// Unwrap returns the same as a [*device.RequestError].
func (r *Refusal) Unwrap() error { return r.Cause }
