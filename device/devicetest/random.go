package devicetest

import (
	"encoding/binary"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/accelfit/accelfit/device"
)

// seeded makes choices that are a function of a number.
func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// chosen makes the choices that a text spells, so that a fuzzer can change one and leave the rest.
func chosen(text []byte) *rand.Rand { return rand.New(&choices{text, rand.NewPCG(0, 1)}) }

type choices struct {
	text []byte
	rest *rand.PCG
}

// Uint64 implements [rand.Source]: two bytes make a choice.
func (c *choices) Uint64() uint64 {
	if len(c.text) < 2 {
		return c.rest.Uint64()
	}
	n := uint64(binary.LittleEndian.Uint16(c.text))
	c.text = c.text[2:]
	return n<<48 | n<<32 | n<<16 | n
}

// one in n.
func one(rnd *rand.Rand, n int) bool { return rnd.IntN(n) == 0 }

func oneOf[T any](rnd *rand.Rand, of ...T) T { return of[rnd.IntN(len(of))] }

// crowd is how many more of one pod may be on a node: some use up all slots.
const crowd = 24

// random makes a situation.
func (x *exam) random(rnd *rand.Rand) *Case {
	c := x.randomNode(rnd)
	for range rnd.IntN(4) {
		c.Before = append(c.Before, x.randomPod(rnd))
	}
	if len(c.Before) > 0 && one(rnd, 4) {
		for range rnd.IntN(crowd) {
			c.Before = append(c.Before, c.Before[0])
		}
	}
	c.Pod = x.randomPod(rnd)
	if one(rnd, 10) {
		c.Blocked = []int{rnd.IntN(len(c.devices))}
	}
	if x.names.Memory != "" && one(rnd, 8) {
		c.Quota.Memory = device.Limit{Set: true, Left: upTo(rnd, c.devices[0].Memory)}
	}
	if x.names.Cores != "" && one(rnd, 8) {
		c.Quota.Cores = device.Limit{Set: true, Left: upTo(rnd, c.devices[0].Cores)}
	}
	return c
}

// upTo is less than twice n.
func upTo(rnd *rand.Rand, n int64) int64 { return rnd.Int64N(2 * min(max(1, n), math.MaxInt64/2)) }

// randomNode is a node of the harness, usually with fewer devices, some of them sick or cordoned, as far as that can be
// described.
func (x *exam) randomNode(rnd *rand.Rand) *Case {
	b := &x.bases[rnd.IntN(len(x.bases))]
	n := oneOf(rnd, 1, 1+rnd.IntN(len(b.devices)), len(b.devices))
	some := b.devices[:n]
	if n > 2 && n%2 == 1 {
		some = b.devices[len(b.devices)-n:] // the places in the list are not the indexes then
	}
	devices := deepCopies(some)
	for i := range devices {
		devices[i].Healthy = devices[i].Healthy && !one(rnd, 12)
		devices[i].Cordoned = one(rnd, 12)
	}
	for _, d := range [][]device.DeviceInfo{devices, uncordoned(devices), some, b.devices} {
		if c := x.described(b.node, d); c != nil {
			c.wanted = devices
			return c
		}
	}
	return &Case{Node: b.node.DeepCopy(), devices: b.devices, wanted: devices}
}

// uncordoned are the devices as they are where the vendor knows no cordons.
func uncordoned(devices []device.DeviceInfo) []device.DeviceInfo {
	out := deepCopies(devices)
	for i := range out {
		out[i].Cordoned = false
	}
	return out
}

func deepCopies(devices []device.DeviceInfo) []device.DeviceInfo {
	out := make([]device.DeviceInfo, len(devices))
	for i := range devices {
		out[i] = devices[i].DeepCopy()
	}
	return out
}

// linkedHere returns copies of devices without links to others that are not among them: nobody describes those.
func linkedHere(devices []device.DeviceInfo) []device.DeviceInfo {
	devices = deepCopies(devices)
	for i := range devices {
		maps.DeleteFunc(devices[i].LinkScores, func(id string, _ int64) bool {
			return !slices.ContainsFunc(devices, func(d device.DeviceInfo) bool { return d.ID == id })
		})
	}
	return devices
}

// described is a situation on a copy of a node that has other devices; nil: they cannot be described.
func (x *exam) described(node *corev1.Node, devices []device.DeviceInfo) *Case {
	devices = linkedHere(devices)
	c := &Case{Node: node.DeepCopy(), wanted: devices}
	if x.Backend.Describe(c.Node, deepCopies(devices)) != nil {
		return nil
	}
	inv := x.Backend.Inventory(c.Node.DeepCopy())
	if inv.Err != nil || len(inv.Problems) > 0 || len(inv.Devices) != len(devices) {
		return nil
	}
	c.devices = inv.Devices
	return c
}

// policies are what pods may say of devices and nodes.
var policies = []string{"binpack", "spread", "mutex", "numa", "topology-aware", "numa,topology-aware", "spread,mutex"}

// randomPod is a pod of the harness, usually with other amounts, now and then with more containers or a policy.
func (x *exam) randomPod(rnd *rand.Rand) *corev1.Pod {
	pod := x.Pods[rnd.IntN(len(x.Pods))].DeepCopy()
	pod.Name, pod.UID = "p", "p"
	if pod.Annotations == nil {
		pod.Annotations = map[string]string{}
	}
	if one(rnd, 3) {
		pod.Annotations[device.AnnotationDevicePolicy] = oneOf(rnd, policies...)
	}
	if one(rnd, 10) {
		pod.Annotations[device.AnnotationNUMABind] = "true"
	}
	if one(rnd, 10) {
		pod.Annotations[device.AnnotationNodePolicy] = "spread"
	}
	if len(pod.Spec.Containers) > 0 {
		x.moreContainers(rnd, pod)
	}
	for _, list := range resourceLists(pod) {
		x.change(rnd, list)
	}
	return pod
}

func (x *exam) moreContainers(rnd *rand.Rand, pod *corev1.Pod) {
	first := pod.Spec.Containers[0]
	if one(rnd, 6) {
		pod.Spec.Containers = append(pod.Spec.Containers, *first.DeepCopy())
	}
	if one(rnd, 10) {
		pod.Spec.InitContainers = append(pod.Spec.InitContainers, *first.DeepCopy())
	}
	if one(rnd, 10) {
		always := corev1.ContainerRestartPolicyAlways
		sidecar := first.DeepCopy()
		sidecar.RestartPolicy = &always
		pod.Spec.InitContainers = append(pod.Spec.InitContainers, *sidecar)
	}
}

// resourceLists are the limits and requests of all containers.
func resourceLists(pod *corev1.Pod) (out []corev1.ResourceList) {
	for _, containers := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range containers {
			r := &containers[i].Resources
			out = append(out, r.Limits, r.Requests)
		}
	}
	return out
}

// change gives some of the amounts another size.
func (x *exam) change(rnd *rand.Rand, list corev1.ResourceList) {
	for _, name := range x.amounts() {
		q, ok := list[name]
		if n, whole := q.AsInt64(); ok && whole && one(rnd, 2) {
			q := resource.NewQuantity(scaled(rnd, n), q.Format)
			list[name] = *q
		}
	}
}

// scaled is from a quarter of n to four times n, or n ± 1, and at least 1.
func scaled(rnd *rand.Rand, n int64) int64 {
	quarters := oneOf[int64](rnd, 1, 2, 3, 4, 6, 8, 12, 16)
	if n > 1<<40 {
		quarters = min(quarters, 4)
	}
	return max(1, n*quarters/4+oneOf[int64](rnd, 0, 0, 1, -1))
}

// amounts are the names of the vendor's resources.
func (x *exam) amounts() (out []corev1.ResourceName) {
	for _, name := range []string{x.names.Count, x.names.Memory, x.names.Percent, x.names.Cores} {
		if name != "" {
			out = append(out, corev1.ResourceName(name))
		}
	}
	return out
}
