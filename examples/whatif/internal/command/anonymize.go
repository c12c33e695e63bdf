package command

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/accelfit/accelfit/examples/whatif/internal/anonymize"
)

func anonymizeCommand(f *flags) *cobra.Command {
	var seed uint64
	var names bool
	c := &cobra.Command{
		Use:   "anonymize",
		Short: "Print the cluster with all names replaced, for others to look at; all answers stay the same",
		Long: `Replaces the names of nodes, pods, namespaces, containers and quotas, ids of devices, UIDs, and the keys and values of labels,
taints and selectors, wherever they are, also within annotations. Leaves out what no answer depends on: labels of pods, images,
environment, commands, volumes, other annotations, managed fields, addresses, conditions besides Ready.

Kept are amounts, models, modes, resource names, policies, well-known keys of labels, types of machines, and the order of names,
by which ties are settled. The same seed gives the same names. Files for --config, --profiles and --groups are not anonymized.
Look through the result before you show it to others.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.anonymize(cmd.Context(), seed, names) },
	}
	c.Flags().Uint64Var(&seed, "seed", 0, "`number` from which the new names follow; 0: they are numbered without gaps")
	c.Flags().BoolVar(&names, "names", false, "print which name is in whose place instead; keep that to yourself")
	return c
}

func (f *flags) anonymize(ctx context.Context, seed uint64, names bool) error {
	if err := f.check(); err != nil {
		return err
	}
	if f.changes.Any() {
		return errAnonymizeChanged
	}
	set, err := f.set()
	if err != nil {
		return err
	}
	cluster, err := f.cluster(ctx)
	if err != nil {
		return err
	}
	dump, err := anonymize.Cluster(set, cluster, seed)
	if err != nil {
		return err
	}
	if names {
		return f.print(&dump.Names, func() { f.style().Names(f.terminal.Out, dump.Names) })
	}
	return f.printDump(dump)
}

// printDump prints a list as kubectl does; YAML unless JSON is asked for.
func (f *flags) printDump(dump *anonymize.Dump) error {
	objects := dump.Objects
	if objects == nil {
		objects = []any{}
	}
	asYAML := f.output != "json"
	text, err := encode(map[string]any{"apiVersion": "v1", "kind": "List", "items": objects}, asYAML)
	if err != nil {
		return err
	}
	if asYAML && dump.LeftOut > 0 {
		text = append(fmt.Appendf(nil, "# Left out: %d objects that cannot be read.\n", dump.LeftOut), text...)
	}
	_, err = f.terminal.Out.Write(text)
	return err
}
