package testkit

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
)

// Option relaxes what [FuzzModel] checks.
type Option uint8

// The options.
const (
	CoresUnchecked  Option = 1 << iota // cores that are granted are no amounts, or more than one pod may have the same
	MemoryUnchecked                    // likewise memory
	SlotsUnchecked                     // the slots that a device registers do not limit what is given of it
)

// FuzzModel runs hostile nodes and pods through a vendor's backend of [vendors.Default]. Whatever the texts and quantities:
// nothing panics, errors are typed, and what is given out exists, is free and is written down.
func FuzzModel(f *testing.F, v device.Vendor, options ...Option) {
	m := newHostileModel(f, v)
	for _, o := range options {
		m.relaxed |= o
	}
	for _, h := range m.seeds() {
		f.Add(h.description, h.offer.count, h.offer.memory, h.offer.cores, h.lists,
			h.ask.count, h.ask.memory, h.ask.cores, h.policy, h.allocated, h.shape)
	}
	f.Fuzz(func(t *testing.T, description, hasCount, hasMemory, hasCores, lists, count, memory, cores, policy, allocated string, shape uint16) {
		m.try(t, &hostile{
			description, texts{hasCount, hasMemory, hasCores}, lists, texts{count, memory, cores}, policy, allocated, shape,
		})
	})
}

// hostile is everything of a node and a pod that a model reads.
type hostile struct {
	description string // registration, or what else the node agent writes
	offer       texts  // capacity
	lists       string // pod annotations of the vendor
	ask         texts  // of each container
	policy      string
	allocated   string // of a pod that runs there
	shape       uint16 // bits, below; those from quirkShift on are quirks
}

// texts are quantities; empty: not given.
type texts struct{ count, memory, cores string }

const (
	evenLists      = 1 << iota // the lists go into the vendor's pod annotations number 0, 2, …
	oddLists                   // and into the others
	numaBind                   //
	twoContainers              //
	initAndSidecar             //
	underQuota                 //
	elsewhere                  // the description goes into all annotations and labels but the registration
	inRequests                 // the pod asks in its requests, not in its limits
	percent                    // and for memory in percent
	others                     // and for the vendor's other resources
	spreadNodes                //
	quirkShift     = iota
)

func (h *hostile) has(bit uint16) bool { return h.shape&bit != 0 }

func (h *hostile) quirks() device.Quirks {
	return device.Quirks(h.shape>>quirkShift) & device.AllQuirks
}

// hostileModel is a backend under attack.
type hostileModel struct {
	backend device.Backend
	names   device.Names
	set     *vendors.Set
	usual   *corev1.Node // as the backend describes it
	devices []device.DeviceInfo
	relaxed Option
}

func newHostileModel(f *testing.F, v device.Vendor) *hostileModel {
	f.Helper()
	m := &hostileModel{backend: vendors.Default().Backend(v)}
	if m.backend == nil {
		f.Fatalf("no backend %s", v)
	}
	m.names = m.backend.Names()
	var err error
	if m.set, err = vendors.New(m.backend); err != nil {
		f.Fatal(err)
	}
	models := ModelsOf(v)
	if len(models) == 0 {
		f.Fatalf("no model of %s", v)
	}
	if m.usual, err = Described(m.backend, &models[0], 8); err != nil {
		f.Fatal(err)
	}
	m.devices = m.backend.Inventory(m.usual).Devices
	if len(m.devices) == 0 {
		f.Fatal("a usual node has no devices")
	}
	return m
}

func (m *hostileModel) seeds() []hostile {
	of := func(name string) string {
		q := m.usual.Status.Capacity[corev1.ResourceName(name)]
		return q.String()
	}
	registration := m.usual.Annotations[m.names.Register]
	offer := texts{of(m.names.Count), of(m.names.Memory), of(m.names.Cores)}
	first, last := m.devices[0].ID, m.devices[len(m.devices)-1].ID
	held := fmt.Sprintf("%s,%s,1000,10:%s,%s,1,0:;", first, m.backend.Vendor(), last, m.backend.Vendor())
	half := registration[:len(registration)/2]
	return []hostile{
		{registration, offer, "", texts{"1", "", ""}, "", "", 0},
		{registration, offer, first + "," + last, texts{"2", "1000", "20"}, "binpack", held, evenLists | twoContainers | underQuota},
		{registration, offer, first, texts{"1", "1", "100"}, "mutex", held, oddLists | initAndSidecar | inRequests | spreadNodes},
		{registration, offer, "true", texts{"8", "50", "0"}, "numa,topology-aware", "", 0xffff &^ underQuota},
		{registration + registration, texts{"0", "-1", "1e3"}, ",", texts{"2147483647", "2147483648", "150"}, "spread,numa", ";;,,:", elsewhere | numaBind | percent},
		{half, texts{"1.5", "1Gi", "500m"}, " ", texts{"-1", "16Gi", "0.1"}, "topology-aware", first + ",,2147483647,-1:;", others | evenLists | oddLists},
		{"[null]", texts{"1k", "2Ti", ""}, "{}", texts{"4k", "1k", "1"}, ",", first + ":;" + first + ",x,1,1:;", elsewhere | others},
		{"[]", texts{"1024", "1", "1"}, "[", texts{"3", "", ""}, "binpack", "", elsewhere},
		{":", texts{"1025", "", ""}, "0", texts{"", "1", "1"}, "numa", "", percent},
		{"{", texts{"", "", ""}, "", texts{"0", "0", "0"}, "x", "", 0},
		{"", texts{"9223372036854775807", "9223372036854775807", ""}, "", texts{"9223372036854775807", "", ""}, "", "", elsewhere},
	}
}

func (m *hostileModel) try(t *testing.T, h *hostile) {
	node, pod := m.node(h), m.pod(h)
	m.inventory(t, node)
	for _, now := range []time.Time{{}, time.Unix(1767225600, 0)} {
		m.backend.Health(device.HealthInput{Node: node, Now: now})
	}
	set := m.set.With(vendors.Options{Quirks: h.quirks()})
	MustAdmitOnce(t, set, pod)
	running := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "r", Annotations: m.podLists(h)}}
	running.Annotations[device.AnnotationNode], running.Annotations[m.names.Allocated] = "n", h.allocated
	u, problems := usage.Node(set, node, []*corev1.Pod{running})
	mustBeProblems(t, problems)
	r, err := set.Request(pod)
	if err != nil {
		MustBeTyped(t, err)
		return
	}
	if h.has(underQuota) {
		limit := device.Limit{Left: int64(h.shape) * 100, Set: true}
		r = r.WithQuota(map[device.Vendor]device.Headroom{m.backend.Vendor(): {Memory: limit}})
	}
	m.fit(t, set, h, pod, r, u)
}

// node is the usual node with what the attack puts in its place.
func (m *hostileModel) node(h *hostile) *corev1.Node {
	node := m.usual.DeepCopy()
	for key := range node.Annotations {
		if m.names.Register == "" || (key == m.names.Register) != h.has(elsewhere) {
			node.Annotations[key] = h.description
		}
	}
	for key := range node.Labels {
		if h.has(elsewhere) {
			node.Labels[key] = h.description
		}
	}
	for name, text := range map[string]string{m.names.Count: h.offer.count, m.names.Memory: h.offer.memory, m.names.Cores: h.offer.cores} {
		for _, list := range []corev1.ResourceList{node.Status.Capacity, node.Status.Allocatable} {
			delete(list, corev1.ResourceName(name))
			if q, ok := HostileQuantity(text); ok && name != "" && list != nil {
				list[corev1.ResourceName(name)] = q
			}
		}
	}
	return node
}

// HostileQuantity reads a quantity, unless its exponent is one that the parser of Kubernetes takes for ever over.
func HostileQuantity(text string) (resource.Quantity, bool) {
	if at := strings.IndexAny(text, "eE"); at >= 0 && len(text)-at > 6 {
		return resource.Quantity{}, false
	}
	q, err := resource.ParseQuantity(text)
	return q, err == nil
}

func (m *hostileModel) podLists(h *hostile) map[string]string {
	out := map[string]string{}
	for i, key := range m.names.PodKeys {
		if i%2 == 0 && h.has(evenLists) || i%2 == 1 && h.has(oddLists) {
			out[key] = h.lists
		}
	}
	return out
}

func (m *hostileModel) pod(h *hostile) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "default", UID: "p", Annotations: m.podLists(h)}}
	pod.Annotations[device.AnnotationDevicePolicy] = h.policy
	if h.has(numaBind) {
		pod.Annotations[device.AnnotationNUMABind] = "true"
	}
	if h.has(spreadNodes) {
		pod.Annotations[device.AnnotationNodePolicy] = "spread"
	}
	c := corev1.Container{Name: "c", Resources: corev1.ResourceRequirements{Limits: m.amounts(h)}}
	if h.has(inRequests) {
		c.Resources = corev1.ResourceRequirements{Requests: c.Resources.Limits}
	}
	AddContainer(pod, c, device.App)
	if h.has(twoContainers) {
		AddContainer(pod, *c.DeepCopy(), device.App)
	}
	if h.has(initAndSidecar) {
		AddContainer(pod, *c.DeepCopy(), device.Init)
		AddContainer(pod, *c.DeepCopy(), device.Sidecar)
	}
	return pod
}

func (m *hostileModel) amounts(h *hostile) corev1.ResourceList {
	named := map[string]string{m.names.Count: h.ask.count, m.names.Cores: h.ask.cores}
	if h.has(percent) {
		named[m.names.Percent] = h.ask.memory
	} else {
		named[m.names.Memory] = h.ask.memory
	}
	if h.has(others) {
		for _, name := range m.names.Others {
			named[name] = h.ask.count
		}
	}
	out := corev1.ResourceList{}
	for name, text := range named {
		if q, ok := HostileQuantity(text); ok && name != "" {
			out[corev1.ResourceName(name)] = q
		}
	}
	return out
}

// inventory checks what is read of a node, and that the backend describes it so that the same is read again.
func (m *hostileModel) inventory(t *testing.T, node *corev1.Node) {
	t.Helper()
	before := node.DeepCopy()
	inv := m.backend.Inventory(node)
	if !reflect.DeepEqual(before, node) {
		t.Fatal("reading changed the node")
	}
	if d := (*device.DecodeError)(nil); inv.Err != nil && !errors.Is(inv.Err, device.ErrNoDescription) && (!errors.As(inv.Err, &d) || d.Key == "") {
		t.Fatalf("error %v is of type %T", inv.Err, inv.Err)
	}
	mustBeProblems(t, inv.Problems)
	most := device.MaxDevices
	for _, text := range node.Annotations {
		most += len(text)
	}
	if len(inv.Devices) > most || inv.Vendor != m.backend.Vendor() {
		t.Fatalf("%d devices of %s", len(inv.Devices), inv.Vendor)
	}
	seen := map[string]bool{}
	for i := range inv.Devices {
		d := &inv.Devices[i]
		if seen[d.ID] || strings.ContainsAny(d.ID, ",:;") || d.Slots < 0 || d.Memory < 0 || d.Cores < 0 || d.Index < 0 {
			t.Fatalf("device %+v", d)
		}
		seen[d.ID] = true
	}
	m.again(t, inv)
}

func (m *hostileModel) again(t *testing.T, inv device.Inventory) {
	t.Helper()
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}
	if len(inv.Devices) == 0 || m.backend.Describe(node, inv.Devices) != nil {
		return
	}
	again := m.backend.Inventory(node)
	if got, want := DevicesText(again.Devices), DevicesText(inv.Devices); got != want || again.Err != nil {
		t.Fatalf("described: %v\n%s\nread before:\n%s", again.Err, got, want)
	}
}

// fit checks the answer to whether a pod fits.
func (m *hostileModel) fit(t *testing.T, set *vendors.Set, h *hostile, pod *corev1.Pod, r *vendors.Request, u *device.NodeUsage) {
	t.Helper()
	fit := set.Fit(r, u)
	if again := set.Fit(r, u); !reflect.DeepEqual(fit, again) {
		t.Fatalf("first %v, then %v", fit, again)
	}
	if why := set.Explain(r, u); !reflect.DeepEqual(why.Fit, fit) {
		t.Fatalf("Explain says %v, Fit %v", why.Fit, fit)
	}
	if fit.OK() != fit.Reasons.IsZero() || !fit.OK() && fit.Reasons.String() == "" {
		t.Fatalf("neither fit nor reasons: %+v", fit)
	}
	if !fit.OK() {
		return
	}
	if score := set.Score(r, u, fit); math.IsNaN(float64(score)) {
		t.Fatal("the score is no number")
	}
	m.number(t, h, pod, r, fit.Allocation)
	MustBeSound(t, set, pod, u, fit.Allocation, m.relaxed)
}

// number checks that every container was given the devices it asks for, each once.
func (m *hostileModel) number(t *testing.T, h *hostile, pod *corev1.Pod, r *vendors.Request, a *device.Allocation) {
	t.Helper()
	for position, asks := range r.Containers() {
		given, ids := int64(0), map[string]bool{}
		for _, d := range a.Devices {
			if d.Container != position {
				continue
			}
			if d.Vendor != m.backend.Vendor() || ids[d.ID] && d.MIG.IsZero() {
				t.Fatalf("container %d is given %+v", position, d)
			}
			given, ids[d.ID] = given+1, true
		}
		if len(asks) == 0 {
			if given > 0 {
				t.Fatalf("container %d asks for nothing, is given %d", position, given)
			}
			continue
		}
		c := device.PodContext{
			Annotations: pod.Annotations, Quirks: h.quirks(), Container: position, Classes: r.Classes(),
			Asks: make([]device.ContainerRequest, len(r.Classes())),
		}
		c.Asks[position] = asks[0]
		if m.backend.Plan(&c, asks[0]).Nums != nil {
			asks = []device.ContainerRequest{{Nums: max(1, given)}}
		}
		if given != asks[0].Nums {
			t.Fatalf("container %d asks for %d, is given %d", position, asks[0].Nums, given)
		}
	}
}
