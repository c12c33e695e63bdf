package scenario

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/accelfit/accelfit/device"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// handshakes are the annotations at noon, by what has become of the request.
var handshakes = map[string]string{
	"pending":  "Requesting_" + noon.Add(-10*time.Second).Format(time.RFC3339),
	"expired":  "Requesting_" + noon.Add(-70*time.Second).Format(time.RFC3339),
	"answered": "Reported",
}

// health looks at a vendor's devices on one node again and again, a look per line, and answers whether they are to be trusted
// and whether the inventory is to be read anew.
func (w *World) health(c *command) (string, error) {
	b, err := w.backend(c)
	if err != nil {
		return "", err
	}
	var out []string
	for line := range strings.Lines(c.input) {
		node, err := lookAt(b.Names(), line)
		if err != nil {
			return "", err
		}
		answer := b.Health(device.HealthInput{Node: node, Now: noon, Known: w.known[b.Vendor()]})
		w.known[b.Vendor()] = answer.Remember
		out = append(out, fmt.Sprintf("%t, %t", answer.Healthy, answer.Renew))
	}
	return strings.Join(out, "\n"), nil
}

func lookAt(names device.Names, line string) (*corev1.Node, error) {
	node := &corev1.Node{}
	if names.Register != "" {
		device.Annotate(node, names.Register, "[]")
	}
	for word := range strings.FieldsSeq(line) {
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "offered":
			q, err := resource.ParseQuantity(value)
			if err != nil {
				return nil, err
			}
			list := corev1.ResourceList{corev1.ResourceName(names.Count): q}
			node.Status.Allocatable, node.Status.Capacity = list, list
		case "handshake":
			text, ok := handshakes[value]
			if !ok {
				text = value
			}
			device.Annotate(node, names.Handshake, text)
		case "registration":
			device.Annotate(node, names.Register, value)
		case "unregistered":
			delete(node.Annotations, names.Register)
		default:
			return nil, fmt.Errorf("word %q", word)
		}
	}
	return node, nil
}
