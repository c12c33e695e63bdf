package command

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/accelfit/accelfit/examples/whatif/internal/answer"
	"github.com/accelfit/accelfit/examples/whatif/internal/problem"
	"github.com/accelfit/accelfit/simulate"
)

func tableCommand(f *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "table [NODE...]",
		Short: "Show the devices of nodes and what is taken of them",
		RunE: func(_ *cobra.Command, nodes []string) error {
			w, err := f.world()
			if err != nil {
				return err
			}
			t, err := w.Table(nodes...)
			if err != nil {
				return err
			}
			return f.print(t, func() { f.style().Table(f.terminal.Out, t) })
		},
	}
}

func whyCommand(f *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "why [NAMESPACE/]POD [NODE...]",
		Short: "Explain of every node and device why it does or does not serve a pod",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			w, err := f.world()
			if err != nil {
				return err
			}
			y, err := w.Why(args[0], args[1:]...)
			if err != nil {
				return err
			}
			if err := f.print(y, func() { f.style().Why(f.terminal.Out, y) }); err != nil {
				return err
			}
			return f.judge(y.Fits)
		},
	}
}

func placeCommand(f *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "place [NAMESPACE/]POD...",
		Short: "Place pods one after the other and show what would be written on them",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, pods []string) error {
			w, err := f.world()
			if err != nil {
				return err
			}
			p, err := w.Place(pods...)
			if err != nil {
				return err
			}
			if err := f.print(p, func() { f.style().Place(f.terminal.Out, p) }); err != nil {
				return err
			}
			return f.judge(p.Fits)
		},
	}
}

// scaleUpFlags are those of scaleup alone.
type scaleUpFlags struct{ label, groups, strategy string }

func scaleUpCommand(f *flags) *cobra.Command {
	var s scaleUpFlags
	c := &cobra.Command{
		Use:   "scaleup",
		Short: "Plan which node groups to grow for the pending pods",
		Long: `Pods that are pending without a node are placed on live nodes first; for the rest node groups grow.

Groups are made of the nodes with the same value of a label, with a Ready node of the group as the sample; or read from a
file, a YAML list of:

  - name: l4            # required
    sample: node-1      # a node in the input, or
    node: {...}         # a Node object
    price: 0.8          # of one node, for --strategy price
    maxNew: 10          # nodes it can still add
    keepHealth: false   # unhealthy devices of the sample are unhealthy on new nodes; keepCordon, keepUsage likewise`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return f.scaleUp(&s) },
	}
	c.Flags().StringVar(&s.label, "group-label", "", "node label that names the group; none: the first that a node has of "+
		strings.Join(answer.DefaultGroupLabels(), ", "))
	c.Flags().StringVar(&s.groups, "groups", "", "`file` with node groups")
	var names []string
	for _, x := range simulate.Strategies() {
		names = append(names, string(x))
	}
	c.Flags().StringVar(&s.strategy, "strategy", string(simulate.LeastWaste), "which group grows first: "+strings.Join(names, ", "))
	c.MarkFlagsMutuallyExclusive("group-label", "groups")
	return c
}

func (f *flags) scaleUp(s *scaleUpFlags) error {
	strategy, err := simulate.ParseStrategy(s.strategy)
	if err != nil {
		return err
	}
	w, err := f.world()
	if err != nil {
		return err
	}
	groups, problems, err := readGroups(w, s)
	if err != nil {
		return err
	}
	u, err := w.ScaleUp(groups, strategy, problems)
	if err != nil {
		return err
	}
	if err := f.print(u, func() { f.style().ScaleUp(f.terminal.Out, u) }); err != nil {
		return err
	}
	return f.judge(u.Fits)
}

func readGroups(w *answer.World, s *scaleUpFlags) ([]answer.GroupSpec, []problem.Problem, error) {
	if s.groups == "" {
		return w.GroupsByLabel(s.label)
	}
	text, err := os.ReadFile(s.groups)
	if err != nil {
		return nil, nil, err
	}
	groups, err := answer.ParseGroups(text)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", s.groups, err)
	}
	return groups, nil, nil
}
