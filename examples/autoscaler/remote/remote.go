// Package remote asks scheduler extenders over HTTP, as kube-scheduler does and with its own client, for autoscalers that
// prefer that to compiling the plugin in.
//
// An autoscaler tries pods on nodes that do not exist, with other pods on them that no API server knows. An extender that is
// to answer for those must be told of them: each node is sent as an object with the annotation [AnnotationAssumed], the pods
// that the autoscaler's snapshot has on it. accelfit's extender reads it on its simulation route; others ignore it.
package remote

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	schedulerapi "k8s.io/kubernetes/pkg/scheduler/apis/config"
)

// Extenders are asked in the order of the configuration, each for the nodes that the one before has left. They keep no state;
// any number of goroutines may use them.
type Extenders struct {
	list []fwk.Extender
}

// New makes the clients of configured extenders. Those that are cache capable are refused: they would be sent the names of
// nodes that do not exist. The error names the extender.
func New(configs []schedulerapi.Extender) (*Extenders, error) {
	e := &Extenders{}
	for i := range configs {
		c := &configs[i]
		if c.NodeCacheCapable && c.FilterVerb != "" {
			return nil, fmt.Errorf("extender %s: nodeCacheCapable: true, but nodes of a simulation are in no cache", c.URLPrefix)
		}
		x, err := scheduler.NewHTTPExtender(c)
		if err != nil {
			return nil, fmt.Errorf("extender %s: %w", c.URLPrefix, err)
		}
		e.list = append(e.list, x)
	}
	return e, nil
}

// Interested says whether any extender wants to be asked for a pod: one without managed resources wants to be for every pod,
// others for pods that ask for one of theirs. If none does, Filter returns all nodes without a request.
func (e *Extenders) Interested(pod *corev1.Pod) bool {
	for _, x := range e.list {
		if x.IsFilter() && x.IsInterested(pod) {
			return true
		}
	}
	return false
}

// Refusal is why an extender refuses a node.
type Refusal struct {
	Extender     string
	Reason       string // empty: it gave none
	Unresolvable bool   // removing pods from the node would not help
}

// Answer is what the extenders make of some nodes.
type Answer struct {
	Nodes   []fwk.NodeInfo     // those that serve: the caller's own values, in the caller's order
	Refused map[string]Refusal // the others, by name
	Skipped []error            // of ignorable extenders that could not be asked
}

// Filter asks for a pod on nodes, whose names must differ. The error is that of an extender that is not ignorable; it then
// has no answer. Neither the pod nor the nodes are changed. Cost: one HTTP request for each interested extender while nodes are
// left.
func (e *Extenders) Filter(pod *corev1.Pod, nodes []fwk.NodeInfo) (Answer, error) {
	answer := Answer{Nodes: nodes, Refused: map[string]Refusal{}}
	if !e.Interested(pod) {
		return answer, nil
	}
	left, err := assumed(nodes)
	if err != nil {
		return Answer{}, err
	}
	for _, x := range e.list {
		if len(left) == 0 {
			break
		}
		if !x.IsFilter() || !x.IsInterested(pod) {
			continue
		}
		next, err := ask(x, pod, left, answer.Refused)
		switch {
		case err == nil:
			left = next
		case x.IsIgnorable():
			answer.Skipped = append(answer.Skipped, err)
		default:
			return Answer{}, err
		}
	}
	answer.Nodes = originals(left)
	return answer, nil
}

// ask asks one extender and notes whom it refuses. The nodes it returns are those it was asked for, in that order: what an
// extender sends back of a node is an object without pods.
func ask(x fwk.Extender, pod *corev1.Pod, nodes []fwk.NodeInfo, refused map[string]Refusal) ([]fwk.NodeInfo, error) {
	found, failed, unresolvable, err := x.Filter(pod, nodes)
	if err != nil {
		return nil, fmt.Errorf("extender %s: %w", x.Name(), err)
	}
	serves := make(map[string]bool, len(found))
	for _, n := range found {
		serves[n.Node().Name] = true
	}
	var left []fwk.NodeInfo
	for _, n := range nodes {
		name := n.Node().Name
		if serves[name] {
			left = append(left, n)
			delete(serves, name)
			continue
		}
		r := Refusal{Extender: x.Name(), Reason: failed[name]}
		if why, ok := unresolvable[name]; ok {
			r.Reason, r.Unresolvable = why, true
		}
		refused[name] = r
	}
	if len(serves) > 0 {
		return nil, fmt.Errorf("extender %s: answers with nodes it was not asked for: %q", x.Name(), slices.Sorted(maps.Keys(serves)))
	}
	return left, nil
}
