package usage_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
	"github.com/accelfit/accelfit/vendors/nvidia"
)

// newRand returns the source of a test's random values. Its seed is 1, or what ACCELFIT_SEED says, and is printed when the
// test fails.
func newRand(t *testing.T) *rand.Rand {
	t.Helper()
	seed := uint64(1)
	if text := os.Getenv("ACCELFIT_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("ACCELFIT_SEED: %v", err)
		}
	}
	t.Logf("ACCELFIT_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// profiles are the MIG profiles of the fixture MG (spec nvidia §10).
func profiles() []device.MIGProfile {
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

// card is a healthy card in mode hami-core.
func card(id string, memory int64) device.DeviceInfo {
	return device.DeviceInfo{ID: id, Slots: 10, Memory: memory, Cores: 100, Type: "NVIDIA-NVIDIA L4", Mode: "hami-core", Healthy: true}
}

// migCard is the card of the fixture MG.
func migCard(id string) device.DeviceInfo {
	d := card(id, 40960)
	d.Slots, d.Type, d.Mode, d.MIGProfiles = 7, "NVIDIA A100-SXM4-40GB", "mig", profiles()
	return d
}

// newNode is a node that registers cards.
func newNode(name string, cards ...device.DeviceInfo) *corev1.Node {
	text, err := device.EncodeRegistration(cards)
	if err != nil {
		panic(err)
	}
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: map[string]string{nvidia.AnnotationRegister: text}}}
}

// newPod is a pod of one container for each class, with annotations as key, value pairs.
func newPod(name string, classes []device.ContainerClass, annotations ...string) *corev1.Pod {
	always := corev1.ContainerRestartPolicyAlways
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: "team", Name: name, UID: types.UID("uid-" + name), Annotations: map[string]string{},
	}}
	for i, class := range classes {
		c := corev1.Container{Name: fmt.Sprintf("c%d", i)}
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
	for i := 0; i < len(annotations); i += 2 {
		pod.Annotations[annotations[i]] = annotations[i+1]
	}
	return pod
}

// onNode is a pod of one app container that was given cards of a node.
func onNode(name, node, allocated string) *corev1.Pod {
	return newPod(name, []device.ContainerClass{device.App}, device.AnnotationNode, node, nvidia.AnnotationAllocated, allocated)
}

// asking is a pod of one app container that asks for cards.
func asking(name string, cards, memory int64) *corev1.Pod {
	pod := newPod(name, []device.ContainerClass{device.App})
	pod.Spec.Containers[0].Resources.Limits = corev1.ResourceList{
		"nvidia.com/gpu": *resource.NewQuantity(cards, ""), "nvidia.com/gpumem": *resource.NewQuantity(memory, ""),
	}
	return pod
}

// table renders a usage, a line for each device.
func table(n *device.NodeUsage) string {
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

// sameUsage compares usages, to the order of the MIG instances.
func sameUsage(a, b *device.NodeUsage) bool { return normal(a) == normal(b) }

func normal(n *device.NodeUsage) string {
	return table(n.Update(func(devices []device.DeviceUsage) {
		for i := range devices {
			m := slices.Clone(devices[i].MIG())
			slices.SortFunc(m, func(x, y device.MIGInstance) int { return strings.Compare(fmt.Sprint(x), fmt.Sprint(y)) })
			if len(m) > 0 {
				devices[i].State = m
			}
		}
	}))
}

// mustRead reads what a pod holds and fails the test on problems.
func mustRead(t testing.TB, set *vendors.Set, pod *corev1.Pod) usage.Holding {
	t.Helper()
	h, ok, problems := usage.Read(set, pod)
	if !ok || len(problems) > 0 {
		t.Fatalf("pod %s: holds something: %t, problems %v", pod.Name, ok, problems)
	}
	return h
}
