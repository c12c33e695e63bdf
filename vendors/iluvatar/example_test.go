package iluvatar_test

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/iluvatar"
)

func ExampleBackends() {
	chips, err := iluvatar.Backends([]iluvatar.Config{
		{CommonWord: "BI-V150", ResourceCountName: "iluvatar.ai/BI-V150-vgpu"},
		{CommonWord: "MR-V100", ResourceCountName: "iluvatar.ai/MR-V100-vgpu"},
	})
	for _, b := range chips {
		fmt.Println(b.Vendor(), b.Names().Register)
	}
	fmt.Println(err)
	_, err = iluvatar.Backends([]iluvatar.Config{{CommonWord: "BI-V150"}, {CommonWord: "BI-V150"}})
	fmt.Println(err)
	_, err = iluvatar.New(iluvatar.Config{})
	fmt.Println(err)
	// Output:
	// BI-V150 hami.io/node-BI-V150-register
	// MR-V100 hami.io/node-MR-V100-register
	// <nil>
	// iluvatars[1].commonWord: "BI-V150" is that of iluvatars[0] too
	// iluvatar: commonWord: must not be empty
}

func ExampleBackend_Admit() {
	b, _ := iluvatar.New(iluvatar.Config{
		CommonWord: "BI-V150", ResourceCountName: "iluvatar.ai/BI-V150-vgpu", ResourceCoreName: "iluvatar.ai/BI-V150.vCore",
	})
	c := &corev1.Container{Name: "main", Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{
		"iluvatar.ai/BI-V150-vgpu": resource.MustParse("2"), "iluvatar.ai/BI-V150.vCore": resource.MustParse("30"),
	}}}
	a, err := b.Admit(&corev1.Pod{}, c)
	cores := c.Resources.Limits["iluvatar.ai/BI-V150.vCore"]
	fmt.Println(a.Mine, cores.String(), c.Env[0].Name, err)
	fmt.Println(a.Warnings[0])
	// Output:
	// true 200 SOL_CONTINER_NAME <nil>
	// container main: iluvatar.ai/BI-V150.vCore: 30 is replaced by 200, all cores of each card
}

// Deviation iD7: a handshake is written only on nodes that register cards of the chip.
func ExampleBackend_Health() {
	b, _ := iluvatar.New(iluvatar.Config{CommonWord: "BI-V150", ResourceCountName: "iluvatar.ai/BI-V150-vgpu"})
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	for _, key := range []string{"hami.io/node-BI-V150-register", "hami.io/node-MR-V100-register"} {
		node := &corev1.Node{}
		device.Annotate(node, key, ":")
		fmt.Printf("%s: %q\n", key, b.Health(device.HealthInput{Node: node, Now: now}).Announce)
	}
	// Output:
	// hami.io/node-BI-V150-register: "Requesting_2026-01-01T12:00:00Z"
	// hami.io/node-MR-V100-register: ""
}
