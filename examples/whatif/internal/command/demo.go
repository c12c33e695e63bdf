package command

import (
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
}

func demoCommand(f *flags) *cobra.Command {
	var data bool
	c := &cobra.Command{
		Use:   "demo",
		Short: "Show every command on a small cluster that comes with the tool",
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
	groups, problems, err := w.GroupsByLabel("")
	if err != nil {
		return err
	}
	if a.ScaleUp, err = w.ScaleUp(groups, simulate.LeastWaste, problems); err != nil {
		return err
	}
	if err := f.print(&a, func() { f.guide(&a) }); err != nil {
		return err
	}
	return f.judge(a.Why.Fits && a.Place.Fits && a.ScaleUp.Fits)
}

// guide prints the answers one after the other, each under the command it is of. What is wrong with the input is told once.
func (f *flags) guide(a *demoAnswer) {
	out, style := f.terminal.Out, f.style()
	say := func(what, command string) {
		fmt.Fprintf(out, "\n# %s\n$ whatif %s -f demo.yaml\n\n", what, command)
	}
	fmt.Fprintln(out, `# A small cluster. "whatif demo --data > demo.yaml" writes it to a file.`)
	table, why, place := *a.Table, *a.Why, *a.Place
	table.Problems, why.Problems, place.Problems = nil, nil, nil
	say("What do the nodes have, and who holds it?", "table")
	style.Table(out, &table)
	say("Why is this pod pending?", "why "+demo.WhyPod)
	style.Why(out, &why)
	say("Where would these two go, and what would be written on them?", "place "+strings.Join(demo.PlacePods(), " "))
	style.Place(out, &place)
	say("Which node groups have to grow for all pending pods?", "scaleup")
	style.ScaleUp(out, a.ScaleUp)
}
