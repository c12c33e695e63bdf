package simulation

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"

	extenderv1 "k8s.io/kube-scheduler/extender/v1"
)

// Code says what came of a node.
type Code string

// Codes. Only NoRoom can change by evicting pods.
const (
	Fits                 Code = "fits"
	NoRoom               Code = "noRoom"
	NoDescription        Code = "noDescription"        // the node registers none of the devices that the pod asks for
	MalformedDescription Code = "malformedDescription" // it does, in a way that cannot be read
	UnknownNode          Code = "unknownNode"          // only its name was sent
	InvalidRequest       Code = "invalidRequest"       // the pod asks for what no node can give
)

// Verdict is what came of one node.
type Verdict struct {
	Node string `json:"node"`
	Code Code   `json:"code"`

	Vendor   string   `json:"vendor,omitempty"`   // whose devices are lacking
	Text     string   `json:"text,omitempty"`     // why it does not fit, as a person reads it
	Reasons  []Reason `json:"reasons,omitempty"`  // why it does not fit: devices by reason code (docs/reasons.md)
	Problems []string `json:"problems,omitempty"` // what of the node cannot be read; of any vendor

	Placement   []Placed          `json:"placement,omitempty"`   // on request: the devices that the pod would get
	Annotations map[string]string `json:"annotations,omitempty"` // on request: what a live scheduler would write on the pod, but for times
	Devices     []Found           `json:"devices,omitempty"`     // on request: what was found of every device, in the order in which they were tried
}

// Reason counts devices.
type Reason struct {
	Code    string `json:"code"`
	Devices int    `json:"devices"` // 0: the node as a whole
}

// Placed is a device that a container gets.
type Placed struct {
	Container int    `json:"container"` // position, init containers first
	Vendor    string `json:"vendor"`
	Device    string `json:"device"`
	MemoryMiB int64  `json:"memoryMiB"`
	Cores     int64  `json:"cores"` // percent of a card, or the vendor's unit
	Instance  string `json:"instance,omitempty"`
}

// Found is what was found of a device for a container.
type Found struct {
	Container int    `json:"container"`
	Vendor    string `json:"vendor"`
	Device    string `json:"device"`
	Granted   bool   `json:"granted"`
	Reason    string `json:"reason,omitempty"`
	Want      string `json:"want,omitempty"`
	Have      string `json:"have,omitempty"`
}

// Response is the answer to a request: of every node, in the order in which they were sent.
type Response struct {
	Verdicts []Verdict

	names bool // nodes are told by their names
	nodes []*node
}

// Count is what nodes are counted by: what came of them, and for one that has no room the vendor that refused it and the reason
// of most devices.
type Count struct {
	Code           Code
	Vendor, Reason string
}

// Counts counts nodes.
func (r *Response) Counts() map[Count]int {
	out := map[Count]int{}
	for i := range r.Verdicts {
		v := &r.Verdicts[i]
		c := Count{Code: v.Code, Vendor: v.Vendor}
		if len(v.Reasons) > 0 {
			c.Reason = slices.MaxFunc(v.Reasons, func(a, b Reason) int { return cmp.Compare(a.Devices, b.Devices) }).Code
		}
		out[c]++
	}
	return out
}

// JSON is the response as text: the fields of an ExtenderFilterResult, which kube-scheduler's client reads, with every node that
// fits, in the order in which they were sent and in the form in which they came; and the verdicts.
func (r *Response) JSON() ([]byte, error) {
	failed, hopeless := extenderv1.FailedNodesMap{}, extenderv1.FailedNodesMap{}
	for i := range r.Verdicts {
		switch v := &r.Verdicts[i]; v.Code {
		case Fits:
		case NoRoom:
			failed[v.Node] = v.Text
		default:
			hopeless[v.Node] = v.Text
		}
	}
	rest, err := json.Marshal(struct {
		FailedNodes, FailedAndUnresolvableNodes extenderv1.FailedNodesMap
		Error                                   string
		Verdicts                                []Verdict `json:"verdicts"`
	}{failed, hopeless, "", r.Verdicts})
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.Grow(r.size() + len(rest))
	if r.names {
		r.writeNames(&b)
	} else {
		r.writeNodes(&b)
	}
	b.WriteByte(',')
	b.Write(rest[1:])
	return b.Bytes(), nil
}

// size is about how long the nodes are.
func (r *Response) size() int {
	n := 64
	for i, node := range r.nodes {
		if r.Verdicts[i].Code == Fits {
			n += len(node.text) + len(node.name) + 3
		}
	}
	return n
}

func (r *Response) writeNodes(b *bytes.Buffer) {
	b.WriteString(`{"Nodes":{"metadata":{},"items":[`)
	first := true
	for i, n := range r.nodes {
		if r.Verdicts[i].Code != Fits {
			continue
		}
		if !first {
			b.WriteByte(',')
		}
		first = false
		b.Write(n.text)
	}
	b.WriteString(`]},"NodeNames":null`)
}

func (r *Response) writeNames(b *bytes.Buffer) {
	names := []string{}
	for i, n := range r.nodes {
		if r.Verdicts[i].Code == Fits {
			names = append(names, n.name)
		}
	}
	text, _ := json.Marshal(names) // strings only
	b.WriteString(`{"Nodes":null,"NodeNames":`)
	b.Write(text)
}
