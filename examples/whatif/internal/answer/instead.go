package answer

import (
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
)

// compareNames orders objects by namespace and name.
func compareNames(a, b metav1.Object) int {
	if n := strings.Compare(a.GetNamespace(), b.GetNamespace()); n != 0 {
		return n
	}
	return strings.Compare(a.GetName(), b.GetName())
}

// instead says why no request can be made of a pod, and what to write instead.
func (w *World) instead(err error) Invalid {
	if r := (*device.RequestError)(nil); errors.As(err, &r) {
		return Invalid{Container: r.Container, Key: r.Key, Value: r.Value, Why: r.Why, Write: w.write(r)}
	}
	out := Invalid{Why: err.Error()}
	if d := (*vendors.DeniedError)(nil); errors.As(err, &d) {
		switch {
		case strings.Contains(d.Why, "privileged"):
			out.Write = "take securityContext.privileged off the container: admission lets no such container have devices"
		case strings.Contains(d.Why, "no containers"):
			out.Write = "give the pod a container"
		case strings.Contains(d.Why, "node assigned"):
			out.Write = "leave spec.nodeName out: the scheduler chooses the node"
		}
	}
	return out
}

// write says what to write in place of a value that no request can be made of.
func (w *World) write(r *device.RequestError) string {
	if r.Key == device.AnnotationWeights {
		return "slot=1,core=1,memory=1, with whole numbers from 0 of which one at least is not 0"
	}
	q, err := resource.ParseQuantity(r.Value)
	if err != nil {
		return "one of the values that the message names"
	}
	for _, b := range w.set.Backends() {
		switch n := b.Names(); r.Key {
		case n.Memory:
			return writeMemory(b, q)
		case n.Percent:
			return "a whole number of percent from 1 to 100"
		case n.Count:
			return "a whole number of devices, for example " + whole(q, 1)
		case n.Cores:
			unit := "percent of a card"
			if n.CoreUnit != "" {
				unit = n.CoreUnit
			}
			return "a whole number from 0 (" + unit + "), for example " + whole(q, 1)
		}
	}
	return "a whole number, for example " + whole(q, 1)
}

// writeMemory says how to write memory in a vendor's unit. What is large, or has a suffix of bytes, is taken for bytes.
func writeMemory(b device.Backend, q resource.Quantity) string {
	const mib = 1 << 20
	unit := max(1, b.Names().MemoryFactor)
	in := "MiB"
	if unit > 1 {
		in = fmt.Sprintf("units of %d MiB", unit)
	}
	n, bytes := q.Value(), q.Format == resource.BinarySI
	if bytes && n >= mib {
		n = (n/mib + unit - 1) / unit
		return fmt.Sprintf("%d: the amount is a plain number of %s", n, in)
	}
	return fmt.Sprintf("a plain whole number of %s, for example %s", in, whole(q, 1000))
}

// whole is a quantity rounded up to a positive whole number, or otherwise another one.
func whole(q resource.Quantity, otherwise int64) string {
	if n := q.Value(); n > 0 && n <= device.MaxAmount {
		return fmt.Sprint(n)
	}
	return fmt.Sprint(otherwise)
}
