package mthreads_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/vendors"
	"github.com/accelfit/accelfit/vendors/mthreads"
)

// TestPhasesFindTheirCard: a pod whose containers ask for one card each fits exactly when each of its phases fits on some card
// by itself (deviation mD5), and the phases share a card where the later has room on the earlier's (mD12).
func TestPhasesFindTheirCard(t *testing.T) {
	r := testkit.Rand(t)
	set, err := vendors.New(mthreads.New(mthreads.DefaultConfig()))
	if err != nil {
		t.Fatal(err)
	}
	for range 3000 {
		node := randomNode(r, set)
		init, app := randomAsks(r, r.IntN(3)), randomAsks(r, 1+r.IntN(3))
		policy := testkit.OneOf(r, "spread", "binpack", "mutex")
		fit := func(init, app []corev1.Container, card string) vendors.Fit {
			pod := &corev1.Pod{Spec: corev1.PodSpec{InitContainers: init, Containers: app}}
			pod.Annotations = map[string]string{device.AnnotationDevicePolicy: policy, mthreads.AnnotationUseUUID: card}
			req, err := set.Request(pod)
			if err != nil {
				t.Fatal(err)
			}
			return set.Fit(req, node)
		}
		someCard := func(init, app []corev1.Container) bool {
			for i := range node.Info().Len() {
				if fit(init, app, node.Info().Device(i).ID).OK() {
					return true
				}
			}
			return false
		}
		got := fit(init, app, "")
		want := (len(init) == 0 || someCard(init, nil)) && someCard(nil, app)
		about := fmt.Sprintf("init %v, app %v, policy %s on\n%s", asked(init), asked(app), policy, testkit.Table(node))
		if got.OK() != want {
			t.Fatalf("fits %t (%s), want %t: %s", got.OK(), got.Reasons, want, about)
		}
		if got.OK() && len(init) > 0 {
			first, last := got.Allocation.Devices[0].ID, got.Allocation.Devices[len(init)].ID
			if first != last && fit(nil, app, first).OK() {
				t.Fatalf("on %s and %s: %s", first, last, about)
			}
		}
	}
}

func randomNode(r *rand.Rand, set *vendors.Set) *device.NodeUsage {
	n := 1 + r.Int64N(4)
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}
	device.Offer(node, "mthreads.com/sgpu-core", 16*n-r.Int64N(16)*r.Int64N(2))
	device.Offer(node, "mthreads.com/sgpu-memory", testkit.OneOf[int64](r, 64, 96)*n)
	usage := device.NewNodeUsage(set.Inventory(node))
	return usage.Update(func(devices []device.DeviceUsage) {
		for i := range devices {
			info := usage.Info().Device(i)
			if r.IntN(3) > 0 {
				devices[i].Take(device.Hold{
					Slots: testkit.OneOf[int64](r, 1, 98, 99), Memory: r.Int64N(info.Memory), Cores: r.Int64N(info.Cores + 1),
				})
			}
		}
	})
}

func randomAsks(r *rand.Rand, n int) []corev1.Container {
	var out []corev1.Container
	for range n {
		amounts := map[string]string{"vgpu": "1", "sgpu-core": testkit.OneOf(r, "0", "1", "4", "8", "16")}
		if r.IntN(6) > 0 {
			amounts["sgpu-memory"] = testkit.OneOf(r, "1", "8", "16", "32", "96")
		}
		out = append(out, corev1.Container{Resources: limits(amounts)})
	}
	return out
}

func asked(containers []corev1.Container) string {
	var out []string
	for _, c := range containers {
		amount := func(name corev1.ResourceName) string {
			q, ok := c.Resources.Limits["mthreads.com/"+name]
			if !ok {
				q = resource.MustParse("-1")
			}
			return q.String()
		}
		out = append(out, amount("sgpu-memory")+"/"+amount("sgpu-core"))
	}
	return strings.Join(out, ", ")
}
