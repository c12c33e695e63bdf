package answer

import (
	"cmp"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/simulate"
)

// Moved is a pod that goes to another node, or to other devices of its own.
type Moved struct {
	Pod     string    `json:"pod"`
	From    string    `json:"from"`
	To      string    `json:"to"`
	Devices []Granted `json:"devices"` // on To
}

// MakeRoom is the answer of "whatif makeroom": which pods would have to move so that a pod fits.
type MakeRoom struct {
	Summary  string    `json:"summary"`
	Pod      string    `json:"pod"`
	Fits     bool      `json:"fits"`              // a way was found, or it fits as things are
	Invalid  string    `json:"invalid,omitempty"` // why it fits nowhere, whatever the nodes
	Asks     []Ask     `json:"asks"`
	Node     string    `json:"node,omitempty"` // where it fits then
	Devices  []Granted `json:"devices"`        // that it gets there
	Moves    []Moved   `json:"moves"`          // in the order in which they find a place, the pod before them
	Complete bool      `json:"complete"`       // nothing was left untried
	Refused  []Refused `json:"refused"`        // why nodes do not serve as things are
	Remarks
}

// MakeRoom tells which pods would have to move so that a pod fits, at most so many. Those that come with their node, and those
// that end already, do not move.
func (w *World) MakeRoom(name string, most int) (*MakeRoom, error) {
	pod, err := w.pod(name)
	if err == nil {
		err = w.needNodes()
	}
	if err != nil {
		return nil, err
	}
	a := w.ask(pod)
	out := &MakeRoom{
		Pod: podName(pod), Asks: []Ask{}, Devices: []Granted{}, Moves: []Moved{}, Refused: []Refused{}, Remarks: w.remarks(a.problems),
	}
	if a.invalid != nil {
		out.Invalid = a.invalid.Error()
		out.Summary = fmt.Sprintf("%s fits nowhere: %s.", out.Pod, out.Invalid)
		return out, nil
	}
	out.Asks = w.asks(a)
	s := w.stack()
	s.lift(pod)
	room, err := s.snapshot.MakeRoom(a.pod, w.pods, simulate.MoveOptions{Fit: w.fit, Allow: s.allowSince, Movable: movable, MaxMoves: cmp.Or(most, -1)})
	if err != nil {
		return nil, err
	}
	out.Fits, out.Node, out.Complete = room.OK(), room.Node, room.Complete
	if room.OK() {
		out.Devices = w.granted(a.pod, room.Allocation)
		out.Moves = w.moves(room.Moves)
	} else if result, err := s.snapshot.Fork().PlaceAnywhere(a.pod, simulate.PlaceOptions{Fit: w.fit, Allow: s.allow}); err == nil {
		out.Refused = refused(result.Refused)
	}
	out.Summary = out.sentence(most)
	return out, nil
}

func (m *MakeRoom) sentence(most int) string {
	switch {
	case m.Fits && len(m.Moves) == 0:
		return fmt.Sprintf("%s fits on %s as things are.", m.Pod, m.Node)
	case m.Fits:
		names := make([]string, len(m.Moves))
		for i, x := range m.Moves {
			names[i] = x.Pod + " to " + x.To
			if x.To == x.From {
				names[i] = x.Pod + " to other cards"
			}
		}
		return fmt.Sprintf("%s fits on %s once %s moved: %s.", m.Pod, m.Node, hasOrHave(len(names), "pod"), strings.Join(names, ", "))
	case !m.Complete:
		return fmt.Sprintf("No way was found to make room for %s by moving up to %s, but not every way was tried.", m.Pod, plural(most, "pod"))
	}
	return fmt.Sprintf("Moving up to %s off a node does not make room for %s.", plural(most, "pod"), m.Pod)
}

func hasOrHave(n int, noun string) string {
	if n == 1 {
		return plural(n, noun) + " has"
	}
	return plural(n, noun) + " have"
}

// allowSince judges what is not a device while pods move, beside what the stack has changed.
func (s *stack) allowSince(pod *corev1.Pod, node *corev1.Node, since simulate.Change) error {
	taken := s.on(node.Name)
	for _, p := range since.Added {
		taken = s.w.rules.Plus(taken, p)
	}
	for _, p := range since.Removed {
		taken = s.w.rules.Minus(taken, p)
	}
	return s.w.broken(pod, node, taken)
}

// movable says whether a pod may move.
func movable(pod *corev1.Pod) bool { return !comesWithNode(pod) && pod.DeletionTimestamp == nil }

func (w *World) moves(all []simulate.Move) []Moved {
	out := make([]Moved, len(all))
	for i, m := range all {
		out[i] = Moved{Pod: podName(m.Pod), From: m.From, To: m.To, Devices: w.granted(m.Pod, m.Allocation)}
	}
	return out
}

// Drain is the answer of "whatif drain": whether a node can be emptied.
type Drain struct {
	Summary  string     `json:"summary"`
	Node     string     `json:"node"`
	Fits     bool       `json:"fits"`  // every pod with devices of the node has another place
	Moves    []Moved    `json:"moves"` // in the order in which they find a place
	Stuck    []StuckPod `json:"stuck"`
	Stays    []string   `json:"stays"` // that come with the node, or end already
	Complete bool       `json:"complete"`
	Remarks
}

// StuckPod is a pod without another place.
type StuckPod struct {
	Pod     string    `json:"pod"`
	Invalid string    `json:"invalid,omitempty"` // why nothing can be said of it
	Refused []Refused `json:"refused"`           // why the other nodes do not serve
}

// Drain tells whether the pods that hold devices of a node fit elsewhere.
func (w *World) Drain(node string) (*Drain, error) {
	if err := w.knownNode(node); err != nil {
		return nil, err
	}
	d, err := w.snapshot.Drain(node, w.pods, simulate.MoveOptions{Fit: w.fit, Allow: w.stack().allowSince, Movable: movable})
	if err != nil {
		return nil, err
	}
	out := &Drain{
		Node: node, Fits: d.OK, Moves: w.moves(d.Moves), Stuck: []StuckPod{}, Stays: []string{}, Complete: d.Complete, Remarks: w.remarks(nil),
	}
	for _, s := range d.Stuck {
		row := StuckPod{Pod: s.Key, Refused: refused(s.Refused)}
		if s.Pod != nil {
			row.Pod = podName(s.Pod)
		}
		if s.Err != nil {
			row.Invalid = s.Err.Error()
		}
		out.Stuck = append(out.Stuck, row)
	}
	for _, p := range d.Stays {
		out.Stays = append(out.Stays, podName(p))
	}
	out.Summary = out.sentence()
	return out, nil
}

func (d *Drain) sentence() string {
	all := len(d.Moves) + len(d.Stuck)
	switch {
	case all == 0:
		return fmt.Sprintf("No pod that can move holds devices of %s.", d.Node)
	case d.Fits:
		return fmt.Sprintf("%s can be emptied: %s another place.", d.Node, hasOrHave(all, "pod"))
	case !d.Complete:
		return fmt.Sprintf("No way was found to empty %s, but not every way was tried: %d of %s without another place.", d.Node, len(d.Stuck), plural(all, "pod"))
	case len(d.Stuck) == 0:
		return fmt.Sprintf("%s cannot be emptied: not all of %s find a place together.", d.Node, plural(all, "pod"))
	}
	return fmt.Sprintf("%s cannot be emptied: %d of %s without another place.", d.Node, len(d.Stuck), plural(all, "pod"))
}
