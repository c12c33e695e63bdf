package testkit

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

// HostileQuantity reads a quantity, unless its exponent is one that the parser of Kubernetes takes for ever over.
func HostileQuantity(text string) (resource.Quantity, bool) {
	if at := strings.IndexAny(text, "eE"); at >= 0 && len(text)-at > 6 {
		return resource.Quantity{}, false
	}
	q, err := resource.ParseQuantity(text)
	return q, err == nil
}
