package usage_test

import (
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
	"github.com/accelfit/accelfit/vendors/nvidia"
)

var noon = time.Date(2024, 1, 10, 12, 0, 0, 0, time.UTC)

// offering sets what kubelet offers of the node, and the handshake asked for so long ago; negative: no handshake.
func offering(node *corev1.Node, allocatable int64, ago time.Duration) *corev1.Node {
	node = node.DeepCopy()
	node.Status.Allocatable = corev1.ResourceList{"nvidia.com/gpu": *resource.NewQuantity(allocatable, "")}
	if ago >= 0 {
		node.Annotations[nvidia.AnnotationHandshake] = "Requesting_" + noon.Add(-ago).Format(time.RFC3339)
	}
	return node
}

func devices(r usage.Registry, node string) int {
	info, ok := r.Node(node)
	if !ok {
		return 0
	}
	return info.Len()
}

// TestRegistryHealth is the rows of spec nvidia V14: what the registry holds after each, with the table of core §3.
func TestRegistryHealth(t *testing.T) {
	const fresh, expired = 10 * time.Second, 70 * time.Second
	set := vendors.Default()
	one, two := testkit.Node("n1", testkit.Card("g0", 100)), testkit.Node("n1", testkit.Card("g0", 100), testkit.Card("g1", 100))
	var r usage.Registry
	for i, step := range []struct {
		why         string
		node        *corev1.Node
		allocatable int64
		asked       time.Duration
		want        int // devices afterwards
	}{
		{"allocatable 0, never seen: healthy, but no new inventory", one, 0, fresh, 0},
		{"10", one, 10, fresh, 1},
		{"10 again", one, 10, fresh, 1},
		{"the registration changes", two, 10, fresh, 2},
		{"20", two, 20, fresh, 2},
		{"0: the cards are gone", two, 0, fresh, 0},
		{"0 again: trusted, but nothing is asked for anew", two, 0, fresh, 0},
		{"0, handshake expired", two, 0, expired, 0},
		{"20, expired", two, 20, expired, 2},
		{"20 again, expired: still offered", two, 20, expired, 2},
		{"0, expired", two, 0, expired, 0},
	} {
		r, _, _ = r.Observe(set, offering(step.node, step.allocatable, step.asked), noon)
		if got := devices(r, "n1"); got != step.want {
			t.Errorf("step %d, %s: %d devices, want %d", i, step.why, got, step.want)
		}
	}
}

// TestRegistryTable is the table of spec core §3 for a vendor that is cached, and for one that is not.
func TestRegistryTable(t *testing.T) {
	set := vendors.Default()
	some, none, cordoned := testkit.Node("n1", testkit.Card("g0", 100)), testkit.Node("n1"), testkit.Node("n1", testkit.Card("g0", 100))
	cordoned.Annotations[device.AnnotationCordon] = "g0"
	absent, garbled := testkit.Node("n1"), testkit.Node("n1")
	delete(absent.Annotations, nvidia.AnnotationRegister)
	garbled.Annotations[nvidia.AnnotationRegister] = "{"
	for _, c := range []struct {
		why              string
		node             *corev1.Node // allocatable as given, handshake asked for 10 s ago
		allocatable      int64
		cached, uncached int // devices afterwards
		problem          bool
	}{
		{"unhealthy: dropped", some, 0, 0, 0, false},
		{"error: what is cached stays", garbled, 1, 1, 0, true},
		{"no description: what is cached stays", absent, 1, 1, 0, false},
		{"empty: dropped (D24)", none, 1, 0, 0, false},
		{"some: replaced", cordoned, 1, 1, 1, false},
	} {
		before, _, _ := usage.Registry{}.Observe(set, offering(some, 1, 10*time.Second), noon)
		for start, want := range map[*usage.Registry]int{&before: c.cached, {}: c.uncached} {
			after, _, problems := start.Observe(set, offering(c.node, c.allocatable, 10*time.Second), noon)
			if got := devices(after, "n1"); got != want || (len(problems) > 0) != c.problem {
				t.Errorf("%s (cached: %t): %d devices, want %d; problems %v", c.why, start == &before, got, want, problems)
			}
		}
		if devices(before, "n1") != 1 {
			t.Errorf("%s: the registry before has changed", c.why)
		}
	}
}

// TestRegistrySeesCordonsAtOnce is deviation D29: no new inventory is asked for, and the cordon counts all the same.
func TestRegistrySeesCordonsAtOnce(t *testing.T) {
	set := vendors.Default()
	node := offering(testkit.Node("n1", testkit.Card("g0", 100)), 1, 10*time.Second)
	r, _, _ := usage.Registry{}.Observe(set, node, noon)
	node = node.DeepCopy()
	node.Annotations[device.AnnotationCordon] = "g0"
	r, _, _ = r.Observe(set, node, noon)
	if info, ok := r.Node("n1"); !ok || !info.Device(0).Cordoned {
		t.Error("the card is not cordoned")
	}
}

func TestRegistryAnnounces(t *testing.T) {
	set := vendors.Default()
	node := testkit.Node("n1", testkit.Card("g0", 100))
	const want = "Requesting_2024-01-10T12:00:00Z"
	r, announce, _ := usage.Registry{}.Observe(set, offering(node, 1, -1), noon)
	if got := announce[nvidia.AnnotationHandshake]; got != want || len(announce) != 1 {
		t.Errorf("a node without handshake: %v, want %s", announce, want)
	}
	r, announce, _ = r.Observe(set, offering(node, 1, 10*time.Second), noon)
	if len(announce) != 0 {
		t.Errorf("a pending handshake: %v, want nothing", announce)
	}
	r, announce, _ = r.Observe(set, offering(node, 0, 10*time.Second), noon)
	if text, removed := announce[nvidia.AnnotationHandshake]; !removed || text != "" {
		t.Errorf("cards that are gone: %v, want the handshake removed", announce)
	}
	if _, announce, _ = r.Observe(set, offering(node, 0, 10*time.Second), noon); len(announce) != 0 {
		t.Errorf("cards that were gone before: %v, want nothing", announce)
	}
}

func TestRegistryProblems(t *testing.T) {
	set := vendors.Default()
	node := testkit.Node("n1", testkit.Card("g0", 100))
	node.Annotations[nvidia.AnnotationRegister] = `[{"id":"g0","devmem":"x"}]`
	r, _, problems := usage.Registry{}.Observe(set, offering(node, 1, 0), noon)
	var decode *device.DecodeError
	if len(problems) != 1 || !errors.As(problems[0], &decode) || decode.Key != nvidia.AnnotationRegister || problems[0].Object != "node n1" {
		t.Errorf("problems %v, want one that names node and key", problems)
	}
	if info, ok := r.Node("n1"); !ok || !info.Malformed(nvidia.Vendor) {
		t.Error("it is not known that the description cannot be read")
	}
	if _, ok := r.Forget("n1").Forget("n2").Node("n1"); ok {
		t.Error("a forgotten node is known")
	}
}

// TestRegistryForgets: a node that comes back after it was deleted is asked about as one never seen.
func TestRegistryForgets(t *testing.T) {
	set := vendors.Default()
	node := offering(testkit.Node("n1", testkit.Card("g0", 100)), 1, 10*time.Second)
	r, _, _ := usage.Registry{}.Observe(set, node, noon)
	gone := r.Forget("n1")
	if devices(gone, "n1") != 0 || devices(r, "n1") != 1 {
		t.Errorf("%d devices after, %d before, want 0 and 1", devices(gone, "n1"), devices(r, "n1"))
	}
	if back, _, _ := gone.Observe(set, node, noon); devices(back, "n1") != 1 {
		t.Error("the node did not come back")
	}
}

// TestRegistryReaders reads old values of a registry while new ones are made, and observes from one value in several
// goroutines.
func TestRegistryReaders(t *testing.T) {
	set := vendors.Default()
	var start usage.Registry
	for i := range 50 {
		start, _, _ = start.Observe(set, offering(testkit.Node("n"+strconv.Itoa(i), testkit.Card("g0", 100)), 1, 0), noon)
	}
	var all sync.WaitGroup
	for w := range 4 {
		all.Go(func() {
			r := start
			for i := range 50 {
				name := "n" + strconv.Itoa(i)
				cards := []device.DeviceInfo{testkit.Card("g0", 100)}
				for k := range w {
					cards = append(cards, testkit.Card(fmt.Sprintf("x%d", k), 100))
				}
				r, _, _ = r.Observe(set, offering(testkit.Node(name, cards...), 1, 0), noon)
				if devices(r, name) != w+1 || devices(start, name) != 1 {
					t.Errorf("%s: %d and %d devices, want %d and 1", name, devices(r, name), devices(start, name), w+1)
				}
			}
		})
	}
	all.Wait()
}
