package simulate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/vendors"
)

// TestQuestions runs the files under testdata/questions. Each begins with an empty cluster.
//
//	node NAME        input: cards, as "g0 memory=10000 mode=mig"
//	run NODE         places pods on a node; input: a line for each as podOf reads it; prints the devices they get
//	edit NODE/CARD   arguments: fail, cordon, memory=MiB
//	capacity         input: a pod; argument: max
//	fragments        input: a pod
//	make-room        input: a pod; arguments: max-moves, stay=(pods that must not move)
//	drain NODE       arguments: stay=(pods that must not move)
func TestQuestions(t *testing.T) {
	datadriven.Walk(t, "testdata/questions", func(t *testing.T, path string) {
		q := &questions{snapshot: newSnapshot(t, vendors.Default(), nil)}
		commands := map[string]func(*testing.T, *datadriven.TestData) string{
			"node": q.node, "run": q.run, "edit": q.edit, "capacity": q.capacity, "fragments": q.fragments,
			"make-room": q.makeRoom, "drain": q.drain,
		}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			run, ok := commands[d.Cmd]
			if !ok {
				d.Fatalf(t, "no command %q", d.Cmd)
			}
			return run(t, d)
		})
	})
}

type questions struct {
	snapshot *simulate.Snapshot
	pods     []*corev1.Pod
}

func (q *questions) node(t *testing.T, d *datadriven.TestData) string {
	var devices []device.DeviceInfo
	for line := range strings.Lines(d.Input) {
		words := strings.Fields(line)
		c := testkit.Card(words[0], 10000)
		for _, word := range words[1:] {
			key, value, _ := strings.Cut(word, "=")
			switch key {
			case "memory":
				c.Memory = number(t, d, value, 0)
			case "mode":
				c = testkit.MIGCard(words[0])
			}
		}
		c.Index = len(devices)
		devices = append(devices, c)
	}
	if _, err := q.snapshot.AddNode(testkit.Node(d.CmdArgs[0].Key, devices...), nil); err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%d cards", len(devices))
}

func (q *questions) run(t *testing.T, d *datadriven.TestData) string {
	var out []string
	node := d.CmdArgs[0].Key
	for line := range strings.Lines(d.Input) {
		pod := podOf(line)
		result, err := q.snapshot.Place(pod, node)
		if err != nil || !result.OK() {
			d.Fatalf(t, "%s: %v %v", pod.Name, result.Refused, err)
		}
		q.pods = append(q.pods, pod)
		out = append(out, pod.Name+" "+devicesOf(result.Allocation, node))
	}
	return strings.Join(out, "\n")
}

func (q *questions) edit(t *testing.T, d *datadriven.TestData) string {
	node, card, _ := strings.Cut(d.CmdArgs[0].Key, "/")
	n := 0
	err := q.snapshot.EditDevices(node, func(x *device.DeviceInfo) {
		if x.ID != card {
			return
		}
		n++
		x.ID, x.Vendor = "stolen", "nobody" // put back
		x.Healthy = values(d, "fail") == nil
		x.Cordoned = values(d, "cordon") != nil
		if v := values(d, "memory"); v != nil {
			x.Memory = number(t, d, v[0], 0)
		}
	})
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%d cards edited", n)
}

func (q *questions) capacity(t *testing.T, d *datadriven.TestData) string {
	c, err := q.snapshot.Capacity(podOf(d.Input), simulate.CapacityOptions{MaxPerNode: argument(t, d, "max")})
	if err != nil {
		return err.Error()
	}
	var b strings.Builder
	for _, n := range c.Nodes {
		why := n.Last.Reasons.Detail()
		if n.Capped {
			why = "or more"
		}
		fmt.Fprintf(&b, "%s %d: %s\n", n.Node, n.Pods, why)
	}
	fmt.Fprintf(&b, "total %d, by quota %t, capped %t", c.Total, c.Quota, c.Capped)
	return b.String()
}

func (q *questions) fragments(_ *testing.T, d *datadriven.TestData) string {
	f, err := q.snapshot.Fragments(podOf(d.Input), simulate.FragmentOptions{})
	if err != nil {
		return err.Error()
	}
	out := []string{fmt.Sprintf("%s, container %d", f.Vendor, f.Container)}
	for _, n := range f.Nodes {
		out = append(out, fmt.Sprintf("%s free %d MiB, largest %d MiB, %d devices", n.Node, n.Free, n.Memory, n.Devices))
	}
	return strings.Join(out, "\n")
}

// argument is a number among the arguments of a command without a name; 0: not there.
func argument(t *testing.T, d *datadriven.TestData, key string) int {
	t.Helper()
	for _, a := range d.CmdArgs {
		if a.Key == key {
			return int(number(t, d, a.Vals[0], 0))
		}
	}
	return 0
}

func (q *questions) options(t *testing.T, d *datadriven.TestData) simulate.MoveOptions {
	stay := " "
	for _, a := range d.CmdArgs {
		if a.Key == "stay" {
			stay += strings.Join(a.Vals, " ") + " "
		}
	}
	return simulate.MoveOptions{
		MaxMoves: argument(t, d, "max-moves"),
		Movable:  func(pod *corev1.Pod) bool { return !strings.Contains(stay, " "+pod.Name+" ") },
	}
}

func (q *questions) makeRoom(t *testing.T, d *datadriven.TestData) string {
	room, err := q.snapshot.MakeRoom(podOf(d.Input), q.pods, q.options(t, d))
	switch {
	case err != nil:
		return err.Error()
	case !room.OK():
		return fmt.Sprintf("no way, complete %t", room.Complete)
	}
	return "on " + room.Node + " " + devicesOf(room.Allocation, room.Node) + movesText(room.Moves)
}

func (q *questions) drain(t *testing.T, d *datadriven.TestData) string {
	x, err := q.snapshot.Drain(d.CmdArgs[0].Key, q.pods, q.options(t, d))
	if err != nil {
		return err.Error()
	}
	out := fmt.Sprintf("can be emptied %t, complete %t", x.OK, x.Complete) + movesText(x.Moves)
	for _, s := range x.Stuck {
		out += "\nstuck " + s.Key
		for _, r := range s.Refused {
			out += ", " + r.String()
		}
	}
	for _, p := range x.Stays {
		out += "\nstays " + p.Name
	}
	return out
}

func movesText(moves []simulate.Move) (out string) {
	for _, m := range moves {
		out += fmt.Sprintf("\nmove %s from %s to %s %s", m.Pod.Name, m.From, m.To, devicesOf(m.Allocation, m.To))
	}
	return out
}
