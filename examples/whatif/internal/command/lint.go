package command

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/examples/whatif/internal/answer"
	"github.com/accelfit/accelfit/examples/whatif/internal/input"
	"github.com/accelfit/accelfit/vendors"
)

var (
	errLintChanged = errors.New("lint checks what was read: --fail-device, --cordon-device, --cordon-node, --only-device, " +
		"--reserve and --exact-model do not go with it")
	errAnonymizeChanged = errors.New("anonymize prints what was read: --fail-device, --cordon-device, --cordon-node, --only-device, " +
		"--reserve and --exact-model do not go with it")
)

func lintCommand(f *flags) *cobra.Command {
	var groups string
	c := &cobra.Command{
		Use:   "lint",
		Short: "List what is wrong with annotations, device configuration, profiles and node groups, and what to do",
		Long: `Checks the annotations of nodes and pods, quotas, and the files given with --config, --profiles and --groups. With one of
these and without -f a live cluster is checked only where --context or --kubeconfig names it. An error is
something that does not work: a description that cannot be read, a pod that fits nowhere. A warning is something that has no
effect, or likely another one than was meant: a mistyped annotation, an id or model that no device has, a policy with unknown
words, an annotation of another vendor than the pod asks for.

Exit codes: 0 checked; 1 there are errors (with --fail); 2 the input cannot be read at all.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := f.lint(cmd.Context(), groups)
			if err != nil {
				return err
			}
			if err := f.print(l, func() { f.style().Lint(f.terminal.Out, l) }); err != nil {
				return err
			}
			return f.judge(l.OK)
		},
	}
	f.groupLabelFlag(c)
	c.Flags().StringVar(&groups, "groups", "", "`file` with node groups; - is standard input")
	return c
}

// lint checks every file that is given, and the live cluster where one is chosen or no file is given.
func (f *flags) lint(ctx context.Context, groups string) (*answer.Lint, error) {
	if f.changes.Any() {
		return nil, errLintChanged
	}
	if err := f.check(); err != nil {
		return nil, err
	}
	l := &answer.Linter{}
	set, err := f.lintConfig(l)
	if err != nil {
		return nil, err
	}
	o := answer.Options{NoAdmission: f.noAdmission, GroupLabel: f.groupLabel, NoInstanceTypes: f.noInstanceTypes}
	for _, file := range f.profiles {
		text, label, err := input.Text(file, f.terminal.In)
		if err != nil {
			return nil, err
		}
		l.Profiles(&o.Profiles, set, label, text)
	}
	var w *answer.World
	others := len(f.profiles) > 0 || f.config != "" || groups != ""
	if len(f.files) > 0 || f.live.chosen() || !others {
		cluster, err := f.cluster(ctx)
		if err != nil {
			return nil, err
		}
		w = answer.NewWorld(set, cluster, o)
		l.Cluster(w)
	}
	if groups != "" {
		text, label, err := input.Text(groups, f.terminal.In)
		if err != nil {
			return nil, err
		}
		l.Groups(w, label, text)
	}
	return l.Answer(), nil
}

// lintConfig checks the device configuration. What is wrong with it does not keep the rest from being checked.
func (f *flags) lintConfig(l *answer.Linter) (*vendors.Set, error) {
	set := vendors.Default()
	if f.config != "" {
		text, label, err := input.Text(f.config, f.terminal.In)
		if err != nil {
			return nil, err
		}
		if read := l.Config(label, text); read != nil {
			set = read
		}
	}
	o := vendors.Options{NodePolicy: f.nodePolicy, DevicePolicy: f.devicePolicy}
	if f.allQuirks {
		o.Quirks = device.AllQuirks
	}
	return set.With(o), nil
}
