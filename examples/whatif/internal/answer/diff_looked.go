package answer

import "strings"

// looked keeps what was found of pods on one side, as pods that fit alike have the same answers.
type looked struct {
	w      *World
	found  map[string]map[string][]string // verdicts
	places map[string]*Spot
}

func newLooked(w *World) *looked {
	return &looked{w: w, found: map[string]map[string][]string{}, places: map[string]*Spot{}}
}

// kind is the same for pods that have the same answers, down to the names of containers; empty: none is known to be alike.
func (l *looked) kind(a asked) string {
	kind := l.w.kindOf(a)
	if kind == "" || gated(a.pod) != nil {
		return ""
	}
	names := []string{kind}
	for _, c := range containersOf(a.pod) {
		names = append(names, c.Name)
	}
	return strings.Join(names, "\x00")
}

// spot is where a pod would be placed if it were the only one that waits.
func (l *looked) spot(a asked) *Spot {
	kind := l.kind(a)
	if known := l.places[kind]; known != nil {
		return known
	}
	p := l.w.stack().place(a)
	out := &Spot{Node: p.Node, Devices: p.Devices}
	if kind != "" {
		l.places[kind] = out
	}
	return out
}

// verdicts says of every node whether it serves a pod, and otherwise everything that speaks against it.
func (l *looked) verdicts(a asked) map[string][]string {
	kind := l.kind(a)
	if known := l.found[kind]; known != nil {
		return known
	}
	if a.invalid == nil {
		a.request = a.request.WithQuota(l.w.snapshot.Quotas().Headroom(a.pod.Namespace))
	}
	out := map[string][]string{}
	for name, u := range l.w.snapshot.Nodes() {
		out[name] = l.w.verdict(a, name, u)
	}
	if kind != "" {
		l.found[kind] = out
	}
	return out
}
