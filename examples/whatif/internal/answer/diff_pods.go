package answer

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/examples/whatif/internal/nondevice"
)

// diffPods lists the pods that wait in one of two clusters and about which the answers differ.
func diffPods(a, b *World) []PodDiff {
	byName := func(pods []*corev1.Pod) map[string]*corev1.Pod {
		out := map[string]*corev1.Pod{}
		for _, p := range pods {
			out[podName(p)] = p
		}
		return out
	}
	before, after := byName(a.waiting()), byName(b.waiting())
	allA, allB := byName(a.pods), byName(b.pods)
	of := [2]*looked{newLooked(a), newLooked(b)}
	out := []PodDiff{}
	for _, name := range union(before, after) {
		old, now := before[name], after[name]
		switch {
		case old == nil:
			d := PodDiff{Pod: name, How: Came, B: of[1].spot(b.ask(now))}
			if p := allA[name]; p != nil {
				d.Runs = a.nodeOf(p)
			}
			out = append(out, d)
		case now == nil:
			d := PodDiff{Pod: name, How: Went, A: of[0].spot(a.ask(old))}
			if p := allB[name]; p != nil {
				d.Runs = b.nodeOf(p)
			}
			out = append(out, d)
		default:
			if d := diffPod(of, old, now); d.differs() {
				out = append(out, d)
			}
		}
	}
	return out
}

func (d *PodDiff) differs() bool {
	return d.Asks != nil || len(d.Nodes) > 0 || !d.A.equal(d.B)
}

func (s *Spot) equal(t *Spot) bool {
	return s.Node == t.Node && slices.EqualFunc(s.Devices, t.Devices, func(a, b Granted) bool {
		same := a.MIG == b.MIG || a.MIG != nil && b.MIG != nil && *a.MIG == *b.MIG
		a.MIG, b.MIG = nil, nil
		return same && a == b
	})
}

// diffPod compares the answers about a pod that waits in both clusters.
func diffPod(of [2]*looked, old, now *corev1.Pod) PodDiff {
	x, y := of[0].w.ask(old), of[1].w.ask(now)
	d := PodDiff{Pod: podName(old), How: Changed, A: of[0].spot(x), B: of[1].spot(y)}
	if was, is := of[0].w.asksText(x), of[1].w.asksText(y); was != is {
		d.Asks = &Change{"asks for", was, is}
	}
	before, after := of[0].verdicts(x), of[1].verdicts(y)
	at := map[string]int{}
	for _, node := range union(before, after) {
		v := VerdictDiff{A: orNoNode(before[node]), B: orNoNode(after[node])}
		gone := v.A[0] == NoSuchNode && v.B[0] != FitsHere || v.B[0] == NoSuchNode && v.A[0] != FitsHere
		if gone || slices.Equal(v.A, v.B) {
			continue // a node that is there on one side only, and does not serve, is told with the nodes
		}
		key := strings.Join(v.A, "\x00") + "\x01" + strings.Join(v.B, "\x00")
		i, known := at[key]
		if !known {
			i = len(d.Nodes)
			at[key] = i
			d.Nodes = append(d.Nodes, v)
		}
		d.Nodes[i].Nodes = append(d.Nodes[i].Nodes, node)
	}
	return d
}

func orNoNode(verdict []string) []string {
	if verdict == nil {
		return []string{NoSuchNode}
	}
	return verdict
}

// asksText is what a pod asks for, in one line.
func (w *World) asksText(a asked) string {
	if a.invalid != nil {
		return "the impossible: " + a.invalid.Error()
	}
	var parts []string
	for _, ask := range w.asks(a) {
		text := plural(int(ask.Devices), ask.Vendor+" device")
		switch {
		case ask.Memory > 0:
			text += fmt.Sprintf(", %d MiB each", ask.Memory)
		case ask.Percent > 0:
			text += fmt.Sprintf(", %d %% of the memory each", ask.Percent)
		}
		if ask.Cores > 0 {
			text += fmt.Sprintf(", %d %s each", ask.Cores, coresOf(ask.CoreUnit))
		}
		parts = append(parts, text+" (container "+ask.Container+")")
	}
	if len(parts) == 0 {
		return "no device"
	}
	return strings.Join(parts, "; ")
}

func (w *World) verdict(a asked, name string, u *device.NodeUsage) []string {
	if a.invalid != nil {
		return []string{"the pod asks for the impossible"}
	}
	if err := gated(a.pod); err != nil {
		return []string{err.Error()}
	}
	var out []string
	for _, f := range w.rules.Broken(a.pod, w.snapshot.Object(name), w.taken[name]) {
		out = append(out, against(f))
	}
	if fit := w.set.Fit(a.request, u); !fit.OK() {
		out = append(out, strings.Split(fit.Reasons.Detail(), ", ")...)
	}
	if len(out) == 0 {
		return []string{FitsHere}
	}
	return out
}

// against says in words what a rule that is not about devices has against a node.
func against(f nondevice.Finding) string {
	switch f.Rule {
	case "cordoned", "notReady", "nodeAffinity":
		return rulePhrase(f.Rule)
	case "taint":
		return "taint " + f.Have
	}
	return fmt.Sprintf("%s: want %s, have %s", f.Rule, f.Want, f.Have)
}
