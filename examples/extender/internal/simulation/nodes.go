package simulation

import (
	"bytes"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/simulate"
)

// node is a node of a request as far as it depends on the node's text and the profile alone. It is immutable.
type node struct {
	name    string
	text    []byte // the object as it was sent; nil: only its name was
	object  *corev1.Node
	info    *device.NodeInfo
	usage   *device.NodeUsage // with the pods that the annotation lists
	assumed []*corev1.Pod     // that the annotation lists
	known   bool              // false: only the name is known
}

// parse reads a node's object.
func (s *Simulator) parse(text []byte, profile *simulate.Profile) (*node, error) {
	n := &node{text: text, object: &corev1.Node{}, known: true}
	if err := json.Unmarshal(text, n.object); err != nil {
		return nil, err
	}
	if n.object.Name == "" {
		return nil, fmt.Errorf("metadata.name: is empty")
	}
	if list := n.object.Annotations[AnnotationAssumed]; list != "" {
		if err := json.Unmarshal([]byte(list), &n.assumed); err != nil {
			return nil, fmt.Errorf("metadata.annotations[%s]: %w", AnnotationAssumed, err)
		}
	}
	return n, s.complete(n, profile)
}

// named is a node of which only the name is known, and which profile it has.
func (s *Simulator) named(name string, profile *simulate.Profile) (*node, error) {
	n := &node{name: name, object: &corev1.Node{}, known: profile != nil}
	n.object.Name = name
	return n, s.complete(n, profile)
}

// complete reads the devices.
func (s *Simulator) complete(n *node, profile *simulate.Profile) error {
	n.name = n.object.Name
	object := n.object
	if profile != nil {
		upcoming, _, err := simulate.Upcoming(s.set, profile, object)
		if err != nil {
			return fmt.Errorf("profile %s: %w", profile.Name, err)
		}
		object = upcoming
	}
	n.info = s.set.Inventory(object)
	n.usage = simulate.Replay(s.set, n.info, n.assumed, simulate.ReplayOptions{}).Usage
	return nil
}

// with is the usage of a node that has further pods on it.
func (s *Simulator) with(n *node, pods []*corev1.Pod) *device.NodeUsage {
	if len(pods) == 0 {
		return n.usage
	}
	all := append(n.assumed[:len(n.assumed):len(n.assumed)], pods...)
	return simulate.Replay(s.set, n.info, all, simulate.ReplayOptions{}).Usage
}

// list reads a NodeList. Each text that was read before, under the same profile, is not read again.
func (s *Simulator) list(text []byte, profile *simulate.Profile) ([]*node, error) {
	var list nodeList
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&list); err != nil {
		return nil, &BadRequest{"Nodes", err}
	}
	nodes := make([]*node, len(list.Items))
	for i, item := range list.Items {
		n, err := s.node(item, profile)
		if err != nil {
			return nil, &BadRequest{fmt.Sprintf("Nodes.items[%d]", i), err}
		}
		nodes[i] = n
	}
	return nodes, distinct("Nodes.items", nodes)
}

func (s *Simulator) node(text []byte, profile *simulate.Profile) (*node, error) {
	key := profileName(profile) + "\x00" + string(text)
	if n, ok := s.nodes.get(key); ok {
		return n, nil
	}
	n, err := s.parse(bytes.Clone(text), profile)
	if err == nil {
		s.nodes.add(key, n, len(key)+len(text))
	}
	return n, err
}

func profileName(p *simulate.Profile) string {
	if p == nil {
		return ""
	}
	return p.Name
}

// listOfNames makes nodes of names.
func (s *Simulator) listOfNames(names []string, profile *simulate.Profile) ([]*node, error) {
	nodes := make([]*node, len(names))
	for i, name := range names {
		n, err := s.named(name, profile)
		if err != nil {
			return nil, &BadRequest{"profile", err}
		}
		nodes[i] = n
	}
	return nodes, distinct("NodeNames", nodes)
}

// distinct refuses nodes of one name: an answer could not tell them apart.
func distinct(field string, nodes []*node) error {
	seen := make(map[string]int, len(nodes))
	for i, n := range nodes {
		if first, ok := seen[n.name]; ok {
			return bad(fmt.Sprintf("%s[%d]", field, i), "node %q is given twice, before at %d", n.name, first)
		}
		seen[n.name] = i
	}
	return nil
}
