// Package testkit is what tests of several packages build on: seeds, cards, nodes, and usage as text.
package testkit

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accelfit/accelfit/device"
)

// Seed is the seed of a test's random values: 1, or what ACCELFIT_SEED says. It is printed when the test fails.
func Seed(t *testing.T) uint64 {
	t.Helper()
	seed := uint64(1)
	if text := os.Getenv("ACCELFIT_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("ACCELFIT_SEED: %v", err)
		}
	}
	t.Logf("ACCELFIT_SEED=%d", seed)
	return seed
}

// Rand is the source of a test's random values, from its Seed.
func Rand(t *testing.T) *rand.Rand {
	t.Helper()
	return rand.New(rand.NewPCG(Seed(t), 0))
}

// OneOf picks one of some values.
func OneOf[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

// Card is a healthy NVIDIA card in mode hami-core.
func Card(id string, memory int64) device.DeviceInfo {
	return device.DeviceInfo{ID: id, Slots: 10, Memory: memory, Cores: 100, Type: "NVIDIA-NVIDIA L4", Mode: "hami-core", Healthy: true}
}

// MIGCard is the card of the fixture MG (spec nvidia §10).
func MIGCard(id string) device.DeviceInfo {
	d := Card(id, 40960)
	d.Slots, d.Type, d.Mode, d.MIGProfiles = 7, "NVIDIA A100-SXM4-40GB", device.ModeMIG, MIGProfiles()
	return d
}

// MIGProfiles are the profiles of the fixture MG.
func MIGProfiles() []device.MIGProfile {
	at := func(size uint32, starts ...uint32) (out []device.Placement) {
		for _, s := range starts {
			out = append(out, device.Placement{Start: s, Size: size})
		}
		return out
	}
	return []device.MIGProfile{
		{Name: "1g.5gb", Memory: 4864, Cores: 15, Slices: 1, Placements: at(1, 0, 1, 2, 3, 4, 5, 6)},
		{Name: "2g.10gb", Memory: 9856, Cores: 29, Slices: 2, Placements: at(2, 0, 2, 4)},
		{Name: "3g.20gb", Memory: 19968, Cores: 43, Slices: 3, Placements: at(4, 0, 4)},
		{Name: "7g.40gb", Memory: 40192, Cores: 100, Slices: 7, Placements: at(8, 0)},
	}
}

// Node is a node that registers NVIDIA cards.
func Node(name string, cards ...device.DeviceInfo) *corev1.Node {
	text, err := device.EncodeRegistration(cards)
	if err != nil {
		panic(err)
	}
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{
		Name: name, Annotations: map[string]string{"hami.io/node-nvidia-register": text},
	}}
}

// AddContainer adds a container of a class to a pod.
func AddContainer(pod *corev1.Pod, c corev1.Container, class device.ContainerClass) {
	always := corev1.ContainerRestartPolicyAlways
	switch class {
	case device.App:
		pod.Spec.Containers = append(pod.Spec.Containers, c)
	case device.Sidecar:
		c.RestartPolicy = &always
		fallthrough
	default:
		pod.Spec.InitContainers = append(pod.Spec.InitContainers, c)
	}
}

// Table renders a usage, a line for each device.
func Table(n *device.NodeUsage) string {
	var b strings.Builder
	for i := range n.Info().Len() {
		u := n.Device(i)
		fmt.Fprintf(&b, "%s: slots %d, memory %d, cores %d", n.Info().Device(i).ID, u.Slots, u.Memory, u.Cores)
		if len(u.MIG()) > 0 {
			b.WriteString(", in use")
			for _, m := range u.MIG() {
				fmt.Fprintf(&b, " %s@%d", m.Profile, m.Placement.Start)
			}
		}
		if !u.Healthy {
			b.WriteString(", unhealthy")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// SameUsage compares usages, to the order of the MIG instances.
func SameUsage(a, b *device.NodeUsage) bool { return normal(a) == normal(b) }

func normal(n *device.NodeUsage) string {
	return Table(n.Update(func(devices []device.DeviceUsage) {
		for i := range devices {
			m := slices.Clone(devices[i].MIG())
			slices.SortFunc(m, func(x, y device.MIGInstance) int { return strings.Compare(fmt.Sprint(x), fmt.Sprint(y)) })
			if len(m) > 0 {
				devices[i].State = m
			}
		}
	}))
}
