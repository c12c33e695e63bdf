package answer

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/examples/whatif/internal/keys"
	"github.com/accelfit/accelfit/examples/whatif/internal/problem"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors/nvidia"
)

// Cluster checks the objects of a cluster.
func (l *Linter) Cluster(w *World) {
	for _, p := range w.input.Problems {
		l.add(SeverityError, p.Object, p.Key, p.Field, p.Why, adviseInput(p))
	}
	c := newChecker(l, w)
	for _, n := range w.nodes {
		c.node(n)
	}
	for _, p := range w.pods {
		c.pod(p)
	}
	for _, q := range w.input.Quotas {
		c.quota(q)
	}
	l.unusedProfiles(w)
}

// checker checks the objects of one cluster.
type checker struct {
	*Linter
	w    *World
	book *keys.Book

	infos  map[string]*device.NodeInfo // by node, as it is judged
	owners map[string][]device.Vendor  // by device id, of all nodes
	models map[[2]string]bool          // vendor and fragment: some device has it in its name; kept from pod to pod
	modes  map[string][]string         // by annotation that names modes; kept likewise
}

func newChecker(l *Linter, w *World) *checker {
	c := &checker{
		Linter: l, w: w, book: keys.New(w.set), infos: map[string]*device.NodeInfo{}, owners: map[string][]device.Vendor{},
		models: map[[2]string]bool{}, modes: map[string][]string{},
	}
	for name, u := range w.snapshot.Nodes() {
		c.infos[name] = u.Info()
		for i := range u.Info().Len() {
			d := u.Info().Device(i)
			if !slices.Contains(c.owners[d.ID], d.Vendor) {
				c.owners[d.ID] = append(c.owners[d.ID], d.Vendor)
			}
		}
	}
	return c
}

// node checks what a node's agents and operators have written.
func (c *checker) node(n *corev1.Node) {
	info, object := c.w.set.Inventory(n), "node "+n.Name
	for _, p := range info.Problems() {
		severity, do := SeverityWarning, "look at what the node agent writes: the entry is left out"
		for _, v := range info.Described() {
			if info.Malformed(v) && errors.Is(p.Err, info.Unreadable(v)) {
				severity = SeverityError
				do = fmt.Sprintf("restart or update the node agent: until it writes this right, no %s device of the node serves", v)
			}
		}
		c.problems(severity, p.Object, p.Err, always(do))
	}
	if c.book.Node(device.AnnotationCordon) != nil && !info.Malformed(nvidia.Vendor) {
		for _, id := range keys.Words(n.Annotations[device.AnnotationCordon]) {
			if info.Find(nvidia.Vendor, id) < 0 {
				c.add(SeverityWarning, object, device.AnnotationCordon, id, "no NVIDIA device of the node has the id",
					"compare it with the ids in "+nvidia.AnnotationRegister+": nothing is cordoned by this entry")
			}
		}
		c.links(n, info)
	}
	for _, key := range slices.Sorted(maps.Keys(n.Annotations)) {
		if near := c.book.LikeNode(key); near != "" && c.book.Node(key) == nil {
			c.add(SeverityWarning, object, key, "", "nobody reads this annotation", "write "+near+", if that is what is meant")
		}
	}
	c.overcommitted(n)
}

// links checks that link scores are about devices of the node.
func (c *checker) links(n *corev1.Node, info *device.NodeInfo) {
	scores, err := device.DecodeLinkScores(n.Annotations[nvidia.AnnotationLinkScores])
	if err != nil || n.Annotations[nvidia.AnnotationLinkScores] == "" {
		return // told with the inventory
	}
	missing := map[string]bool{}
	for id, others := range scores {
		missing[id] = info.Find(nvidia.Vendor, id) < 0
		for other := range others {
			missing[other] = info.Find(nvidia.Vendor, other) < 0
		}
	}
	for _, id := range slices.Sorted(maps.Keys(missing)) {
		if missing[id] {
			c.add(SeverityWarning, "node "+n.Name, nvidia.AnnotationLinkScores, id, "no NVIDIA device of the node has the id",
				"restart the node agent, so that it measures the devices that there are")
		}
	}
}

// overcommitted tells devices of which pods hold more than there is.
func (c *checker) overcommitted(n *corev1.Node) {
	u, ok := c.w.snapshot.Node(n.Name)
	if !ok {
		return
	}
	for i := range u.Info().Len() {
		d, used := u.Info().Device(i), u.Device(i)
		if used.Memory > d.Memory || used.Slots > d.Slots {
			c.add(SeverityWarning, "node "+n.Name, "", d.ID,
				fmt.Sprintf("pods hold %d of %d MiB and %d of %d slots of the device", used.Memory, d.Memory, used.Slots, d.Slots),
				"see who holds it with whatif table; it takes no more work until pods end")
		}
	}
}

// quota checks limits on what the vendors have.
func (c *checker) quota(q *corev1.ResourceQuota) {
	known := usage.NewQuotas(c.w.set)
	managed := c.w.set.ManagedResources()
	for _, name := range slices.Sorted(maps.Keys(q.Spec.Hard)) {
		value, object := q.Spec.Hard[name], "resourcequota "+q.Namespace+"/"+q.Name
		resource, limit := cutLimits(string(name))
		_, whole := value.AsInt64()
		switch {
		case !limit || !slices.Contains(managed, resource):
		case !known.Managed(resource):
			c.add(SeverityWarning, object, string(name), "", "only limits on memory and cores of devices count, this one does not",
				"limit the memory or cores in its place")
		case !whole:
			c.add(SeverityError, object, string(name), "", "invalid value "+value.String()+": must be a whole number",
				"write a plain number, for example "+wholeOr(value))
		}
	}
}

// running checks that what a pod holds is there.
func (c *checker) running(p *corev1.Pod) {
	object := "pod " + podName(p)
	h, holds, problems := usage.Read(c.w.set, p)
	for _, x := range problems {
		c.problems(SeverityError, x.Object, x.Err, func(problem.Problem) string {
			return "delete the pod, so that it is placed anew: the devices it may hold take no new work"
		})
	}
	node := c.w.nodeOf(p)
	if p.Spec.NodeName != "" && holds && h.Node != p.Spec.NodeName {
		c.add(SeverityWarning, object, device.AnnotationNode, "",
			fmt.Sprintf("says %s, but the pod is on %s: what it holds is not counted", h.Node, p.Spec.NodeName),
			"delete the pod, so that it is placed anew")
	}
	if node == "" {
		return
	}
	info := c.infos[node]
	if info == nil {
		c.add(SeverityWarning, object, "", "", "is on node "+node+", which is not in the input", "print nodes and pods of the same cluster, in one go")
		return
	}
	if r, err := c.w.set.Request(p); err == nil && !r.Empty() && !holds {
		c.add(SeverityWarning, object, "", "", "runs and asks for devices, but no annotation says which it holds",
			"see that the pod was placed by HAMi (spec.schedulerName); what it holds is not counted")
	}
	if holds && h.Node == node {
		c.holding(object, &h, info)
	}
}

func (c *checker) holding(object string, h *usage.Holding, info *device.NodeInfo) {
	for _, d := range h.Allocation.Devices {
		if b := c.w.set.Backend(d.Vendor); info.Find(d.Vendor, d.ID) < 0 && !info.Malformed(d.Vendor) {
			c.add(SeverityError, object, b.Names().Allocated, d.ID, "holds a device that node "+info.Name()+" does not have",
				"see whether the device has failed or its id has changed; if so, delete the pod")
		}
	}
	for _, r := range h.Reservations {
		i := info.Find(nvidia.Vendor, r.GPUUUID)
		if i >= 0 && info.Device(i).Mode != modeMIG {
			c.add(SeverityWarning, object, device.AnnotationMIGReservation, r.GPUUUID, "reserves an instance of a device that is not in mode mig",
				"delete the pod, or put the device back into mode mig")
		}
	}
}
