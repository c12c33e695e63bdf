package cases

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/accelfit/accelfit/device"
)

// checker collects what disagrees.
type checker struct{ bad []string }

func (c *checker) equal(field string, want, got any) {
	if !reflect.DeepEqual(want, got) {
		c.bad = append(c.bad, fmt.Sprintf("%s: want %v, got %v", field, want, got))
	}
}

func (c *checker) that(field string, ok bool, format string, args ...any) {
	if !ok {
		c.bad = append(c.bad, field+": "+fmt.Sprintf(format, args...))
	}
}

// check compares every field of an expectation that is given.
func check(c *Case, a *answer) []string {
	var k checker
	e := &c.Expect
	k.verdicts(e, a)
	k.devices(e, a)
	k.relations(e, a)
	k.amounts(e, a)
	k.texts(e, a)
	if e.NodesNeeded != nil {
		k.equal("nodes_needed", *e.NodesNeeded, a.newNodes)
	}
	k.that("fork_revert", !a.trace, "a dropped fork left a trace")
	return k.bad
}

func (a *answer) last() podAnswer {
	if len(a.pods) == 0 {
		return podAnswer{}
	}
	return a.pods[len(a.pods)-1]
}

func (k *checker) verdicts(e *Expect, a *answer) {
	var fits []bool
	var nodes []string
	n := 0
	for _, p := range a.pods {
		fits, nodes = append(fits, p.fit), append(nodes, p.node)
		if p.fit {
			n++
		}
	}
	if e.Fit != nil {
		k.equal("fit", *e.Fit, a.last().fit)
	}
	if e.PerPod != nil {
		k.equal("per_pod", e.PerPod, fits)
	}
	if e.CountFit != nil {
		k.equal("count_fit", *e.CountFit, n)
	}
	if e.Node != "" {
		k.equal("node", e.Node, a.last().node)
	}
	if e.NodesPerPod != nil {
		k.equal("nodes_per_pod", e.NodesPerPod, nodes)
	}
}

func (k *checker) devices(e *Expect, a *answer) {
	last := a.last()
	if e.Devices != nil {
		want := slices.Clone(e.Devices)
		slices.Sort(want)
		k.equal("devices", want, last.ids())
	}
	for _, id := range e.DevicesNot {
		k.that("devices_not", !slices.Contains(last.ids(), id), "%s was given", id)
	}
	if e.DevicesPerPod != nil {
		var got [][]string
		for i := range a.pods {
			got = append(got, a.pods[i].ids())
		}
		k.equal("devices_per_pod", e.DevicesPerPod, got)
	}
	if e.DeviceCount != nil {
		got := 0
		if last.allocation != nil {
			got = len(last.allocation.Devices)
		}
		k.equal("device_count", *e.DeviceCount, got)
	}
	for vendor, want := range e.ByVendor {
		var got []string
		if last.allocation != nil {
			for _, d := range last.allocation.Of(device.Vendor(vendor)) {
				got = append(got, d.ID)
			}
		}
		k.equal("devices_by_vendor."+vendor, want, got)
	}
}

func (k *checker) relations(e *Expect, a *answer) {
	seen := map[string]int{}
	placed := 0
	for i := range a.pods {
		if a.pods[i].fit {
			placed++
			for _, id := range a.pods[i].ids() {
				seen[id]++
			}
		}
	}
	switch e.Relation {
	case "same_device":
		k.that("relation", len(seen) == 1 && placed > 1, "devices %v", seen)
	case "distinct_devices":
		k.that("relation", len(seen) == placed && placed > 1, "devices %v", seen)
	default:
		k.equal("relation", "", e.Relation)
	}
	for i := range e.FirstNSame {
		k.equal("first_n_same", a.pods[0].ids(), a.pods[i].ids())
	}
	if e.LastDiffers {
		last := a.last()
		k.that("last_differs", !slices.Equal(a.pods[0].ids(), last.ids()), "%v", last.ids())
	}
}

func (k *checker) amounts(e *Expect, a *answer) {
	memory := func(h device.Hold) int64 { return h.Memory }
	for id, want := range e.UsedMem {
		k.equal("usedmem."+id, want, a.pods[0].holds(memory)[id])
	}
	for id, want := range e.UsedCores {
		k.equal("usedcores."+id, want, a.pods[0].holds(func(h device.Hold) int64 { return h.Cores })[id])
	}
	if e.UsedMemPerPod == nil {
		return
	}
	var got []int64
	for i := range a.pods {
		sum := int64(0)
		for _, m := range a.pods[i].holds(memory) {
			sum += m
		}
		got = append(got, sum)
	}
	k.equal("usedmem_per_pod", e.UsedMemPerPod, got)
}

func (k *checker) texts(e *Expect, a *answer) {
	if e.ReasonContains != "" {
		k.that("reason_contains", strings.Contains(a.reasons, e.ReasonContains), "want %q in %q", e.ReasonContains, a.reasons)
	}
	if e.ReasonNot != "" {
		k.that("reason_not", !strings.Contains(a.reasons, e.ReasonNot), "want no %q in %q", e.ReasonNot, a.reasons)
	}
	for field, want := range map[string]string{"error_contains": e.Error, "warning_contains": e.Warning} {
		if want != "" {
			all := a.problems + a.reasons
			k.that(field, strings.Contains(all, want), "want %q in %q", want, all)
		}
	}
}
