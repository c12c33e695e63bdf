package vectors

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
)

// Difference is one field in which accelfit disagrees with the record.
type Difference struct {
	Sequence string
	Step     int           // counted from 0; -1: the start; len(steps): the end
	Field    string        // for example "nodes.node-a.reason"
	Kind     string        // last part of the field: fit, reason, score, alloc, chosen, annotations, requests, error …
	Node     string        // where Field is about a node
	Vendor   device.Vendor // where Field is about what was registered
	Want     string        // recorded
	Got      string
	Claims   []string // ids of the deviations that claim it
}

// String prints file position, field, want and got.
func (d Difference) String() string {
	return fmt.Sprintf("%s#%d %s:\n    want %s\n    got  %s", d.Sequence, d.Step, d.Field, d.Want, d.Got)
}

// Situation is what a deviation may look at to decide whether a difference is its own.
type Situation struct {
	Sequence *Sequence
	Step     *Step // nil at start and end
	Set      *vendors.Set
	Node     *device.NodeUsage // of the difference's node before the step, if any
	Request  *vendors.Request  // of the step's pod, under its quota; nil if it is refused
	asked    *vendors.Request  // the same, whatever the pod's weights say
	Pod      *corev1.Pod
	Verdict  Verdict
	Quota    bool     // some quota limits the pod's namespace
	chosen   []string // by the record and by us
	run      *Runner
}

// Deviation is a way in which accelfit differs from the reference on purpose.
type Deviation struct {
	ID     string
	Claims func(s *Situation, d *Difference) bool
}

// Totals counts what a run compared.
type Totals struct {
	Sequences, Steps, Exact, Fields int
	DeviatingExact                  int            // exact steps with at least one difference
	ByDeviation                     map[string]int // steps with a difference claimed by it
}

// Add adds another run's totals.
func (t *Totals) Add(o Totals) {
	t.Sequences += o.Sequences
	t.Steps += o.Steps
	t.Exact += o.Exact
	t.Fields += o.Fields
	t.DeviatingExact += o.DeviatingExact
	if t.ByDeviation == nil {
		t.ByDeviation = map[string]int{}
	}
	for id, n := range o.ByDeviation {
		t.ByDeviation[id] += n
	}
}

// Share is the percentage of exact steps that deviate.
func (t *Totals) Share() float64 { return 100 * float64(t.DeviatingExact) / float64(max(1, t.Exact)) }

// String renders the totals on a few lines.
func (t *Totals) String() string {
	s := fmt.Sprintf("%d sequences, %d steps (%d exact), %d compared fields; %d exact steps deviate (%.1f %%)",
		t.Sequences, t.Steps, t.Exact, t.Fields, t.DeviatingExact, t.Share())
	for _, id := range slices.Sorted(maps.Keys(t.ByDeviation)) {
		s += fmt.Sprintf("\n  %-4s %d steps", id, t.ByDeviation[id])
	}
	return s
}
