package device

import (
	"fmt"
	"math"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Quantity looks a resource up in a container's limits and, only where the name is absent there, in its requests (spec
// core §4). An empty name finds nothing.
func Quantity(c *corev1.Container, name string) (resource.Quantity, bool) {
	if name == "" {
		return resource.Quantity{}, false
	}
	if q, ok := c.Resources.Limits[corev1.ResourceName(name)]; ok {
		return q, true
	}
	q, ok := c.Resources.Requests[corev1.ResourceName(name)]
	return q, ok
}

// WholeNumber reads a quantity that must be a whole number from 0 to most. A quantity is whole when it has an exact 64-bit
// form as written ([resource.Quantity.AsInt64]): 1k and 2Gi are, 1500m and 100.5 are not. found is false where the
// container does not name the resource; everything else is a [*RequestError].
func WholeNumber(c *corev1.Container, name string, most int64) (n int64, found bool, err error) {
	q, found := Quantity(c, name)
	if !found {
		return 0, false, nil
	}
	n, whole := q.AsInt64()
	if !whole || n < 0 || n > most {
		return 0, true, &RequestError{
			Container: c.Name, Key: name, Value: q.String(),
			Why: fmt.Sprintf("must be a whole number from 0 to %d", most),
		}
	}
	return n, true, nil
}

// MaxAmount is the largest count or amount that the wire formats can carry.
const MaxAmount = math.MaxInt32
