package scenario

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/nvidia"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// handshakes are the annotations at noon, by what has become of the request.
var handshakes = map[string]string{
	"pending":  "Requesting_" + noon.Add(-10*time.Second).Format(time.RFC3339),
	"expired":  "Requesting_" + noon.Add(-70*time.Second).Format(time.RFC3339),
	"answered": "Reported",
}

// health looks at the NVIDIA cards of one node again and again, a look per line, and answers whether they are to be trusted
// and whether the inventory is to be read anew.
func (w *World) health(c *command) (string, error) {
	var out []string
	for line := range strings.Lines(c.input) {
		node, err := lookAt(line)
		if err != nil {
			return "", err
		}
		answer := w.set.Backend(nvidia.Vendor).Health(device.HealthInput{Node: node, Now: noon, Known: w.known})
		w.known = answer.Remember
		out = append(out, fmt.Sprintf("%t, %t", answer.Healthy, answer.Renew))
	}
	return strings.Join(out, "\n"), nil
}

func lookAt(line string) (*corev1.Node, error) {
	node := &corev1.Node{}
	node.Annotations = map[string]string{nvidia.AnnotationRegister: "[]"}
	for word := range strings.FieldsSeq(line) {
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "offered":
			n, err := strconv.ParseInt(value, 10, 64)
			if err != nil {
				return nil, err
			}
			node.Status.Allocatable = corev1.ResourceList{"nvidia.com/gpu": *resource.NewQuantity(n, resource.DecimalSI)}
		case "handshake":
			text, ok := handshakes[value]
			if !ok {
				return nil, fmt.Errorf("handshake %q", value)
			}
			node.Annotations[nvidia.AnnotationHandshake] = text
		case "registration":
			node.Annotations[nvidia.AnnotationRegister] = value
		default:
			return nil, fmt.Errorf("word %q", word)
		}
	}
	return node, nil
}
