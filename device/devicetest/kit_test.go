package devicetest_test

import (
	"errors"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/device/devicetest"
)

// Laws are told apart by their names.
func TestLawsHaveNames(t *testing.T) {
	seen := map[string]bool{}
	for _, l := range devicetest.Laws() {
		if l.Name == "" || l.Says == "" || seen[l.Name] || seen[l.Says] {
			t.Errorf("law %q: %q", l.Name, l.Says)
		}
		seen[l.Name], seen[l.Says] = true, true
	}
}

// The situations are of every kind, none of them rare.
func TestSituationsAreOfAllKinds(t *testing.T) {
	h := harnessOf(newToy())
	h.Tries = 300
	counts, all, err := devicetest.Situations(h)
	if err != nil {
		t.Fatal(err)
	}
	for _, what := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%3d of %d: %s", counts[what], all, what)
	}
	for what, least := range map[string]int{
		"fits": 25, "is refused": 15, "is invalid": 2, "a quota": 10, "a blocked device": 4, "several containers": 8, "init containers": 8,
		"annotations": 30, "no pods before": 15, "many pods before": 8, "one device": 20, "several devices": 40, "a sick device": 8,
		"a cordoned device": 8, "a device without slots left": 3, "a device in part in use": 25,
	} {
		if counts[what] < all*least/100 {
			t.Errorf("%s: %d of %d situations, less than %d %%", what, counts[what], all, least)
		}
	}
}

// A mistake that shows on two devices, one of which is in use, is shown by no more than these.
func TestTheSmallestSituationIsShown(t *testing.T) {
	mistake := planOf(func(_ *device.PodContext, p *device.Plan) {
		p.Rules = device.NewTable(slices.Concat([]device.Rule{{Func: func(c *device.Candidate) bool {
			return len(c.Fit.Granted) == 0 || c.Usage.Slots == 0
		}}}, p.Rules.Rules()))
	})
	err := law(t, "reasons").Check(harnessOf(mistake))
	var v *devicetest.Violation
	if !errors.As(err, &v) || v.Case == nil {
		t.Fatal(err)
	}
	if len(v.Case.Before) != 1 || len(v.Case.Pod.Spec.Containers) != 1 || len(v.Case.Blocked) > 0 || v.Case.Quota.Limited() {
		t.Error("not the smallest")
	}
	golden(t, err, `
law reasons: device chip-1 is refused with code 0, which is no reason
node n:
  chip-0: T100, index 0, 4 slots, 16384 MiB, 100 cores, NUMA node 0, mode shared
  chip-1: T100, index 1, 4 slots, 16384 MiB, 100 cores, NUMA node 0, mode shared
pod before: container [toy.io/chip=1]
pod: container [toy.io/chip=2]`)
}

// What a hostile text consists of besides what breaks the law is left out.
func TestTheSmallestAttackIsShown(t *testing.T) {
	mistake := inventoryOf(func(node *corev1.Node, inv *device.Inventory) {
		if strings.Contains(node.Annotations["toy.io/register"], ":-1") {
			inv.Err = errors.New("what is that?")
		}
	})
	golden(t, law(t, "hostile").Check(harnessOf(mistake)), `
law hostile: error "what is that?" of type *errors.errorString, from Inventory, names no annotation
the harness's node n, changed
  the node's description: ":-1"`)
}

func golden(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || err.Error() != strings.TrimPrefix(want, "\n") {
		t.Errorf("got:\n%v\nwant:%s", err, want)
	}
}

func law(t *testing.T, name string) devicetest.Law {
	t.Helper()
	all := devicetest.Laws()
	i := slices.IndexFunc(all, func(l devicetest.Law) bool { return l.Name == name })
	if i < 0 {
		t.Fatalf("no law %q", name)
	}
	return all[i]
}

// A report can be compared with the last one.
func TestCheckIsDeterministic(t *testing.T) {
	report := func() string {
		b := planOf(func(_ *device.PodContext, p *device.Plan) {
			instead(p, device.HasMemory)
			p.Tag = "a"
			also(p, device.ModeNotFit, func(*device.Candidate) bool { return true })
		})
		h := devicetest.Shortened(harnessOf(b))
		h.Claims.Modes = []string{"a", "b", "c"}
		h.Claims.Waived = map[string]string{"no law": "a", "nor this": "b"}
		return devicetest.Check(h).Error()
	}
	first := report()
	for _, name := range []string{"no over-commit", "conserve", "rules", "claims"} {
		if !strings.Contains(first, "law "+name+": ") {
			t.Errorf("law %s is not broken:\n%s", name, first)
		}
	}
	if again := report(); again != first {
		t.Errorf("first\n%s\nthen\n%s", first, again)
	}
}

// The goroutine of a call that never returns is the only one that is left behind.
func TestHangingCallsAreFewAndLeftBehind(t *testing.T) {
	release := make(chan struct{})
	b := inventoryOf(func(node *corev1.Node, _ *device.Inventory) {
		if strings.Contains(node.Annotations["toy.io/register"], "null") {
			<-release
		}
	})
	before := runtime.NumGoroutine()
	h := devicetest.Shortened(harnessOf(b))
	h.Limit = 200 * time.Millisecond
	if err := law(t, "hostile").Check(h); err == nil || !strings.Contains(err.Error(), "no answer within 200ms") {
		t.Error(err)
	}
	if now := runtime.NumGoroutine(); now > before+1 {
		t.Errorf("%d goroutines are left behind", now-before)
	}
	close(release)
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines are left", runtime.NumGoroutine()-before)
}

// Faults of the harness are told once, and are no violation.
func TestHarnessesWithFaults(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(h *devicetest.Harness)
		want  string
	}{
		"empty":          {func(h *devicetest.Harness) { *h = devicetest.Harness{} }, "harness: a backend, a node and a pod are the least, and none of them may be nil"},
		"nil node":       {func(h *devicetest.Harness) { h.Nodes = append(h.Nodes, nil) }, "harness: a backend, a node and a pod are the least, and none of them may be nil"},
		"nil pod":        {func(h *devicetest.Harness) { h.Pods = append(h.Pods, nil) }, "harness: a backend, a node and a pod are the least, and none of them may be nil"},
		"foreign node":   {func(h *devicetest.Harness) { h.Nodes[0].Annotations = nil }, "harness: node n: cannot be read: no device description: annos not found toy.io/register"},
		"nameless node":  {func(h *devicetest.Harness) { h.Nodes[0].Name = "" }, "harness: a node without a name"},
		"no device":      {func(h *devicetest.Harness) { h.Nodes[0].Annotations["toy.io/register"] = "[]" }, "harness: node n: has no device of the backend"},
		"bad device":     {func(h *devicetest.Harness) { h.Nodes[0].Annotations["toy.io/register"] = "[null]" }, "harness: node n: cannot be read: node n: toy.io/register: device 0: is null"},
		"nothing waived": {func(h *devicetest.Harness) { h.Claims.Waived = map[string]string{"monotone": "why"} }, `harness: waived law "monotone": no situation breaks it`},
		"no such law":    {func(h *devicetest.Harness) { h.Claims.Waived = map[string]string{"x": "why"} }, `harness: waived law "x": there is no such law`},
		"no reason":      {func(h *devicetest.Harness) { h.Claims.Unlimited = map[device.Unit]string{device.Cores: ""} }, "harness: unlimited cores: without a reason"},
		"no amount":      {func(h *devicetest.Harness) { h.Claims.Unlimited = map[device.Unit]string{device.Devices: "a"} }, "harness: unlimited 4: this is no amount of a device"},
	} {
		t.Run(name, func(t *testing.T) {
			h := devicetest.Shortened(harnessOf(newToy()))
			c.spoil(&h)
			err := devicetest.Check(h)
			golden(t, err, c.want)
			if v := (*devicetest.Violation)(nil); errors.As(err, &v) {
				t.Error("a violation")
			}
		})
	}
}

// A law is waived with a reason, and only where it does not hold.
func TestWaivedLaws(t *testing.T) {
	h := devicetest.Shortened(harnessOf(planOf(func(_ *device.PodContext, p *device.Plan) { instead(p, device.HasCores) })))
	h.Claims.Waived = map[string]string{"no over-commit": "cores are shares, of which there may be any number"}
	if err := devicetest.Check(h); err != nil {
		t.Error(err)
	}
	h.Claims.Waived["no over-commit"] = ""
	golden(t, devicetest.Check(h), `harness: waived law "no over-commit": without a reason`)
	h.Claims.Waived, h.Claims.Unlimited = nil, map[device.Unit]string{device.Cores: "cores are shares"}
	if err := devicetest.Check(h); err != nil {
		t.Error(err)
	}
}

// Nodes that no agent would leave break no law, and do not panic.
func TestOddHarnesses(t *testing.T) {
	h := devicetest.Shortened(harnessOf(newToy()))
	h.Tries = 60
	odd := chips(2, device.MaxAmount)
	odd[0].Memory, odd[0].Cores, odd[0].Slots, odd[1].NUMA, odd[1].Index = 0, 0, 0, -1, 1000
	h.Nodes = append(h.Nodes, nodeOf(newToy(), odd), nodeOf(newToy(), chips(1, 1)))
	empty, none := podOf(""), &corev1.Pod{}
	empty.Annotations, empty.Spec.Containers[0].Resources.Limits = nil, nil
	h.Pods = append(h.Pods, empty, none, podOf("toy.io/chip=9223372036854775807 toy.io/memory=500m toy.io/cores=-1"))
	for _, l := range devicetest.Laws() {
		if l.Name == "claims" || l.Name == "rules" || l.Name == "hostile" && testing.Short() {
			continue // too few tries
		}
		if err := l.Check(h); err != nil {
			t.Error(err)
		}
	}
}
