package command

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/accelfit/accelfit/examples/whatif/internal/answer"
	"github.com/accelfit/accelfit/examples/whatif/internal/input"
	"github.com/accelfit/accelfit/examples/whatif/internal/problem"
	"github.com/accelfit/accelfit/simulate"
)

// scaleUpFlags are those of scaleup alone.
type scaleUpFlags struct{ groups, strategy string }

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
    profile: l4         # name of a profile of --profiles that says which devices new nodes have, whatever the sample
                        # says; a group with a profile needs neither sample nor node
    price: 0.8          # of one node, for --strategy price
    maxNew: 10          # nodes it can still add
    keepHealth: false   # unhealthy devices of the sample are unhealthy on new nodes; keepCordon, keepUsage likewise

A group that names no profile has the devices that its sample has registered. Where that has registered none, those of
the profile of --profiles that matches the group by name, labels or instance type; else those that machines of its
instance type have, unless --no-instance-types. The answer says what is assumed so. Live nodes that have registered none
and that a profile matches are taken to have what it says, and are listed as upcoming.

New nodes are healthy and not cordoned, whatever state the sample is in, unless the file says otherwise. --fail-device,
--cordon-device and --cordon-node are about nodes that exist: new nodes are like the sample as it was read, also with
keepHealth and keepCordon. --only-device leaves new nodes as they are. --reserve MiB and --exact-model hold for new nodes
too; --reserve NODE/ID=MiB only for that device.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.scaleUp(cmd.Context(), &s) },
	}
	f.groupLabelFlag(c)
	c.Flags().StringVar(&s.groups, "groups", "", "`file` with node groups; - is standard input")
	c.Flags().StringVar(&s.strategy, "strategy", string(simulate.LeastWaste), "which group grows first: "+strings.Join(strategyNames(), ", "))
	c.Flags().BoolVar(&f.noInstanceTypes, "no-instance-types", false, "assume no devices from instance types")
	c.MarkFlagsMutuallyExclusive("group-label", "groups")
	return c
}

func (f *flags) groupLabelFlag(c *cobra.Command) {
	c.Flags().StringVar(&f.groupLabel, "group-label", "", "node label that names the group; none: the first that a node has of "+
		strings.Join(answer.DefaultGroupLabels(), ", "))
}

func (f *flags) scaleUp(ctx context.Context, s *scaleUpFlags) error {
	strategy, err := simulate.ParseStrategy(s.strategy)
	if err != nil {
		return err
	}
	w, err := f.world(ctx)
	if err != nil {
		return err
	}
	groups, problems, err := f.readGroups(w, s.groups)
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

func (f *flags) readGroups(w *answer.World, file string) ([]answer.GroupSpec, []problem.Problem, error) {
	if file == "" {
		return w.GroupsByLabel()
	}
	text, label, err := input.Text(file, f.terminal.In)
	if err != nil {
		return nil, nil, err
	}
	groups, err := answer.ParseGroups(label, text)
	return groups, nil, err
}

// Errors about the flags of verify.
var (
	errNoProfiles = errors.New("nothing to compare with: give --profiles FILE")
	errChanged    = errors.New("verify compares nodes as they were read: --fail-device, --cordon-device, --cordon-node, " +
		"--only-device, --reserve and --exact-model do not go with it")
)

func verifyCommand(f *flags) *cobra.Command {
	c := &cobra.Command{
		Use:   "verify --profiles FILE [NODE...]",
		Short: "Compare nodes with the device profiles that match them",
		Long: `Compares what nodes have registered with what the device profile promises that matches them best: by the name of their
group, else by labels, else by instance type. Lists every difference: an error where there is less than promised, a
warning where there is more, or something else.

Exit codes: 0 no node has less than promised, 1 some have, 2 bad input, or no profile matches a node.`,
		RunE: func(cmd *cobra.Command, nodes []string) error {
			switch {
			case len(f.profiles) == 0:
				return errNoProfiles
			case f.changes.Any():
				return errChanged
			}
			w, err := f.world(cmd.Context())
			if err != nil {
				return err
			}
			v, err := w.Verify(nodes...)
			if err != nil {
				return err
			}
			if err := f.print(v, func() { f.style().Verify(f.terminal.Out, v) }); err != nil {
				return err
			}
			if !v.OK {
				return errNoFit
			}
			return nil
		},
	}
	f.groupLabelFlag(c)
	return c
}
