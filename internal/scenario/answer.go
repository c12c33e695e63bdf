package scenario

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/score"
	"github.com/accelfit/accelfit/vendors"
)

// parsed is a pod's request under the quota of its namespace.
func (w *World) parsed(pod *corev1.Pod) (*vendors.Request, error) {
	r, err := w.set.Request(pod)
	if err != nil {
		return nil, err
	}
	return r.WithQuota(w.quotas.Headroom(pod.Namespace)), nil
}

func (w *World) request(_ *command, pod *corev1.Pod) (string, error) {
	r, err := w.set.Request(pod)
	if err != nil {
		return "error: " + err.Error(), nil
	}
	var out []string
	for _, asks := range r.Containers() {
		text := "-"
		for i, a := range asks {
			if i == 0 {
				text = ""
			} else {
				text += " + "
			}
			text += fmt.Sprintf("%d / %d / %d / %d", a.Nums, a.Memory, a.MemoryPercent, a.Cores)
		}
		out = append(out, text)
	}
	return strings.Join(out, " ; "), nil
}

func (w *World) fit(c *command, pod *corev1.Pod) (string, error) {
	r, err := w.parsed(pod)
	if err != nil {
		return "error: " + err.Error(), nil
	}
	node, _ := w.usageOf(c.name())
	f := w.set.Fit(r, node)
	text := fitted(f)
	if c.has("hold") && f.OK() {
		for _, h := range f.Allocation.Collapse() {
			text += fmt.Sprintf(" | %s %d/%d/%d", h.ID, h.Memory, h.Cores, h.Slots)
		}
	}
	return text, nil
}

// fitted is the devices of each container, or why not.
func fitted(f vendors.Fit) string {
	if !f.OK() {
		return f.Reasons.Detail()
	}
	containers := make([]string, len(f.Allocation.Classes))
	for _, d := range f.Allocation.Devices {
		text := fmt.Sprintf("%s %d/%d", d.ID, d.Memory, d.Cores)
		if !d.MIG.IsZero() {
			text += fmt.Sprintf(" %s@%d", d.MIG.Profile, d.MIG.Placement.Start)
		}
		at := &containers[d.Container]
		if *at != "" {
			*at += ", "
		}
		*at += text
	}
	for i := range containers {
		if containers[i] == "" {
			containers[i] = "-"
		}
	}
	return strings.Join(containers, " ; ")
}

func (w *World) place(c *command, pod *corev1.Pod) (string, error) {
	r, err := w.parsed(pod)
	if err != nil {
		return "error: " + err.Error(), nil
	}
	name := c.name()
	if name == "any" {
		name, _ = w.choose(r, slices.Sorted(maps.Keys(w.nodes)))
	}
	node, _ := w.usageOf(name)
	f := w.set.Fit(r, node)
	if f.OK() {
		w.put(pod, name, f.Allocation)
	}
	if c.name() == "any" {
		return name + ": " + fitted(f), nil
	}
	return fitted(f), nil
}

// choose tries the nodes and returns the best, or an empty name, with what to say of each.
func (w *World) choose(r *vendors.Request, names []string) (best string, said []string) {
	var serve []score.Ranked
	for _, name := range names {
		node, _ := w.usageOf(name)
		f := w.set.Fit(r, node)
		text := f.Reasons.Detail()
		if f.OK() {
			rank := w.set.Score(r, node, f)
			serve = append(serve, score.Ranked{Name: name, Score: rank})
			text = "score " + number(rank) + ", " + fitted(f)
		}
		said = append(said, name+": "+text)
	}
	if len(serve) == 0 {
		return "", said
	}
	return slices.MinFunc(serve, func(a, b score.Ranked) int { return score.Compare(r.NodePolicy, a, b) }).Name, said
}

func number(f float32) string { return strconv.FormatFloat(float64(f), 'g', -1, 32) }

func (w *World) filter(c *command, pod *corev1.Pod) (string, error) {
	r, err := w.parsed(pod)
	if err != nil {
		return "error: " + err.Error(), nil
	}
	if r.Empty() {
		return "asks for no device: every node", nil
	}
	var names []string
	for _, a := range c.args {
		names = append(names, a.Key)
	}
	best, said := w.choose(r, names)
	if best == "" {
		best = "none"
	}
	return "chosen: " + best + "\n  " + strings.Join(said, "\n  "), nil
}

func (w *World) why(c *command, pod *corev1.Pod) (string, error) {
	r, err := w.parsed(pod)
	if err != nil {
		return "error: " + err.Error(), nil
	}
	node, _ := w.usageOf(c.name())
	e := w.set.Explain(r, node)
	out := []string{fitted(e.Fit)}
	for _, v := range e.Verdicts {
		text := v.Reason.String()
		if v.Granted {
			text = v.Device + ": serves"
		}
		out = append(out, fmt.Sprintf("  %d %s", v.Container, text))
	}
	return strings.Join(out, "\n"), nil
}

func (w *World) score(c *command, pod *corev1.Pod) (string, error) {
	r, err := w.parsed(pod)
	if err != nil {
		return "error: " + err.Error(), nil
	}
	node, _ := w.usageOf(c.name())
	return number(w.set.Score(r, node, w.set.Fit(r, node))), nil
}

// at fills time stamps.
var at = time.Unix(1767225600, 0)

func (w *World) annotated(pod *corev1.Pod, node string, a *device.Allocation) map[string]string {
	written := w.set.Annotations(pod, w.set.Inventory(w.object(node)), a, at)
	out := maps.Clone(pod.Annotations)
	if out == nil {
		out = map[string]string{}
	}
	for _, key := range w.set.Stale(pod, written) {
		delete(out, key)
	}
	maps.Copy(out, written)
	return out
}

func (w *World) annotations(c *command, pod *corev1.Pod) (string, error) {
	r, err := w.parsed(pod)
	if err != nil {
		return "error: " + err.Error(), nil
	}
	node, _ := w.usageOf(c.name())
	f := w.set.Fit(r, node)
	if !f.OK() {
		return fitted(f), nil
	}
	return keyed(w.set.Annotations(pod, node.Info(), f.Allocation, at)), nil
}

func keyed(m map[string]string) string {
	var out []string
	for _, key := range slices.Sorted(maps.Keys(m)) {
		out = append(out, key+": "+m[key])
	}
	return strings.Join(out, "\n")
}

func (w *World) showUsage(name string) string {
	node, problems := w.usageOf(name)
	var out []string
	for i, u := range node.Devices() {
		d := node.Info().Device(i)
		if u.Slots == 0 && u.Healthy && u.State == nil {
			continue
		}
		text := fmt.Sprintf("%s %d/%d/%d", d.ID, u.Memory, u.Cores, u.Slots)
		for _, m := range u.MIG() {
			text += fmt.Sprintf(" %s@%d", m.Profile, m.Placement.Start)
		}
		for _, tag := range u.Tags() {
			text += " " + tag
		}
		if !u.Healthy {
			text += " unhealthy"
		}
		out = append(out, text)
	}
	return strings.Join(append(out, texts(problems)...), "\n")
}

func (w *World) showInventory(c *command) string {
	node, problems := w.usageOf(c.name())
	only := device.Vendor(c.value("vendor"))
	var out []string
	for i := range node.Info().Len() {
		d := node.Info().Device(i)
		if only != "" && d.Vendor != only {
			continue
		}
		out = append(out, fmt.Sprintf("%s index=%d slots=%d mem=%d cores=%d numa=%d mode=%s type=%s",
			d.ID, d.Index, d.Slots, d.Memory, d.Cores, d.NUMA, d.Mode, d.Type))
	}
	if b := w.set.Backend(only); b != nil {
		if inv := b.Inventory(w.object(c.name())); errors.Is(inv.Err, device.ErrNoDescription) {
			out = append(out, string(inv.Vendor)+": "+inv.Err.Error())
		}
	}
	if len(out)+len(problems) == 0 {
		return "no device"
	}
	return strings.Join(append(out, texts(problems)...), "\n")
}

func texts(problems []device.Problem) []string {
	var out []string
	for _, p := range problems {
		out = append(out, p.Error())
	}
	return out
}
