package hygon_test

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/hygon"
)

func ExampleNew() {
	dcus := hygon.New(hygon.Config{
		ResourceCountName: "hygon.com/dcunum", ResourceMemoryName: "hygon.com/dcumem", ResourceCoreName: "hygon.com/dcucores",
		MemoryFactor: 1024, // hygon.com/dcumem counts GiB
	})
	c := corev1.Container{Name: "main", Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{
		"hygon.com/dcunum": resource.MustParse("2"), "hygon.com/dcumem": resource.MustParse("16"),
	}}}
	ask, err := dcus.Request(&c)
	fmt.Println(ask.Nums, ask.Memory, ask.Cores, err)

	c.Resources.Limits["hygon.com/dcumem"] = resource.MustParse("16Gi")
	_, err = dcus.Request(&c)
	fmt.Println(err)
	// Output:
	// 2 16384 100 <nil>
	// invalid hygon.com/dcumem value 16Gi in container main: must be a whole number from 0 to 2097151
}

// Deviations hD7 and hD8: an expired handshake stays what it is until the node agent answers, and is written only on nodes that
// register cards.
func ExampleBackend_Health() {
	dcus := hygon.New(hygon.Config{ResourceCountName: "hygon.com/dcunum"})
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	look := func(annotations map[string]string) {
		node := &corev1.Node{}
		node.Annotations = annotations
		a := dcus.Health(device.HealthInput{Node: node, Now: now})
		fmt.Printf("healthy %t, announce %q\n", a.Healthy, a.Announce)
	}
	look(map[string]string{hygon.AnnotationRegister: ":", hygon.AnnotationHandshake: "Reported"})
	look(map[string]string{hygon.AnnotationRegister: ":", hygon.AnnotationHandshake: "Requesting_2026-01-01T11:58:00Z"})
	look(nil)
	fmt.Printf("removed when the cards are gone: %q\n", dcus.Names().CleanUp)
	// Output:
	// healthy true, announce "Requesting_2026-01-01T12:00:00Z"
	// healthy false, announce ""
	// healthy true, announce ""
	// removed when the cards are gone: ""
}
