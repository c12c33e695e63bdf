package simulation

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	corev1 "k8s.io/api/core/v1"
)

// AnnotationAssumed is an annotation of a node that lists pods assumed to be on it, as a JSON array of pods in the order in which
// they came: for callers whose client sends nodes and cannot send more, such as kube-scheduler's own.
const AnnotationAssumed = "simulation.accelfit.dev/assumed"

// BadRequest is a request that cannot be read, or that makes no sense.
type BadRequest struct {
	Field string // of the request; empty: the request as a whole
	Err   error
}

// Error names the field.
func (e *BadRequest) Error() string {
	if e.Field == "" {
		return e.Err.Error()
	}
	return e.Field + ": " + e.Err.Error()
}

// Unwrap returns Err.
func (e *BadRequest) Unwrap() error { return e.Err }

func bad(field, format string, args ...any) error {
	return &BadRequest{field, fmt.Errorf(format, args...)}
}

// Request is what is asked. The first three fields are those of kube-scheduler's ExtenderArgs: a pod, and either nodes or their
// names. Fields that are not listed here are refused; within Kubernetes' objects they are ignored.
type Request struct {
	Pod       *corev1.Pod
	Nodes     json.RawMessage // a NodeList
	NodeNames *[]string       // nodes of which nothing is known but Profile

	// Assumed are the pods assumed to be on nodes, by the node's name, in the order in which they came, after those that the node's
	// own annotation lists. What they hold is told by simulate.Replay.
	Assumed map[string][]*corev1.Pod `json:"assumed"`

	// Profile is the name of a device profile of the extender: nodes that do not describe devices of their own have those.
	Profile string `json:"profile"`

	Placement bool `json:"placement"` // tell which devices the pod would get, and the annotations it would carry
	Explain   bool `json:"explain"`   // tell what was found of every device
}

// nodeList is the part of a NodeList that is read; the rest of it is known and ignored.
type nodeList struct {
	Kind       string          `json:"kind"`
	APIVersion string          `json:"apiVersion"`
	Metadata   json.RawMessage `json:"metadata"`
	Items      []json.RawMessage
}

// read reads a request. nodesAt is where the text of the nodes begins; -1: there is none.
func read(body []byte) (r *Request, nodesAt int, err error) {
	r, nodesAt = &Request{}, -1
	d := json.NewDecoder(bytes.NewReader(body))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, -1, bad("", "want a JSON object: %w", cmp.Or(err, errors.New("it is another value")))
	}
	seen := map[string]bool{}
	for d.More() {
		name, at, text, err := field(d)
		if err != nil {
			return nil, -1, err
		}
		if seen[name] {
			return nil, -1, bad(name, "is given twice")
		}
		seen[name] = true
		if name == "Nodes" {
			nodesAt = at
		}
		if err := r.set(name, text); err != nil {
			return nil, -1, err
		}
	}
	if _, err := d.Token(); err != nil {
		return nil, -1, bad("", "truncated: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, -1, bad("", "something follows the request")
	}
	return r, nodesAt, r.check()
}

// field reads the name and the text of a field; at is where the text begins, blanks before it included.
func field(d *json.Decoder) (name string, at int, text json.RawMessage, err error) {
	token, err := d.Token()
	if err != nil {
		return "", 0, nil, bad("", "no JSON: %w", err)
	}
	name, _ = token.(string) // JSON has no other keys
	at = int(d.InputOffset()) + len(":")
	if err := d.Decode(&text); err != nil {
		return "", 0, nil, &BadRequest{name, err}
	}
	return name, at, text, nil
}

// set reads one field.
func (r *Request) set(name string, text json.RawMessage) error {
	into := map[string]any{
		"Pod": &r.Pod, "Nodes": &r.Nodes, "NodeNames": &r.NodeNames, "assumed": &r.Assumed, "profile": &r.Profile,
		"placement": &r.Placement, "explain": &r.Explain,
	}[name]
	if into == nil {
		return bad(name, "unknown field")
	}
	if err := json.Unmarshal(text, into); err != nil {
		return &BadRequest{name, err}
	}
	return nil
}

// check says what a request lacks. That a list of nodes is null counts as none.
func (r *Request) check() error {
	if string(r.Nodes) == "null" {
		r.Nodes = nil
	}
	switch {
	case r.Pod == nil:
		return bad("Pod", "extender args missing pod")
	case r.Nodes == nil && r.NodeNames == nil:
		return bad("Nodes", "extender args missing nodes")
	case r.Nodes != nil && r.NodeNames != nil:
		return bad("Nodes", "extender args have both nodes and node names")
	}
	for node, pods := range r.Assumed {
		for i, pod := range pods {
			if pod == nil {
				return bad(fmt.Sprintf("assumed[%q][%d]", node, i), "null is no pod")
			}
		}
	}
	return nil
}
