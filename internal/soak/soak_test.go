package soak

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/vendors"
)

// machinesOf is a machine for each model of a set's backends, and one whose devices are cut into instances for each that can be;
// the same each time.
func machinesOf(set *vendors.Set) ([]Machine, error) {
	r := rand.New(rand.NewPCG(1, 1))
	var out []Machine
	for _, model := range vendors.Models() {
		b := set.Backend(model.Vendor)
		if b == nil {
			return nil, fmt.Errorf("no backend %s", model.Vendor)
		}
		node, err := testkit.Described(b, &model, 2+r.IntN(7))
		if err != nil {
			return nil, err
		}
		out = append(out, machineOf(r, b, &model, node, len(out)))
		if len(model.MIGProfiles) > 0 {
			devices := testkit.UsualDevices(b, &model, 2) // few, so that several pods share one
			for i := range devices {
				devices[i].Mode, devices[i].Slots, devices[i].MIGProfiles = device.ModeMIG, 7, model.MIGProfiles
			}
			node := &corev1.Node{}
			if err := b.Describe(node, devices); err != nil {
				return nil, err
			}
			model.Memory /= 6 // of an instance
			out = append(out, machineOf(r, b, &model, node, len(out)))
		}
	}
	return out, nil
}

func machineOf(r *rand.Rand, b device.Backend, model *device.Model, node *corev1.Node, number int) Machine {
	node.Name = fmt.Sprintf("n%d", number)
	m := Machine{Backend: b, Node: node}
	for i := range 8 {
		m.Pods = append(m.Pods, podFor(r, b.Names(), model, fmt.Sprintf("%s-%d", node.Name, i)))
	}
	return m
}

// podFor asks for devices of a model; now and then for what nobody can give.
func podFor(r *rand.Rand, names device.Names, model *device.Model, name string) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name, Annotations: map[string]string{}}}
	if r.IntN(3) == 0 {
		pod.Annotations[device.AnnotationDevicePolicy] = testkit.OneOf(r, "binpack", "spread", "mutex", "topology-aware", "numa")
	}
	if r.IntN(3) == 0 {
		pod.Annotations[device.AnnotationNodePolicy] = testkit.OneOf(r, "binpack", "spread")
	}
	for _, key := range names.PodKeys {
		if r.IntN(12) == 0 {
			pod.Annotations[key] = testkit.OneOf(r, "true", "best-effort", "fixed-share", "hami-core", "mig", "d1", model.Name)
		}
	}
	for i := range testkit.OneOf(r, 1, 1, 2) {
		c := corev1.Container{Name: fmt.Sprintf("c%d", i), Resources: corev1.ResourceRequirements{Limits: amounts(r, names, model)}}
		testkit.AddContainer(pod, c, testkit.OneOf(r, device.App, device.App, device.Init, device.Sidecar))
	}
	return pod
}

func amounts(r *rand.Rand, names device.Names, model *device.Model) corev1.ResourceList {
	limits := corev1.ResourceList{}
	set := func(name string, n int64) {
		if name != "" && n != 0 {
			limits[corev1.ResourceName(name)] = *resource.NewQuantity(n, resource.DecimalSI)
		}
	}
	set(names.Count, testkit.OneOf[int64](r, 1, 1, 1, 1, 2, 2, 4, -1))
	if r.IntN(2) == 0 {
		set(names.Memory, model.Memory/testkit.OneOf[int64](r, 2, 3, 4, 8)/max(1, names.MemoryFactor))
	} else {
		set(names.Percent, testkit.OneOf[int64](r, 0, 10, 30, 50))
	}
	set(names.Cores, testkit.OneOf[int64](r, 0, 1, 10, 25, 50, 100))
	return limits
}

// usual is a world of all vendors.
func usual() (*World, error) { return worldOf(vendors.Default()) }

func worldOf(set *vendors.Set) (*World, error) {
	machines, err := machinesOf(set)
	if err != nil {
		return nil, err
	}
	return NewWorld(set, machines)
}

// duration is how long TestSoak goes on: what ACCELFIT_SOAK says, or a few seconds.
func duration(t *testing.T) time.Duration {
	t.Helper()
	text := os.Getenv("ACCELFIT_SOAK")
	switch {
	case text != "":
		d, err := time.ParseDuration(text)
		if err != nil {
			t.Fatalf("ACCELFIT_SOAK: %v", err)
		}
		return d
	case testing.Short():
		return time.Second
	}
	return 5 * time.Second
}

// heap is what is in use once what is not has been collected.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // what finalizers and pools held
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestSoak has goroutines share everything that may be shared: no answer differs from that of one alone, memory does not grow,
// and under -race nothing is found.
func TestSoak(t *testing.T) {
	const mayGrow = 32 << 20
	seed := testkit.Seed(t)
	w, err := usual()
	if err != nil {
		t.Fatal(err)
	}
	rounds, before := uint64(0), int64(0)
	for end := time.Now().Add(duration(t)); rounds < 2 || time.Now().Before(end); rounds++ {
		if err := w.Round(seed, rounds, usual); err != nil {
			t.Fatal(err)
		}
		if rounds == 0 {
			before = heap()
		}
	}
	grown := heap() - before
	runtime.KeepAlive(w)
	t.Logf("%d rounds, %d operations together and as many alone; heap %d KiB at first, %+d KiB since",
		rounds, rounds*Goroutines*Operations, before>>10, grown>>10)
	if grown > mayGrow {
		t.Errorf("the heap has grown by %d MiB", grown>>20)
	}
}

// TestEveryOperationTells checks that the comparison has something to compare.
func TestEveryOperationTells(t *testing.T) {
	w, err := usual()
	if err != nil {
		t.Fatal(err)
	}
	texts, fits := map[string]map[string]bool{}, 0
	for round := range uint64(24) {
		for _, a := range w.worker(1, round, 0).work() {
			if texts[a.operation] == nil {
				texts[a.operation] = map[string]bool{}
			}
			texts[a.operation][a.text] = true
			if strings.Contains(a.text, "0xc0") {
				t.Errorf("%s tells an address: %s", a.operation, a.text)
			}
			if a.operation == "Fit" && strings.HasPrefix(a.text, "{") {
				fits++
			}
		}
	}
	if !strings.Contains(strings.Join(slices.Collect(maps.Keys(texts["Node"])), ""), "Profile:") {
		t.Error("no machine runs instances")
	}
	for _, o := range w.worker(1, 1, 0).operations() {
		if n := len(texts[o.name]); n < 5 {
			t.Errorf("%s: only %d different answers", o.name, n)
		}
	}
	if fits < 10 {
		t.Errorf("only %d pods fit", fits)
	}
}

// impure counts its calls and asks for as much more memory: free of races, and no function of its arguments.
type impure struct {
	device.Backend
	calls *atomic.Int64
}

func (b impure) Request(c *corev1.Container) (device.ContainerRequest, error) {
	ask, err := b.Backend.Request(c)
	ask.Memory += b.calls.Add(1)
	return ask, err
}

// TestImpureBackendIsFound checks that a round can fail: one backend of all keeps state between calls.
func TestImpureBackendIsFound(t *testing.T) {
	leaky := func() (*World, error) {
		backends := vendors.Default().Backends()
		for i, b := range backends {
			if b.Vendor() == "NVIDIA" {
				backends[i] = impure{b, new(atomic.Int64)}
			}
		}
		set, err := vendors.New(backends...)
		if err != nil {
			return nil, err
		}
		return worldOf(set)
	}
	w, err := leaky()
	if err != nil {
		t.Fatal(err)
	}
	for round := uint64(0); err == nil && round < 8; round++ { // NVIDIA's machines may be left out of the first
		err = w.Round(1, round, leaky)
	}
	if err == nil || !strings.Contains(err.Error(), "together") {
		t.Fatalf("not found: %v", err)
	}
	t.Log(err)
}
