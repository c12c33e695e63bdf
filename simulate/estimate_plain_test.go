package simulate

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
)

// estimatePlainly is first fit decreasing as it is told: every pod is tried on every new node, which the template makes, and
// nothing is remembered.
func estimatePlainly(set *vendors.Set, t Template, pods []*corev1.Pod, limits Limits, first int) (out string) {
	type grown struct {
		*node
		on []*corev1.Pod
	}
	var nodes []*grown
	quotas := limits.Quotas
	p := newPacker(set, &t, parse(set, pods, limits.Fit), first)
	for _, at := range p.order {
		w := &p.pods.pods[at]
		if w.err != nil {
			out += fmt.Sprintf("%s: %v\n", w.pod.Name, w.err)
			continue
		}
		r := w.kind.request
		if h := quotas.Headroom(w.pod.Namespace); h != nil {
			r = r.WithQuota(h)
		}
		try := func(n *grown) bool {
			fit := set.Fit(r, n.usage)
			if !fit.OK() {
				return false
			}
			if limits.Allow != nil && limits.Allow(w.pod, n.object, n.on) != nil {
				return false
			}
			out += fmt.Sprintf("%s on %s: %+v\n", w.pod.Name, n.object.Name, *fit.Allocation)
			n.node = &node{object: n.object, usage: n.usage.With(fit.Allocation)}
			n.on = append(n.on, w.pod)
			quotas = quotas.Take(w.pod.Namespace, fit.Allocation, n.usage.Info())
			return true
		}
		served := false
		for _, n := range nodes {
			if served = try(n); served {
				break
			}
		}
		if served {
			continue
		}
		fresh, _ := t.prototype(set).node(newName(t.Node.Name, first+len(nodes)))
		next := &grown{fresh, append([]*corev1.Pod{}, t.Pods...)}
		full := limits.MaxNodes != 0 && len(nodes) >= limits.MaxNodes
		if why := set.Fit(r, next.usage).Reasons; full && why.IsZero() {
			out += w.pod.Name + ": limit or not allowed\n"
		} else if !full && try(next) {
			nodes = append(nodes, next)
		} else {
			out += fmt.Sprintf("%s: %s\n", w.pod.Name, why)
		}
	}
	for _, n := range nodes {
		out += n.object.Name + "\n" + testkit.Table(n.usage)
	}
	return out + fmt.Sprint(quotas.Headroom("a"))
}

// estimateText says of an estimate what estimatePlainly says.
func estimateText(p *pendings, order []int32, e *Estimated) (out string) {
	said := map[*corev1.Pod]string{}
	for _, n := range e.Nodes {
		for i, pod := range n.Pods {
			said[pod] = fmt.Sprintf("%s on %s: %+v\n", pod.Name, n.Name, *n.Placed[i])
		}
	}
	for _, u := range e.Unplaced {
		switch {
		case u.Limit, u.Err != nil && u.Reasons.IsZero() && u.Err.Error() == errNotHere.Error():
			said[u.Pod] = u.Pod.Name + ": limit or not allowed\n"
		case u.Err != nil:
			said[u.Pod] = fmt.Sprintf("%s: %v\n", u.Pod.Name, u.Err)
		default:
			said[u.Pod] = fmt.Sprintf("%s: %s\n", u.Pod.Name, u.Reasons)
		}
	}
	for _, at := range order {
		out += said[p.pods[at].pod]
	}
	for _, n := range e.Nodes {
		out += n.Name + "\n" + testkit.Table(n.Usage)
	}
	return out + fmt.Sprint(e.Quotas.Headroom("a"))
}

var errNotHere = errors.New("not here")

// TestEstimateRemembersRight: estimates are what they are when nothing is remembered: for all vendors, several on one
// template, under limits and quotas, with pods of the template, and for pods that name the devices of new nodes.
func TestEstimateRemembersRight(t *testing.T) {
	base := testkit.Seed(t)
	set := vendors.Default()
	nodes, limited, unplaced := 0, 0, 0
	for round := range uint64(200) {
		r := rand.New(rand.NewPCG(base, 900+round))
		s, pods := cluster(t, r)
		object := s.Object("n00").DeepCopy()
		if second := s.Object(fmt.Sprintf("n%02d", s.Len()-1)); r.IntN(2) == 0 { // several vendors
			for key, text := range second.Annotations {
				if object.Annotations == nil {
					object.Annotations = map[string]string{}
				}
				object.Annotations[key] = text
			}
			for name, q := range second.Status.Capacity {
				object.Status.Capacity[name] = q
			}
		}
		template := Template{Node: object, Options: TemplateOptions{KeepHealth: r.IntN(2) == 0, KeepIDs: r.IntN(4) == 0}}
		if r.IntN(3) == 0 {
			template.Pods = pods[:1]
		}
		for _, pod := range pods {
			for key, text := range pod.Annotations {
				if text == set.Inventory(object).Device(0).ID && r.IntN(2) == 0 {
					pod.Annotations[key] = newName(object.Name, r.IntN(3)) + "/" + text
				}
			}
		}
		limits := Limits{MaxNodes: testkit.OneOf(r, 0, 0, 2, 5, -1), Quotas: usage.NewQuotas(set)}
		if r.IntN(2) == 0 {
			limits.Quotas = s.quotas
		}
		first := r.IntN(3)
		p := newPacker(set, &template, parse(set, pods, limits.Fit), first)
		e := p.pack(limits, first, nil).estimated()
		if diff := cmp.Diff(estimatePlainly(set, template, pods, limits, first), estimateText(p.pods, p.order, &e)); diff != "" {
			t.Fatalf("round %d:\n%s", round, diff)
		}
		again := p.pack(limits, first+7, nil).estimated()
		if diff := cmp.Diff(estimatePlainly(set, template, pods, limits, first+7), estimateText(p.pods, p.order, &again)); diff != "" {
			t.Fatalf("round %d, asked again:\n%s", round, diff)
		}
		nodes, unplaced = nodes+len(e.Nodes), unplaced+len(e.Unplaced)
		if limits.MaxNodes != 0 {
			limited++
		}
	}
	t.Logf("%d nodes, %d pods without a place, %d estimates with a limit", nodes, unplaced, limited)
}

// TestEstimateAllowRemembersRight is the same with a predicate that depends on the pods on a node.
func TestEstimateAllowRemembersRight(t *testing.T) {
	base := testkit.Seed(t)
	set := vendors.Default()
	for round := range uint64(100) {
		r := rand.New(rand.NewPCG(base, 1900+round))
		s, pods := cluster(t, r)
		template := Template{Node: s.Object("n00"), Pods: pods[:r.IntN(2)]}
		most, odd := 1+r.IntN(4), byte('0'+r.IntN(10))
		limits := Limits{Allow: func(pod *corev1.Pod, node *corev1.Node, on []*corev1.Pod) error {
			if len(on) > most || len(on) > len(template.Pods) && pod.Name[len(pod.Name)-1] == odd {
				return errNotHere
			}
			return nil
		}}
		e := Estimate(set, template, pods, limits)
		p := newPacker(set, &template, parse(set, pods, limits.Fit), 0)
		if diff := cmp.Diff(estimatePlainly(set, template, pods, limits, 0), estimateText(p.pods, p.order, &e)); diff != "" {
			t.Fatalf("round %d:\n%s", round, diff)
		}
	}
}
