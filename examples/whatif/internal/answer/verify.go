package answer

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/simulate"
)

// Verify is the answer of "whatif verify": in what the nodes that have joined are not as their profiles promise.
type Verify struct {
	Summary   string         `json:"summary"`
	OK        bool           `json:"ok"` // no node has less than promised
	Nodes     []VerifiedNode `json:"nodes"`
	Unmatched []string       `json:"unmatched"` // nodes that no profile matches
	Remarks
}

// VerifiedNode is one node, compared with its profile.
type VerifiedNode struct {
	Node      string  `json:"node"`
	Profile   string  `json:"profile"`
	MatchedBy string  `json:"matchedBy"` // node group, labels or instance type
	OK        bool    `json:"ok"`        // no drift is an error
	Drifts    []Drift `json:"drifts"`
}

// Drift is one thing in which a node is not as its profile promises.
type Drift struct {
	Severity string `json:"severity"` // error: less than promised; warning: more, or something else
	What     string `json:"what"`     // simulate.DriftField, and what of it differs
	Vendor   string `json:"vendor,omitempty"`
	Device   string `json:"device,omitempty"` // id of the device on the node
	Index    *int   `json:"index,omitempty"`  // of the device in the profile; of an extra device on the node
	Want     string `json:"want,omitempty"`   // what is promised; empty: nothing
	Have     string `json:"have,omitempty"`   // what there is; empty: nothing
}

// Errors about what is compared.
var (
	errNothingMatches = errors.New("no device profile matches a node")
	errNotMatched     = errors.New("no device profile matches it")
)

// Verify compares the named nodes, or all that a profile matches, with their profiles, as they were read. Named nodes must have
// a profile, and of all nodes some must.
func (w *World) Verify(names ...string) (*Verify, error) {
	if err := w.needNodes(); err != nil {
		return nil, err
	}
	for _, name := range names {
		if err := w.knownNode(name); err != nil {
			return nil, err
		}
	}
	out := &Verify{OK: true, Nodes: []VerifiedNode{}, Unmatched: []string{}, Remarks: w.remarks(nil)}
	out.Upcoming = nil // these are drifts here
	nodes := slices.SortedFunc(slices.Values(w.nodes), func(a, b *corev1.Node) int { return strings.Compare(a.Name, b.Name) })
	for _, n := range nodes {
		named := slices.Contains(names, n.Name)
		if len(names) > 0 && !named {
			continue
		}
		p := w.options.Profiles.For(w.groupOf(n), n.Labels)
		switch {
		case p != nil:
			row, err := w.verified(n, p)
			if err != nil {
				return nil, err
			}
			out.OK = out.OK && row.OK
			out.Nodes = append(out.Nodes, row)
		case named:
			return nil, fmt.Errorf("node %s: %w; --profiles has %s", n.Name, errNotMatched, enumerate(w.options.Profiles.names()))
		default:
			out.Unmatched = append(out.Unmatched, n.Name)
		}
	}
	if len(out.Nodes) == 0 {
		return nil, fmt.Errorf("%w; --profiles has %s", errNothingMatches, enumerate(w.options.Profiles.names()))
	}
	out.Summary = out.sentence()
	return out, nil
}

func (w *World) verified(n *corev1.Node, p *simulate.Profile) (VerifiedNode, error) {
	out := VerifiedNode{Node: n.Name, Profile: p.Name, OK: true, Drifts: []Drift{}}
	switch p.Matches(w.groupOf(n), n.Labels) {
	case simulate.MatchedByName:
		out.MatchedBy = "node group"
	case simulate.MatchedByLabels:
		out.MatchedBy = "labels"
	case simulate.MatchedByInstanceType:
		out.MatchedBy = "instance type"
	}
	drifts, err := p.Verify(w.set, n)
	if err != nil {
		return out, fmt.Errorf("node %s: %w", n.Name, err)
	}
	for i := range drifts {
		out.OK = out.OK && drifts[i].Severity != simulate.DriftError
		out.Drifts = append(out.Drifts, driftOf(&drifts[i]))
	}
	return out, nil
}

func driftOf(d *simulate.Drift) Drift {
	out := Drift{
		Severity: string(d.Severity), What: string(d.Field), Vendor: string(d.Vendor), Device: d.Device, Want: d.Want, Have: d.Have,
	}
	if d.Part != "" {
		out.What += " " + d.Part
	}
	if d.Device != "" || d.Field == simulate.DriftMissing {
		out.Index = &d.Index
	}
	return out
}

func (v *Verify) sentence() string {
	bad, other := 0, 0
	for i := range v.Nodes {
		switch n := &v.Nodes[i]; {
		case !n.OK:
			bad++
		case len(n.Drifts) > 0:
			other++
		}
	}
	all := plural(len(v.Nodes), "node")
	if bad+other == 0 {
		return fmt.Sprintf("%s compared: all as promised.", all)
	}
	return fmt.Sprintf("%s compared: %d with less than promised, %d otherwise different, %d as promised.", all, bad, other, len(v.Nodes)-bad-other)
}
