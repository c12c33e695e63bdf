package amd_test

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
	"github.com/accelfit/accelfit/vendors/amd"
)

func ExampleBackend_Request() {
	b := amd.New(amd.Config{
		ResourceCountName: "amd.com/gpu", ResourceMemoryName: "amd.com/gpumem", ResourceCoreName: "amd.com/gpucores",
	})
	c := &corev1.Container{Name: "c"}
	c.Resources.Limits = corev1.ResourceList{"amd.com/gpu": resource.MustParse("2"), "amd.com/gpucores": resource.MustParse("25")}
	ask, err := b.Request(c)
	fmt.Println(ask.Nums, ask.Cores, err)

	delete(c.Resources.Limits, "amd.com/gpu")
	_, err = b.Request(c)
	fmt.Println(err)
	// Output:
	// 2 25 <nil>
	// invalid amd.com/gpucores value 25 in container c: needs amd.com/gpu beside it
}

// Quotas count percent of a card, not compute units.
func ExampleBackend_Charge() {
	mi300x := device.DeviceInfo{Memory: 196608, Cores: 304}
	fmt.Println(amd.New(amd.Config{}).Charge(&mi300x, 16384, 76))
	fmt.Println(amd.New(amd.Config{}).Charge(nil, 16384, 76))
	// Output:
	// 16384 25
	// 16384 100
}

// TestLifeCycle is spec amd §16.4, deviation aD6.
func TestLifeCycle(t *testing.T) {
	set := vendors.Default()
	const registration = `[{"id":"g0","count":4,"devmem":196608,"devcore":304,"type":"AMD Instinct MI300X VF","health":true}]`
	node := func(registration, capacity string) *corev1.Node {
		n := &corev1.Node{}
		n.Name = "n1"
		if registration != "" {
			device.Annotate(n, amd.AnnotationRegister, registration)
		}
		if capacity != "" {
			n.Status.Capacity = corev1.ResourceList{"amd.com/gpu": resource.MustParse(capacity)}
		}
		return n
	}
	for _, c := range []struct {
		before, now *corev1.Node
		cards       int
		cleanUp     bool
	}{
		{nil, node(registration, "2"), 1, false},
		{nil, node(registration, ""), 0, false},
		{node(registration, "2"), node("", "2"), 0, false},
		{node(registration, "2"), node("[]", "2"), 0, false},
		{node(registration, "2"), node(registration, ""), 0, true},
		{node(registration, "2"), node(registration, "0"), 0, true},
		{node(registration, "2"), node(registration, "500m"), 0, true},
	} {
		var r usage.Registry
		if c.before != nil {
			r, _, _ = r.Observe(set, c.before, time.Time{})
		}
		r, announce, _ := r.Observe(set, c.now, time.Time{})
		info, _ := r.Node("n1")
		value, found := announce[amd.AnnotationRegister]
		if info.Len() != c.cards || (found && value == "") != c.cleanUp {
			t.Errorf("%v: %d cards, announced %v; want %d, clean-up %t", c.now, info.Len(), announce, c.cards, c.cleanUp)
		}
	}
}
