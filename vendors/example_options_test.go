package vendors_test

import (
	"fmt"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
)

// What the caller asks of a fit beside the pod: the driver's memory is kept, and only one card may serve.
func ExampleRequest_With() {
	set := vendors.Default()
	node, _ := usage.Node(set, twoCards(), nil)
	request, err := set.Request(pending("23034"))
	if err != nil {
		panic(err)
	}
	fit := set.Fit(request, node)
	fmt.Println(fit.OK())

	driver := vendors.FitOptions{
		Reserved: func(*device.NodeInfo, *device.DeviceInfo) int64 { return 450 },
		Only:     vendors.OnlyIDs("GPU-1"),
	}
	fit = set.Fit(request.With(driver), node)
	fmt.Println(fit.Reasons)
	for _, v := range set.Explain(request.With(driver), node).Verdicts {
		fmt.Println(v)
	}
	// Output:
	// true
	// 1/2 CardExcluded, 1/2 CardMemoryReserved
	// GPU-1: CardMemoryReserved (want 23034 MiB, have 22584 MiB)
	// GPU-0: CardExcluded (want a device that the caller allows, have another)
}

// A chooser of the caller's own: the card with the lowest index rather than the one that the device policy prefers.
func ExampleFitOptions_choose() {
	set := vendors.Default()
	node, _ := usage.Node(set, twoCards(), nil)
	request, err := set.Request(pending("4000"))
	if err != nil {
		panic(err)
	}
	lowest := func(f *device.ContainerFit, _ *device.Reasons) []int {
		best := 0
		for i, g := range f.Granted {
			if f.Node.Device(g.Device).Index < f.Node.Device(f.Granted[best].Device).Index {
				best = i
			}
		}
		return []int{best}
	}
	fmt.Println(set.Fit(request, node).Allocation.Devices[0].ID)
	fmt.Println(set.Fit(request.With(vendors.FitOptions{Choose: lowest}), node).Allocation.Devices[0].ID)
	// Output:
	// GPU-1
	// GPU-0
}

// As fragments of a name, L4 is also an L40; as a whole it is not.
func ExampleFitOptions_exactModel() {
	set := vendors.Default()
	node, _ := usage.Node(set, twoCards(), nil)
	for _, models := range []string{"L", "L4", "NVIDIA L4", "L40"} {
		pod := pending("4000")
		pod.Annotations["nvidia.com/use-gputype"] = models
		request, err := set.Request(pod)
		if err != nil {
			panic(err)
		}
		exact := request.With(vendors.FitOptions{ExactModel: true})
		fmt.Println(models, set.Fit(request, node).OK(), set.Fit(exact, node).OK())
	}
	// Output:
	// L true false
	// L4 true true
	// NVIDIA L4 true true
	// L40 false false
}
