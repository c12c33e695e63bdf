package vastai_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/vendors"
	"github.com/accelfit/accelfit/vendors/vastai"
)

// onCards is a node of dies; each has the slots and the card that are given.
func onCards(tb testing.TB, set *vendors.Set, slots int, cards []int) *device.NodeUsage {
	tb.Helper()
	var entries []string
	for i, card := range cards {
		custom := fmt.Sprintf(`{"DeviceStrategy":"die","AIC":%d}`, card)
		entries = append(entries, fmt.Sprintf(`{"id":"d%d","index":%d,"count":%d,"health":true,"custominfo":%s}`, i, i, slots, custom))
	}
	node := &corev1.Node{}
	node.Annotations = map[string]string{vastai.AnnotationRegister: "[" + strings.Join(entries, ",") + "]"}
	info := set.Inventory(node)
	if info.Len() != len(cards) {
		tb.Fatal(info.Problems())
	}
	return device.NewNodeUsage(info)
}

func asking(tb testing.TB, set *vendors.Set, n int, policy string) *vendors.Request {
	tb.Helper()
	pod := &corev1.Pod{}
	pod.Annotations = map[string]string{device.AnnotationDevicePolicy: policy}
	c := corev1.Container{Name: "c"}
	c.Resources.Limits = corev1.ResourceList{"vastaitech.com/va": *resource.NewQuantity(int64(n), resource.DecimalSI)}
	pod.Spec.Containers = []corev1.Container{c}
	r, err := set.Request(pod)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

func given(fit vendors.Fit) []string {
	var ids []string
	if fit.OK() {
		for _, d := range fit.Allocation.Devices {
			ids = append(ids, d.ID)
		}
	}
	return ids
}

// naive is spec vastai §9 for dies of equal slots under the policy numa, which visits them by falling index: again and again
// the card with most dies left to offer, the first visited of equals.
func naive(u *device.NodeUsage, cards []int, n int) []string {
	dies := map[int][]string{}
	var order []int
	all := 0
	for i := len(cards) - 1; i >= 0; i-- {
		if u.Device(i).Slots < u.Info().Device(i).Slots {
			if dies[cards[i]] == nil {
				order = append(order, cards[i])
			}
			dies[cards[i]] = append(dies[cards[i]], fmt.Sprint("d", i))
			all++
		}
	}
	if all < n {
		return nil
	}
	var out []string
	for len(out) < n {
		best := order[0]
		for _, card := range order {
			if len(dies[card]) > len(dies[best]) {
				best = card
			}
		}
		out = append(out, dies[best]...)
		dies[best] = nil
	}
	if all == n || n == 1 { // there is nothing to choose: as visited
		slices.SortFunc(out, func(a, b string) int { return number(b) - number(a) })
	}
	return out[:n]
}

func number(id string) (n int) {
	_, _ = fmt.Sscanf(id, "d%d", &n)
	return n
}

func TestChoiceAgreesWithNaive(t *testing.T) {
	set, rnd := vendors.Default(), testkit.Rand(t)
	for range 600 {
		cards := make([]int, 1+rnd.IntN(20))
		for i := range cards {
			cards[i] = rnd.IntN(1 + len(cards)/2)
		}
		n := 2 + rnd.IntN(len(cards)+1)
		u := onCards(t, set, 1+rnd.IntN(2), cards).Update(func(devices []device.DeviceUsage) { take(rnd, devices) })
		got, want := given(set.Fit(asking(t, set, n, "numa"), u)), naive(u, cards, n)
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("cards %v, %d wanted: %v, want %v", cards, n, got, want)
		}
	}
}

func take(rnd *rand.Rand, devices []device.DeviceUsage) {
	for i := range devices {
		devices[i].Slots = rnd.Int64N(2)
	}
}

// TestManyDies: looking at the tasks of a whole card costs no more than looking at each die once.
func TestManyDies(t *testing.T) {
	set := vendors.Default()
	cards := make([]int, 20000) // all dies of one card
	cards[7] = 1
	u := onCards(t, set, 2, cards).Update(func(devices []device.DeviceUsage) { devices[0].Slots = 1 })
	fit := set.Fit(asking(t, set, 2, "mutex"), u)
	if n := fit.Reasons.Count(device.ExclusiveDeviceAllocateConflict); n != len(cards)-1 {
		t.Errorf("%v, %s", given(fit), fit.Reasons)
	}
	if n := len(given(set.Fit(asking(t, set, 15000, "binpack"), u))); n != 15000 {
		t.Errorf("%d dies", n)
	}
}
