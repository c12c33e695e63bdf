package device_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/accelfit/accelfit/device"
)

func ExampleNewNodeInfo() {
	node := device.NewNodeInfo("n1",
		device.Inventory{Vendor: "NVIDIA", Devices: []device.DeviceInfo{{ID: "GPU-1", Memory: 23034}, {ID: "GPU-2", Memory: 23034}}},
		device.Inventory{Vendor: "MLU", Devices: []device.DeviceInfo{{ID: "MLU-1", Memory: 24576}}},
		device.Inventory{Vendor: "DCU", Err: device.ErrNoDescription},
	)
	for i := range node.Len() {
		fmt.Println(node.Device(i).Vendor, node.Device(i).ID, node.Device(i).Memory)
	}
	fmt.Println(node.Unreadable("DCU"))
	// Output:
	// MLU MLU-1 24576
	// NVIDIA GPU-1 23034
	// NVIDIA GPU-2 23034
	// no device description
}

func ExampleNodeUsage_With() {
	node := device.NewNodeInfo("n1", device.Inventory{
		Vendor: "NVIDIA", Devices: []device.DeviceInfo{{ID: "GPU-1", Slots: 10, Memory: 23034, Cores: 100, Healthy: true}},
	})
	idle := device.NewNodeUsage(node)
	used := idle.With(&device.Allocation{
		Classes: []device.ContainerClass{device.App},
		Devices: []device.ContainerDevice{{Vendor: "NVIDIA", ID: "GPU-1", Memory: 4000, Cores: 30}},
	})
	fmt.Println("before:", idle.Device(0).Slots, idle.Device(0).Memory, idle.Device(0).Cores)
	fmt.Println("after: ", used.Device(0).Slots, used.Device(0).Memory, used.Device(0).Cores)
	// Output:
	// before: 0 0 0
	// after:  1 4000 30
}

func ExampleDecodeRegistration() {
	devices, dropped, err := device.DecodeRegistration(`[
		{"id":"GPU-1","count":10,"devmem":23034,"devcore":100,"type":"NVIDIA-NVIDIA L4","health":true},
		{"id":"GPU-1","count":10}]`, device.RefuseAll)
	fmt.Println(devices[0].ID, devices[0].Type, devices[0].Slots, devices[0].Memory, devices[0].Healthy)
	fmt.Println(dropped, err)

	_, _, err = device.DecodeRegistration(`[{"id":"GPU-1","devmem":-1}]`, device.RefuseAll)
	fmt.Println(device.In("hami.io/node-nvidia-register", err))
	// Output:
	// GPU-1 NVIDIA-NVIDIA L4 10 23034 true
	// [device 1: id: "GPU-1" is registered before] <nil>
	// hami.io/node-nvidia-register: device 0: devmem: must not be negative: -1
}

func ExampleEncodeRegistration() {
	text, err := device.EncodeRegistration([]device.DeviceInfo{{ID: "GPU-1", Slots: 10, Memory: 23034, Cores: 100, Healthy: true}})
	fmt.Println(text, err)
	// Output:
	// [{"id":"GPU-1","count":10,"devmem":23034,"devcore":100,"health":true}] <nil>
}

func ExampleDecodeLegacyRegistration() {
	devices, _, err := device.DecodeLegacyRegistration("DCU-1,4,65520,60,K100_AI,0,true:", device.RefuseAll)
	fmt.Println(devices[0].ID, devices[0].Type, devices[0].Memory, devices[0].Mode, err)
	// Output:
	// DCU-1 K100_AI 65520 hami-core <nil>
}

func ExampleDecodeLinkScores() {
	scores, err := device.DecodeLinkScores(`[{"uuid":"GPU-1","score":{"GPU-2":100}}]`)
	fmt.Println(scores["GPU-1"]["GPU-2"], scores["GPU-2"]["GPU-1"], err)
	// Output:
	// 100 0 <nil>
}

func ExampleEncodeAllocation() {
	a := &device.Allocation{
		Classes: []device.ContainerClass{device.Init, device.App, device.App},
		Devices: []device.ContainerDevice{
			{Container: 1, Vendor: "NVIDIA", ID: "GPU-1", Memory: 4000, Cores: 30},
			{Container: 1, Vendor: "NVIDIA", ID: "GPU-2", Memory: 4000, Cores: 30},
		},
	}
	fmt.Println(device.EncodeAllocation(a, "NVIDIA", nil))
	// Output:
	// ;GPU-1,NVIDIA,4000,30:GPU-2,NVIDIA,4000,30:;;
}

func ExampleDecodeAllocation() {
	devices, containers, blocked, err := device.DecodeAllocation(";GPU-1,NVIDIA,4000,30:GPU-2,NVIDIA,x,30:;", "NVIDIA")
	fmt.Println(devices[0].Container, devices[0].ID, devices[0].Memory, devices[0].Cores)
	fmt.Println(containers, blocked)
	fmt.Println(err)
	// Output:
	// 1 GPU-1 4000 30
	// 3 [GPU-2]
	// container 1 device GPU-2: memory: invalid memory field: "x": invalid syntax
}

func ExampleDecodeMIGReservations() {
	rs, err := device.DecodeMIGReservations(
		`[{"containerIndex":0,"deviceIndex":0,"gpuUUID":"GPU-1","profile":"2g.10gb","placement":{"start":2,"size":2}}]`)
	fmt.Println(rs[0].GPUUUID, rs[0].Instance(), err)
	// Output:
	// GPU-1 {2g.10gb {2 2}} <nil>
}

func ExampleParseIDs() {
	s := device.ParseIDs("GPU-1, GPU-2", "GPU-2")
	fmt.Println(s.AllowsID("GPU-1"), s.AllowsID("GPU-2"), s.AllowsID("GPU-3"))
	fmt.Println(s.String())
	// Output:
	// true false false
	// one of GPU-1, GPU-2 and none of GPU-2
}

func ExampleParseTypes() {
	node := device.NewNodeInfo("n1", device.Inventory{
		Vendor: "NVIDIA", Devices: []device.DeviceInfo{{Type: "NVIDIA A100"}, {Type: "NVIDIA A10"}},
	})
	s := device.ParseTypes("a10", "A100")
	fmt.Println(s.AllowsType(node, 0), s.AllowsType(node, 1))
	// Output:
	// false true
}

func ExampleReasons_String() {
	r := device.Reasons{Total: 8}
	r.Add(device.CardNotHealth, 1)
	r.Add(device.CardInsufficientMemory, 7)
	text := r.String()
	fmt.Println(text)
	fmt.Println(device.ParseReasons(text)[device.CardInsufficientMemory])
	// Output:
	// 1/8 CardNotHealth, 7/8 CardInsufficientMemory
	// 7
}

func ExampleReason_String() {
	fmt.Println(device.Reason{
		Code: device.CardInsufficientMemory, Device: "GPU-1",
		Want: device.Amount{N: 4000, Unit: device.MiB}, Have: device.Amount{N: 2500, Unit: device.MiB},
	})
	// Output:
	// GPU-1: CardInsufficientMemory (want 4000 MiB, have 2500 MiB)
}

func ExampleHandshake() {
	now := time.Date(2024, 1, 10, 4, 6, 57, 0, time.UTC)
	answered := device.Handshake("Reported 2024-01-10", 0, now)
	fmt.Println(answered.Healthy, answered.Renew, answered.Announce)

	pending := device.Handshake(answered.Announce, 0, now.Add(30*time.Second))
	fmt.Println(pending.Healthy)
	silent := device.Handshake(answered.Announce, 0, now.Add(time.Minute))
	fmt.Println(silent.Healthy)
	// Output:
	// true true Requesting_2024-01-10T04:06:57Z
	// true
	// false
}

func ExampleLock_Take() {
	now := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	annotation := device.Lock{At: now, Namespace: "team-a", Pod: "first"}.String()
	alive := func(namespace, pod string) bool { return true }

	second := device.Lock{At: now.Add(time.Minute), Namespace: "team-a", Pod: "second"}
	_, err := second.Take("n1", annotation, 5*time.Minute, alive)
	fmt.Println(err)
	fmt.Println(errors.Is(err, device.ErrLockContention))

	second.At = now.Add(6 * time.Minute)
	held, err := second.Take("n1", annotation, 5*time.Minute, alive)
	fmt.Println(held, err, second)
	// Output:
	// node n1 has been locked within 5m0s: node lock contention
	// true
	// false <nil> 2024-01-01T00:06:00Z,team-a,second
}

func ExampleAllocation_Collapse() {
	a := &device.Allocation{
		Classes: []device.ContainerClass{device.Sidecar, device.Init, device.App},
		Devices: []device.ContainerDevice{
			{Container: 0, Vendor: "NVIDIA", ID: "GPU-1", Memory: 1000, Cores: 10},
			{Container: 1, Vendor: "NVIDIA", ID: "GPU-1", Memory: 9000, Cores: 20},
			{Container: 2, Vendor: "NVIDIA", ID: "GPU-1", Memory: 4000, Cores: 50},
		},
	}
	for _, h := range a.Collapse() {
		fmt.Println(h.ID, h.Slots, "slots", h.Memory, "MiB", h.Cores, "% core")
	}
	for _, h := range a.Released().Collapse() {
		fmt.Println(h.ID, h.Slots, "slots", h.Memory, "MiB", h.Cores, "% core, once the init container has ended")
	}
	// Output:
	// GPU-1 2 slots 10000 MiB 60 % core
	// GPU-1 2 slots 5000 MiB 60 % core, once the init container has ended
}
