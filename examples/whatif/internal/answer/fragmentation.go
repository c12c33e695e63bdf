package answer

import (
	"cmp"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/simulate"
)

// Fragmentation is the answer of "whatif fragmentation": the largest request that still fits on each node.
type Fragmentation struct {
	Summary string            `json:"summary"`
	Pod     string            `json:"pod,omitempty"` // whose request varies; empty: a request for one device
	Vendors []VendorFragments `json:"vendors"`
	Remarks
}

// VendorFragments is the nodes with devices of one vendor.
type VendorFragments struct {
	Vendor    string         `json:"vendor"`
	Container string         `json:"container,omitempty"` // whose request varies
	ByMemory  bool           `json:"byMemory"`            // requests can name an amount of memory
	Nodes     []NodeFragment `json:"nodes"`
}

// NodeFragment is the largest request that fits on one node.
type NodeFragment struct {
	Node    string `json:"node"`
	Free    int64  `json:"freeMiB"`   // of devices that take new work
	Memory  int64  `json:"memoryMiB"` // the most of each device, with the other amounts; 0: none fits
	Devices int64  `json:"devices"`   // the most, with the other amounts
	Have    int    `json:"of"`        // devices of the vendor
	Refused string `json:"refused,omitempty"`
}

// Fragmentation tells the largest request that still fits on each node: like the pod's, or for one whole device of each vendor.
func (w *World) Fragmentation(name string) (*Fragmentation, error) {
	if err := w.needNodes(); err != nil {
		return nil, err
	}
	out := &Fragmentation{Vendors: []VendorFragments{}}
	if name == "" {
		for _, b := range w.set.Backends() {
			w.addBare(out, b)
		}
		out.Summary = "The most memory of one device that a pod can still ask for on each node, and how many whole devices."
		out.Remarks = w.remarks(nil)
		return out, nil
	}
	pod, err := w.pod(name)
	if err != nil {
		return nil, err
	}
	a := w.ask(pod)
	out.Pod = podName(pod)
	out.Remarks = w.remarks(a.problems)
	if a.invalid != nil {
		out.Summary = fmt.Sprintf("%s fits nowhere: %s.", out.Pod, a.invalid)
		return out, nil
	}
	s := w.stack()
	s.lift(pod)
	f, err := s.snapshot.Fragments(a.pod, simulate.FragmentOptions{Fit: w.fit, Allow: s.allowSince})
	if err != nil {
		return nil, err
	}
	out.Summary = fmt.Sprintf("The largest request like that of %s that still fits on each node.", out.Pod)
	out.Vendors = append(out.Vendors, w.fragments(&f, containerName(a.pod, f.Container)))
	return out, nil
}

// addBare adds the nodes that have devices of a vendor. A vendor that has no request for just one device is left out.
func (w *World) addBare(out *Fragmentation, b device.Backend) {
	has := false
	for _, u := range w.snapshot.Nodes() {
		has = has || slices.Contains(u.Info().Vendors(), b.Vendor())
	}
	if !has || b.Names().Count == "" {
		return
	}
	pod := &corev1.Pod{}
	pod.Spec.Containers = []corev1.Container{{Resources: corev1.ResourceRequirements{
		Limits: corev1.ResourceList{corev1.ResourceName(b.Names().Count): resource.MustParse("1")},
	}}}
	f, err := w.snapshot.Fragments(pod, simulate.FragmentOptions{Fit: w.fit})
	if err == nil && f.Vendor == b.Vendor() {
		out.Vendors = append(out.Vendors, w.fragments(&f, ""))
	}
}

func (w *World) fragments(f *simulate.Fragments, container string) VendorFragments {
	out := VendorFragments{Vendor: string(f.Vendor), Container: container, ByMemory: f.HasMemory, Nodes: []NodeFragment{}}
	for _, n := range f.Nodes {
		u, _ := w.snapshot.Node(n.Node)
		from, to := u.Range(f.Vendor)
		if from == to {
			continue
		}
		row := NodeFragment{Node: n.Node, Free: n.Free, Memory: n.Memory, Devices: n.Devices, Have: to - from}
		if n.Refused != nil {
			row.Refused = n.Refused.Error()
		}
		out.Nodes = append(out.Nodes, row)
	}
	slices.SortStableFunc(out.Nodes, func(a, b NodeFragment) int {
		return cmp.Or(cmp.Compare(b.Memory, a.Memory), cmp.Compare(b.Devices, a.Devices))
	})
	return out
}
