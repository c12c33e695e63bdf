package device_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
)

const vendorOfScenarios = device.Vendor("NVIDIA")

func (s *scenario) readAllocation(t *testing.T, d *datadriven.TestData) string {
	devices, containers, blocked, err := device.DecodeAllocation(text(t, d, d.Input), vendorOfScenarios)
	out := []string{fmt.Sprintf("containers: %d", containers)}
	for i := range devices {
		out = append(out, showContainerDevice(&devices[i]))
	}
	for _, id := range blocked {
		out = append(out, "blocked: "+word(id))
	}
	if err != nil {
		out = append(out, failure(err))
	}
	return strings.Join(out, "\n")
}

func showContainerDevice(d *device.ContainerDevice) string {
	line := fmt.Sprintf("%d: %s %d/%d", d.Container, word(d.ID), d.Memory, d.Cores)
	if !d.MIG.IsZero() {
		line += " " + showInstance(d.MIG)
	}
	return line
}

func showInstance(m device.MIGInstance) string {
	return fmt.Sprintf("%s@%d+%d", m.Profile, m.Placement.Start, m.Placement.Size)
}

func (s *scenario) writeAllocation(t *testing.T, d *datadriven.TestData) string {
	return device.EncodeAllocation(s.allocation(t, d), vendorOfScenarios, nil)
}

// allocation reads the classes of the pod's containers from the argument classes, and one device a line:
// <container> <id> <memory>/<cores>, followed by <profile>@<start>+<size> for an instance.
func (s *scenario) allocation(t *testing.T, d *datadriven.TestData) *device.Allocation {
	a := &device.Allocation{}
	if arg, ok := d.Arg("classes"); ok {
		for _, name := range arg.Vals {
			a.Classes = append(a.Classes, classOf(t, d, name))
		}
	}
	for _, line := range lines(t, d) {
		if line != "" {
			a.Devices = append(a.Devices, readContainerDevice(t, d, line))
		}
	}
	return a
}

func readContainerDevice(t *testing.T, d *datadriven.TestData, line string) device.ContainerDevice {
	out := device.ContainerDevice{Vendor: vendorOfScenarios}
	words := strings.Fields(line)
	if len(words) < 3 {
		d.Fatalf(t, "line %q: want container, id and amounts", line)
	}
	out.Container, out.ID = int(number(t, d, words[0])), words[1]
	if _, err := fmt.Sscanf(words[2], "%d/%d", &out.Memory, &out.Cores); err != nil {
		d.Fatalf(t, "line %q: %v", line, err)
	}
	if len(words) > 3 {
		profile, at, _ := strings.Cut(words[3], "@")
		out.MIG.Profile = profile
		if _, err := fmt.Sscanf(at, "%d+%d", &out.MIG.Placement.Start, &out.MIG.Placement.Size); err != nil {
			d.Fatalf(t, "line %q: %v", line, err)
		}
	}
	return out
}

func (s *scenario) readReservations(t *testing.T, d *datadriven.TestData) string {
	rs, err := device.DecodeMIGReservations(text(t, d, d.Input))
	if err != nil {
		return failure(err)
	}
	var out []string
	for i := range rs {
		r := &rs[i]
		line := fmt.Sprintf("container %d device %d: %s %s", r.ContainerIndex, r.DeviceIndex, r.GPUUUID, showInstance(r.Instance()))
		if r.MIGUUID != "" {
			line += fmt.Sprintf(" created as %s %d/%d", r.MIGUUID, *r.GPUInstanceID, *r.ComputeInstanceID)
		}
		out = append(out, line)
	}
	return report(out, "no reservations")
}

func (s *scenario) writeReservations(t *testing.T, d *datadriven.TestData) string {
	return written(device.EncodeMIGReservations(s.allocation(t, d).Reservations(vendorOfScenarios)))
}

// classes shows the classes of a pod with one container a line: init, init with a restart policy, or app.
func (s *scenario) classes(t *testing.T, d *datadriven.TestData) string {
	var pod corev1.PodSpec
	for _, line := range lines(t, d) {
		kind, policy, given := strings.Cut(line, " restartPolicy=")
		if kind == "" {
			continue
		}
		var c corev1.Container
		if given {
			p := corev1.ContainerRestartPolicy(policy)
			c.RestartPolicy = &p
		}
		if kind == "init" {
			pod.InitContainers = append(pod.InitContainers, c)
		} else {
			pod.Containers = append(pod.Containers, c)
		}
	}
	var out []string
	for i, class := range device.Classes(&pod) {
		out = append(out, fmt.Sprintf("%d: %s", i, className(class)))
	}
	return report(out, "no containers")
}

// collapse shows what a pod holds over its life, and what remains once its init containers have ended.
func (s *scenario) collapse(t *testing.T, d *datadriven.TestData) string {
	a := s.allocation(t, d)
	return "life: " + showHolds(a.Collapse()) + "\nreleased: " + showHolds(a.Released().Collapse())
}

func showHolds(holds []device.Hold) string {
	var out []string
	for _, h := range holds {
		part := fmt.Sprintf("%s %d/%d/%d", h.ID, h.Memory, h.Cores, h.Slots)
		for _, m := range h.MIG {
			part += " " + showInstance(m)
		}
		out = append(out, part)
	}
	if len(out) == 0 {
		return "nothing"
	}
	return strings.Join(out, ", ")
}

// node starts over with a node of the given devices, nobody on it.
func (s *scenario) node(t *testing.T, d *datadriven.TestData) string {
	s.usage = device.NewNodeUsage(device.NewNodeInfo("n1", device.Inventory{Vendor: vendorOfScenarios, Devices: s.devices(t, d)}))
	return s.showUsage()
}

// record books a pod on the node.
func (s *scenario) record(t *testing.T, d *datadriven.TestData) string {
	a := s.allocation(t, d)
	s.pods[s.pod(t, d)] = a
	s.usage = s.usage.With(a)
	return s.showUsage()
}

// release lets a pod's init containers end.
func (s *scenario) release(t *testing.T, d *datadriven.TestData) string {
	name := s.pod(t, d)
	rest := s.pods[name].Released()
	s.usage = s.usage.Without(s.pods[name]).With(rest)
	s.pods[name] = rest
	return s.showUsage()
}

// remove takes a pod off the node.
func (s *scenario) remove(t *testing.T, d *datadriven.TestData) string {
	s.usage = s.usage.Without(s.pods[s.pod(t, d)])
	return s.showUsage()
}

func (s *scenario) pod(t *testing.T, d *datadriven.TestData) string {
	arg, ok := d.Arg("pod")
	if !ok {
		d.Fatalf(t, "pod=<name> is missing")
	}
	return arg.SingleVal(t)
}

func (s *scenario) showUsage() string {
	var out []string
	for i, u := range s.usage.Devices() {
		line := fmt.Sprintf("%s: slots=%d memory=%d cores=%d", s.usage.Info().Device(i).ID, u.Slots, u.Memory, u.Cores)
		for _, m := range u.MIG() {
			line += " " + showInstance(m)
		}
		out = append(out, line)
	}
	return report(out, "no devices")
}
