// Command nimbusfit shows a model of one's own beside the built-in ones: what the devices of a small cluster with NVIDIA GPUs and
// Nimbus NPUs have left, where pods fit, and why not elsewhere.
package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	corev1 "k8s.io/api/core/v1"

	"example.com/nimbus"
	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/vendors"
)

func main() {
	if err := answer(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "nimbusfit:", err)
		os.Exit(1)
	}
}

// answer shows the cluster, then places the pending pods on it one after the other.
func answer(w io.Writer) error {
	mine := nimbus.New(nimbus.Config{})
	set, err := vendors.New(append(vendors.Default().Backends(), mine)...)
	if err != nil {
		return err
	}
	snap, err := cluster(set)
	if err != nil {
		return err
	}
	if err := table(w, snap); err != nil {
		return err
	}
	for _, pod := range pending() {
		if err := place(w, snap, pod); err != nil {
			return err
		}
	}
	return nil
}

// table shows what every device has left.
func table(out io.Writer, snap *simulate.Snapshot) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NODE\tDEVICE\tMODEL\tSLOTS\tMEMORY MiB\tCORES %")
	for name, node := range snap.Nodes() {
		for i := range node.Info().Len() {
			d, use := node.Info().Device(i), node.Device(i)
			fmt.Fprintf(w, "%s\t%s\t%s\t%d/%d\t%d/%d\t%d/%d\n",
				name, d.ID, d.Type, use.Slots, d.Slots, use.Memory, d.Memory, use.Cores, d.Cores)
		}
	}
	return w.Flush()
}

// place places a pod where it fits best, and tells where, or what is wrong with each device.
func place(w io.Writer, snap *simulate.Snapshot, pod *corev1.Pod) error {
	res, err := snap.PlaceAnywhere(pod, simulate.PlaceOptions{})
	if err != nil {
		return err
	}
	if res.OK() {
		fmt.Fprintf(w, "\n%s fits on %s: %s\n", pod.Name, res.Node, devices(res.Allocation))
	} else {
		fmt.Fprintf(w, "\n%s fits nowhere\n", pod.Name)
	}
	for _, refused := range res.Refused {
		fmt.Fprintf(w, "  not on %s: %s\n", refused.Node, refused.Reasons.Detail())
		if err := explain(w, snap, pod, refused.Node); err != nil {
			return err
		}
	}
	return nil
}

// devices lists what a pod was given.
func devices(a *device.Allocation) string {
	var out []string
	for _, d := range a.Devices {
		out = append(out, fmt.Sprintf("%s (%d MiB, %d %%)", d.ID, d.Memory, d.Cores))
	}
	return strings.Join(out, ", ")
}

// explain tells of each device of a node that refuses a pod what rule it breaks.
func explain(w io.Writer, snap *simulate.Snapshot, pod *corev1.Pod, name string) error {
	request, err := snap.Set().Request(pod)
	if err != nil {
		return err
	}
	node, _ := snap.Node(name)
	for _, verdict := range snap.Set().Explain(request, node).Verdicts {
		fmt.Fprintf(w, "    %s\n", verdict)
	}
	return nil
}
