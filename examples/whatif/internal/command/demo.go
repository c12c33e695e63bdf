package command

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/accelfit/accelfit/examples/whatif/internal/answer"
	"github.com/accelfit/accelfit/examples/whatif/internal/demo"
	"github.com/accelfit/accelfit/examples/whatif/internal/input"
	"github.com/accelfit/accelfit/simulate"
)

// demoAnswer is the answer of "whatif demo": one of each command.
type demoAnswer struct {
	Table   *answer.Table   `json:"table"`
	Why     *answer.Why     `json:"why"`
	Place   *answer.Place   `json:"place"`
	ScaleUp *answer.ScaleUp `json:"scaleup"`

	Capacity      *answer.Capacity      `json:"capacity"`
	Fragmentation *answer.Fragmentation `json:"fragmentation"`
	MakeRoom      *answer.MakeRoom      `json:"makeroom"`
	Drain         *answer.Drain         `json:"drain"`
}

func demoCommand(f *flags) *cobra.Command {
	var data bool
	c := &cobra.Command{
		Use:   "demo",
		Short: "Show most commands on a small cluster that comes with the tool",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if data {
				_, err := f.terminal.Out.Write(demo.Cluster)
				return err
			}
			return f.demo()
		},
	}
	c.Flags().BoolVar(&data, "data", false, "print the cluster itself, to try the other commands on")
	return c
}

func (f *flags) demo() error {
	if err := f.check(); err != nil {
		return err
	}
	cluster, err := input.Parse("demo.yaml", demo.Cluster)
	if err != nil {
		return err
	}
	w, err := f.worldOf(cluster)
	if err != nil {
		return err
	}
	var a demoAnswer
	if a.Table, err = w.Table(); err != nil {
		return err
	}
	if a.Why, err = w.Why(demo.WhyPod); err != nil {
		return err
	}
	if a.Place, err = w.Place(demo.PlacePods()...); err != nil {
		return err
	}
	groups, problems, err := w.GroupsByLabel()
	if err != nil {
		return err
	}
	if a.ScaleUp, err = w.ScaleUp(groups, simulate.LeastWaste, problems); err != nil {
		return err
	}
	if err := a.ask(w); err != nil {
		return err
	}
	if err := f.print(&a, func() { f.guide(&a) }); err != nil {
		return err
	}
	return f.judge(a.Why.Fits && a.Place.Fits && a.ScaleUp.Fits && a.Capacity.Fits && a.MakeRoom.Fits && a.Drain.Fits)
}

// ask asks the questions about what is left.
func (a *demoAnswer) ask(w *answer.World) error {
	var errs [4]error
	a.Capacity, errs[0] = w.Capacity(demo.CapacityPod)
	a.Fragmentation, errs[1] = w.Fragmentation("")
	a.MakeRoom, errs[2] = w.MakeRoom(demo.MakeRoomPod, defaultMoves)
	a.Drain, errs[3] = w.Drain(demo.DrainNode)
	return cmp.Or(errs[:]...)
}

// guide prints the answers one after the other, each under the command it is of. What is wrong with the input is told once.
func (f *flags) guide(a *demoAnswer) {
	out, style, called := f.terminal.Out, f.style(), nameOf(f.terminal.Program).shown
	say := func(what, command string) {
		fmt.Fprintln(out)
		style.Line(out, "# "+what)
		fmt.Fprintf(out, "$ %s %s -f demo.yaml\n\n", called, command) // one line, to be copied
	}
	style.Line(out, fmt.Sprintf(`# A small cluster. "%s demo --data > demo.yaml" writes it to a file.`, called))
	table, why, place := *a.Table, *a.Why, *a.Place
	table.Problems, why.Problems, place.Problems = nil, nil, nil
	say("What do the nodes have, and who holds it?", "table")
	style.Table(out, &table)
	say("Why is this pod pending?", "why "+demo.WhyPod)
	style.Why(out, &why)
	say("Where would these two go, and what would be written on them?", "place "+strings.Join(demo.PlacePods(), " "))
	style.Place(out, &place)
	f.guideOn(a, say)
	say("Which node groups have to grow for all pending pods?", "scaleup")
	style.ScaleUp(out, a.ScaleUp)
}

// guideOn prints the answers about what is left.
func (f *flags) guideOn(a *demoAnswer, say func(what, command string)) {
	out, style := f.terminal.Out, f.style()
	capacity, fragmentation, room, drain := *a.Capacity, *a.Fragmentation, *a.MakeRoom, *a.Drain
	capacity.Problems, fragmentation.Problems, room.Problems, drain.Problems = nil, nil, nil, nil
	say("How many more pods like this one fit?", "capacity "+demo.CapacityPod)
	style.Capacity(out, &capacity)
	say("How large a request still fits on each node?", "fragmentation")
	style.Fragmentation(out, &fragmentation)
	say("Who would have to move so that this pod fits?", "makeroom "+demo.MakeRoomPod)
	style.MakeRoom(out, &room)
	say("Can this node be emptied?", "drain "+demo.DrainNode)
	style.Drain(out, &drain)
}
