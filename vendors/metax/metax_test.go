package metax_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
	"github.com/accelfit/accelfit/vendors/metax"
)

// TestHealth: devices are there as long as the node tells of some (G14, S46). What it tells is always to be read anew.
func TestHealth(t *testing.T) {
	gpus, shared := device.Backend(metax.NewGPU(chart())), device.Backend(metax.NewSGPU(chart()))
	for _, c := range []struct {
		model    device.Backend
		capacity string
		register string // -: none
		want     bool
	}{
		{gpus, "", "-", false},
		{gpus, "0", "-", false},
		{gpus, "-1", "-", false},
		{gpus, "1500m", "-", false},
		{gpus, "2", "-", true},
		{shared, "2", "-", false},
		{shared, "", `[]`, false},
		{shared, "", `null`, false},
		{shared, "", `{"uuid":"x"}`, false},
		{shared, "", `[null]`, false},
		{shared, "", `[{"uuid":"x","totalVRam":2147483648}]`, false},
		{shared, "", `[null,{"uuid":"x"}]`, true},
	} {
		node := &corev1.Node{}
		if c.capacity != "" {
			node.Status.Capacity = corev1.ResourceList{"metax-tech.com/gpu": resource.MustParse(c.capacity)}
		}
		if c.register != "-" {
			device.Annotate(node, metax.AnnotationRegister, c.register)
		}
		if got := c.model.Health(device.HealthInput{Node: node, Now: time.Unix(1, 0)}); got != (device.HealthAnswer{Healthy: c.want, Renew: true}) {
			t.Errorf("%s capacity %q registration %s: %+v", c.model.Vendor(), c.capacity, c.register, got)
		}
	}
}

// TestUnreadableIsTold: a registration that cannot be read takes the cards away, and a live scheduler is told why.
func TestUnreadableIsTold(t *testing.T) {
	set := vendors.Default()
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}}
	device.Annotate(node, metax.AnnotationRegister, `[{"uuid":"a","healthy":true}]`)
	r, _, problems := usage.Registry{}.Observe(set, node, time.Unix(1, 0))
	if info, _ := r.Node("n1"); info.Len() != 1 || len(problems) != 0 {
		t.Fatalf("%d cards, %v", info.Len(), problems)
	}
	device.Annotate(node, metax.AnnotationRegister, `[{"uuid":"a","healthy":1}]`)
	for range 2 {
		r, _, problems = r.Observe(set, node, time.Unix(2, 0))
		info, _ := r.Node("n1")
		if info.Len() != 0 || !info.Malformed(metax.VendorSGPU) || !strings.Contains(fmt.Sprint(problems), "device 0: healthy: number is not true or false") {
			t.Errorf("%d cards, %v", info.Len(), problems)
		}
	}
}

// TestInexpressible: what a node cannot tell of devices is an error that names the device and the field.
func TestInexpressible(t *testing.T) {
	gpus, shared := device.Backend(metax.NewGPU(chart())), device.Backend(metax.NewSGPU(chart()))
	for _, c := range []struct {
		model  device.Backend
		change func(*device.DeviceInfo)
		field  string
	}{
		{gpus, func(d *device.DeviceInfo) { d.ID = "x" }, "id"},
		{gpus, func(d *device.DeviceInfo) { d.Memory = 1 }, "memory"},
		{gpus, func(d *device.DeviceInfo) { d.Healthy = false }, "health"},
		{shared, func(d *device.DeviceInfo) { d.Index = 7 }, "index"},
		{shared, func(d *device.DeviceInfo) { d.Slots = 1 << 32 }, "slots"},
		{shared, func(d *device.DeviceInfo) { d.Type = "MXC500" }, "type"},
		{shared, func(d *device.DeviceInfo) { d.Cordoned = true }, "cordon"},
		{shared, func(d *device.DeviceInfo) { d.ID = "" }, "id"},
	} {
		m := metax.Models()[0]
		if c.model == shared {
			m = metax.Models()[1]
		}
		devices := []device.DeviceInfo{m.Device("n1-metax-0", 0), m.Device("n1-metax-1", 1)}
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}}
		if err := c.model.Describe(node, devices); err != nil {
			t.Fatal(err)
		}
		c.change(&devices[1])
		if err := c.model.Describe(node, devices); err == nil || !strings.Contains(err.Error(), c.field) {
			t.Errorf("%s: %s: %v", c.model.Vendor(), c.field, err)
		}
	}
}

// TestRefusalsAreTyped: what admission says in the reference's words names the annotation all the same.
func TestRefusalsAreTyped(t *testing.T) {
	shared := metax.NewSGPU(chart())
	for key, value := range map[string]string{metax.AnnotationQoS: "x", metax.AnnotationAppClass: "x"} {
		c := asking("metax-tech.com/sgpu", "1")
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{key: value}}}
		_, err := shared.Admit(pod, &c)
		var r *device.RequestError
		if !errors.As(err, &r) || r.Key != key || r.Value != value {
			t.Errorf("%s: %v", key, err)
		}
	}
}

func asking(amounts ...string) corev1.Container {
	limits := corev1.ResourceList{}
	for i := 0; i < len(amounts); i += 2 {
		limits[corev1.ResourceName(amounts[i])] = resource.MustParse(amounts[i+1])
	}
	return corev1.Container{Name: "c", Resources: corev1.ResourceRequirements{Limits: limits}}
}

// TestLinksAgreeWithNaive compares the choice of whole cards, and what it scores, with the words of spec metax §II.9 and §II.10
// followed literally.
func TestLinksAgreeWithNaive(t *testing.T) {
	set := vendors.Default()
	for seed := range uint64(3000) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		n := naiveNode(rnd)
		want := 1 + rnd.IntN(len(n.zones))
		pod := &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{asking("metax-tech.com/sgpu", fmt.Sprint(want))}}}
		pod.Annotations = map[string]string{metax.AnnotationTopologyAware: "true"}
		r, err := set.Request(pod)
		if err != nil {
			t.Fatal(err)
		}
		node, _ := usage.Node(set, n.object(), n.pods())
		fit := set.Fit(r, node)
		picked := n.pick(want)
		if fit.OK() != (picked != nil) {
			t.Fatalf("seed %d: %d of %+v: fits %t, naively %v", seed, want, n, fit.OK(), picked)
		}
		if !fit.OK() {
			continue
		}
		var got []int
		for _, d := range fit.Allocation.Devices {
			got = append(got, d.Index)
		}
		if !slices.Equal(got, picked) {
			t.Fatalf("seed %d: %d of %+v: %v, naively %v", seed, want, n, got, picked)
		}
		base := set.Score(r, node, vendors.Fit{})
		if got, naively := set.Score(r, node, fit), base+float32(10000*n.score(picked)); got != naively {
			t.Fatalf("seed %d: %d of %+v: score %v, naively %v", seed, want, n, got, naively)
		}
	}
}

// naive is a node of cards that are idle or wholly in use, by link zone.
type naive struct {
	zones []int
	busy  []bool
}

func naiveNode(rnd *rand.Rand) naive {
	var n naive
	for range 1 + rnd.IntN(16) {
		n.zones = append(n.zones, rnd.IntN(5)-1)
		n.busy = append(n.busy, rnd.IntN(4) == 0)
	}
	return n
}

func (n *naive) object() *corev1.Node {
	var cards []string
	for i, zone := range n.zones {
		cards = append(cards, fmt.Sprintf(
			`{"uuid":"g%d","totalDevCount":16,"totalCompute":100,"totalVRam":65536,"healthy":true,"linkZone":%d}`, i, zone))
	}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}}
	device.Annotate(node, metax.AnnotationRegister, "["+strings.Join(cards, ",")+"]")
	return node
}

func (n *naive) pods() (out []*corev1.Pod) {
	for i, busy := range n.busy {
		if busy {
			out = append(out, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("p", i), Annotations: map[string]string{
				device.AnnotationNode: "n1", metax.AnnotationSGPUAllocated: fmt.Sprintf("g%d,Metax-SGPU,65536,100:;", i),
			}}})
		}
	}
	return out
}

// pick is the link choice among the idle cards, which are visited from the last to the first.
func (n *naive) pick(want int) []int {
	var idle []int
	for i := len(n.zones) - 1; i >= 0; i-- {
		if !n.busy[i] {
			idle = append(idle, i)
		}
	}
	if len(idle) <= want {
		if len(idle) < want {
			return nil
		}
		return idle
	}
	var groups [][]int // in the order of their first members
	var rest []int
	for _, i := range idle {
		g := slices.IndexFunc(groups, func(g []int) bool { return n.zones[g[0]] == n.zones[i] })
		switch {
		case n.zones[i] <= 0:
			rest = append(rest, i)
		case g < 0:
			groups = append(groups, []int{i})
		default:
			groups[g] = append(groups[g], i)
		}
	}
	slices.SortStableFunc(groups, func(a, b []int) int { return len(a) - len(b) })
	for _, g := range groups {
		if len(g) >= want {
			return g[:want]
		}
	}
	return slices.Concat(slices.Concat(groups...), rest)[:want]
}

func (n *naive) score(picked []int) int {
	value := func(among func(i int) bool) (sum int) {
		for i := range n.zones {
			for j := range i {
				if n.zones[i] > 0 && n.zones[i] == n.zones[j] && among(i) && among(j) {
					sum += 10
				}
			}
		}
		return sum
	}
	all := value(func(i int) bool { return !n.busy[i] })
	chosen := value(func(i int) bool { return slices.Contains(picked, i) })
	left := value(func(i int) bool { return !n.busy[i] && !slices.Contains(picked, i) })
	return 10*chosen - (all - chosen - left)
}
