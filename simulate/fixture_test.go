package simulate_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/vendors"
	"github.com/accelfit/accelfit/vendors/nvidia"
)

// seed is the seed of a test's random values: 1, or what ACCELFIT_SEED says. It is printed when the test fails.
func seed(t *testing.T) uint64 {
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

func oneOf[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

// card is a healthy card in mode hami-core.
func card(id string, memory int64) device.DeviceInfo {
	return device.DeviceInfo{ID: id, Slots: 10, Memory: memory, Cores: 100, Type: "NVIDIA-NVIDIA L4", Mode: "hami-core", Healthy: true}
}

// migCard is the card of the fixture MG (spec nvidia §10).
func migCard(id string) device.DeviceInfo {
	at := func(size uint32, starts ...uint32) (out []device.Placement) {
		for _, s := range starts {
			out = append(out, device.Placement{Start: s, Size: size})
		}
		return out
	}
	d := card(id, 40960)
	d.Slots, d.Type, d.Mode = 7, "NVIDIA A100-SXM4-40GB", "mig"
	d.MIGProfiles = []device.MIGProfile{
		{Name: "1g.5gb", Memory: 4864, Cores: 15, Slices: 1, Placements: at(1, 0, 1, 2, 3, 4, 5, 6)},
		{Name: "2g.10gb", Memory: 9856, Cores: 29, Slices: 2, Placements: at(2, 0, 2, 4)},
		{Name: "3g.20gb", Memory: 19968, Cores: 43, Slices: 3, Placements: at(4, 0, 4)},
		{Name: "7g.40gb", Memory: 40192, Cores: 100, Slices: 7, Placements: at(8, 0)},
	}
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

// cards are n equal cards g0, g1 …
func cards(n int, memory int64) (out []device.DeviceInfo) {
	for i := range n {
		c := card(fmt.Sprintf("g%d", i), memory)
		c.Index = i
		out = append(out, c)
	}
	return out
}

// podOf reads a pod written as one line: a name, then words key=value; "|" begins a further container. The words gpu, mem,
// percent and cores are what the container asks for, init and sidecar its class; ns is the pod's namespace, and words whose
// key has a slash are its annotations. For example "p ns=a gpu=1 mem=100 | sidecar gpu=1 hami.io/vgpu-node=n1".
func podOf(line string) *corev1.Pod {
	name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name, Annotations: map[string]string{}}}
	for i, text := range strings.Split(rest, "|") {
		c := corev1.Container{Name: fmt.Sprintf("c%d", i)}
		c.Resources.Limits = corev1.ResourceList{}
		class := device.App
		for word := range strings.FieldsSeq(text) {
			key, value, _ := strings.Cut(word, "=")
			switch key {
			case "gpu":
				c.Resources.Limits["nvidia.com/gpu"] = resource.MustParse(value)
			case "mem":
				c.Resources.Limits["nvidia.com/gpumem"] = resource.MustParse(value)
			case "percent":
				c.Resources.Limits["nvidia.com/gpumem-percentage"] = resource.MustParse(value)
			case "cores":
				c.Resources.Limits["nvidia.com/gpucores"] = resource.MustParse(value)
			case "init":
				class = device.Init
			case "sidecar":
				class = device.Sidecar
			case "ns":
				pod.Namespace = value
			case "uid":
				pod.UID = types.UID(value)
			default:
				if !strings.Contains(key, "/") {
					panic("podOf: " + word)
				}
				pod.Annotations[key] = value
			}
		}
		addContainer(pod, c, class)
	}
	return pod
}

func addContainer(pod *corev1.Pod, c corev1.Container, class device.ContainerClass) {
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

// podsOf are n pods as podOf reads them, named a0, a1 …
func podsOf(n int, rest string) (out []*corev1.Pod) {
	for i := range n {
		out = append(out, podOf(fmt.Sprintf("a%d %s", i, rest)))
	}
	return out
}

func quotaOf(namespace, name string, limits map[string]string) *corev1.ResourceQuota {
	q := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	q.Spec.Hard = corev1.ResourceList{}
	for key, value := range limits {
		q.Spec.Hard[corev1.ResourceName(key)] = resource.MustParse(value)
	}
	return q
}

// newSnapshot fails the test if something cannot be read.
func newSnapshot(t testing.TB, set *vendors.Set, nodes []*corev1.Node, pods ...*corev1.Pod) *simulate.Snapshot {
	t.Helper()
	s, problems := simulate.New(set, nodes, pods)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return s
}

// table renders a usage, a line for each device.
func table(n *device.NodeUsage) string {
	var b strings.Builder
	for i := range n.Info().Len() {
		u := n.Device(i)
		fmt.Fprintf(&b, "  %s: slots %d, memory %d, cores %d", n.Info().Device(i).ID, u.Slots, u.Memory, u.Cores)
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

// devicesOf lists the ids of an allocation in the order they were granted, without the name of their node.
func devicesOf(a *device.Allocation, node string) string {
	var out []string
	for _, d := range a.Devices {
		id := d.ID
		if own, ok := strings.CutPrefix(id, node+"/"); ok {
			id = "./" + own
		}
		if !d.MIG.IsZero() {
			id += fmt.Sprintf("(%s@%d)", d.MIG.Profile, d.MIG.Placement.Start)
		}
		out = append(out, id)
	}
	return strings.Join(out, " ")
}
