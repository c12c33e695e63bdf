package simulate_test

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/vendors"
)

// crowded is two nodes of two cards of 10,000 MiB, with a pod on each card of n1 and one on n2.
func crowded() (*simulate.Snapshot, []*corev1.Pod) {
	snapshot, _ := simulate.New(vendors.Default(), []*corev1.Node{exampleNode("n1"), exampleNode("n2")}, nil)
	pods := []*corev1.Pod{examplePod("a", "4000"), examplePod("b", "3000"), examplePod("c", "9000")}
	for i, node := range []string{"n1", "n1", "n2"} {
		if _, err := snapshot.Place(pods[i], node); err != nil {
			panic(err)
		}
	}
	return snapshot, pods
}

func ExampleSnapshot_Capacity() {
	snapshot, _ := crowded()
	capacity, err := snapshot.Capacity(examplePod("p", "3000"), simulate.CapacityOptions{})
	if err != nil {
		panic(err)
	}
	for _, n := range capacity.Nodes {
		fmt.Println(n.Node, n.Pods, n.Last.Reasons)
	}
	fmt.Println(capacity.Total)
	// Output:
	// n1 4 2/2 CardInsufficientMemory
	// n2 3 2/2 CardInsufficientMemory
	// 7
}

func ExampleSnapshot_Fragments() {
	snapshot, _ := crowded()
	fragments, err := snapshot.Fragments(examplePod("p", "6500"), simulate.FragmentOptions{})
	if err != nil {
		panic(err)
	}
	for _, n := range fragments.Nodes {
		fmt.Println(n.Node, "has", n.Free, "MiB left, in pieces of at most", n.Memory, "MiB; devices for this pod:", n.Devices)
	}
	// Output:
	// n1 has 13000 MiB left, in pieces of at most 7000 MiB; devices for this pod: 1
	// n2 has 11000 MiB left, in pieces of at most 10000 MiB; devices for this pod: 1
}

// A pod that wants a whole card: it fits on n2 as it is, and on n1 once the smallest pod has gone.
func ExampleSnapshot_MakeRoom() {
	snapshot, pods := crowded()
	room, err := snapshot.MakeRoom(examplePod("p", "10000"), pods, simulate.MoveOptions{})
	if err != nil {
		panic(err)
	}
	fmt.Println(room.Node, len(room.Moves))

	// n2 is for others: a pod has to go from n1.
	others := func(pod *corev1.Pod, node *corev1.Node, _ simulate.Change) error {
		if pod.Name == "p" && node.Name == "n2" {
			return fmt.Errorf("node is for others")
		}
		return nil
	}
	room, err = snapshot.MakeRoom(examplePod("p", "10000"), pods, simulate.MoveOptions{Allow: others})
	if err != nil {
		panic(err)
	}
	fmt.Println(room.Node, room.Allocation.Devices[0].ID)
	for _, m := range room.Moves {
		fmt.Println("move", m.Pod.Name, "from", m.From, "to", m.To, m.Allocation.Devices[0].ID)
	}
	// Output:
	// n2 0
	// n1 GPU-0
	// move b from n1 to n1 GPU-1
}

func ExampleSnapshot_Drain() {
	snapshot, pods := crowded()
	for _, node := range []string{"n1", "n2"} {
		answer, err := snapshot.Drain(node, pods, simulate.MoveOptions{})
		if err != nil {
			panic(err)
		}
		fmt.Println(node, "can be emptied:", answer.OK)
		for _, m := range answer.Moves {
			fmt.Println("  move", m.Pod.Name, "to", m.To)
		}
		for _, s := range answer.Stuck {
			fmt.Println("  no place for", s.Pod.Name, s.Refused)
		}
	}
	// Output:
	// n1 can be emptied: true
	//   move a to n2
	//   move b to n2
	// n2 can be emptied: false
	//   no place for c [n1: 2/2 CardInsufficientMemory]
}

// What if a card fails?
func ExampleSnapshot_EditDevices() {
	snapshot, pods := crowded()
	err := snapshot.EditDevices("n2", func(d *device.DeviceInfo) { d.Healthy = d.Healthy && d.ID != "GPU-0" })
	if err != nil {
		panic(err)
	}
	answer, err := snapshot.Drain("n1", pods, simulate.MoveOptions{})
	fmt.Println(answer.OK, err)
	// Output: false <nil>
}
