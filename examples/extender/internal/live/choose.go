package live

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/score"
	"github.com/accelfit/accelfit/vendors"
)

// choice is what came of looking at nodes for a pod.
type choice struct {
	node  string // empty: none serves
	usage *device.NodeUsage
	fit   vendors.Fit

	serving          []score.Ranked            // best first
	failed, hopeless extenderv1.FailedNodesMap // why the others do not serve; hopeless: neither would they if nothing ran on them
	counts           map[device.Code][]string  // nodes by what their devices lack
	judgements       map[Judgement]int         // of the nodes that do not serve
}

// choose judges every node of a view and takes the best (spec core §10).
func (s *Scheduler) choose(r *vendors.Request, v view) choice {
	c := choice{failed: extenderv1.FailedNodesMap{}, hopeless: extenderv1.FailedNodesMap{}, counts: map[device.Code][]string{}, judgements: map[Judgement]int{}}
	var best score.Ranked
	for i, name := range v.names {
		u := v.usages[i]
		if u == nil {
			c.hopeless[name] = device.NodeUnregistered.String()
			c.judgements[Judgement{Reason: device.NodeUnregistered}]++
			continue
		}
		fit := s.set.Fit(r, u)
		if !fit.OK() {
			s.refuse(&c, r, u, &fit.Reasons)
			continue
		}
		ranked := score.Ranked{Name: name, Score: s.set.Score(r, u, fit)}
		c.serving = append(c.serving, ranked)
		if c.node == "" || score.Compare(r.NodePolicy, ranked, best) < 0 {
			best, c.node, c.usage, c.fit = ranked, name, u, fit
		}
	}
	slices.SortFunc(c.serving, func(a, b score.Ranked) int { return score.Compare(r.NodePolicy, a, b) })
	return c
}

// refuse enters why a node does not serve.
func (s *Scheduler) refuse(c *choice, r *vendors.Request, u *device.NodeUsage, why *device.Reasons) {
	name := u.Info().Name()
	c.judgements[judgement(why)]++
	if s.hopeless(r, u.Info(), why) {
		c.hopeless[name] = why.Detail()
	} else {
		c.failed[name] = why.Detail()
	}
	for _, code := range device.Codes() {
		if why.Count(code) > 0 {
			c.counts[code] = append(c.counts[code], name)
		}
	}
}

// hopeless says whether a pod that a node refuses would not fit on it either if nothing ran there and no quota held.
func (s *Scheduler) hopeless(r *vendors.Request, node *device.NodeInfo, why *device.Reasons) bool {
	switch why.Node {
	case device.NodeUnregistered, device.NodeMalformed:
		return true
	}
	return !s.set.Fit(r.WithQuota(nil), device.NewNodeUsage(node)).OK()
}

// tellPlaced tells of a placement, in the reference's words (spec core §11.3).
func (s *Scheduler) tellPlaced(pod *corev1.Pod, c choice) {
	refused := len(c.failed) + len(c.hopeless)
	s.o.Log.Info("pod placed", "namespace", pod.Namespace, "pod", pod.Name, "node", c.node,
		"serving", len(c.serving), "refused", refused)
	var scores strings.Builder
	for i, n := range c.serving {
		if scores.Len() > 1000 {
			break
		}
		if i > 0 {
			scores.WriteByte(',')
		}
		fmt.Fprintf(&scores, "%s:%.2f", n.Name, n.Score)
	}
	s.event(pod, corev1.EventTypeNormal, "FilteringSucceed", fmt.Sprintf("find fit node(%s), %d nodes not fit, %d nodes fit(%s)",
		c.node, refused, len(c.serving), scores.String()))
}

// tellRefused tells that no node serves, and why.
func (s *Scheduler) tellRefused(pod *corev1.Pod, c choice) {
	all := len(c.failed) + len(c.hopeless)
	s.o.Log.Info("no node for pod", "namespace", pod.Namespace, "pod", pod.Name, "nodes", all)
	byText := func(a, b device.Code) int { return cmp.Compare(a.String(), b.String()) }
	for _, code := range slices.SortedFunc(maps.Keys(c.counts), byText) {
		nodes := c.counts[code]
		slices.Sort(nodes)
		s.event(pod, corev1.EventTypeWarning, "FilteringFailed",
			fmt.Sprintf("%d nodes %s(%s)", len(nodes), code, strings.Join(nodes, ",")))
	}
	s.event(pod, corev1.EventTypeWarning, "FilteringFailed", fmt.Sprintf("no available node, %d nodes do not meet", all))
}
