package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/accelfit/accelfit/examples/whatif/internal/answer"
	"github.com/accelfit/accelfit/examples/whatif/internal/input"
	"github.com/accelfit/accelfit/examples/whatif/internal/live"
)

// sideFlags are the flags of diff for one side alone, as FLAG or FLAG=VALUE.
type sideFlags struct{ a, b []string }

var (
	errDiffFiles = errors.New("diff names its files without -f: diff [A [B]]")
	errDiffSame  = errors.New("nothing to compare: give two files, or a flag for one side with --a or --b, or one file and have a " +
		"kubeconfig, to compare it with a live cluster")
	errOneSide = errors.New("holds for both sides or none")
)

func diffCommand(f *flags) *cobra.Command {
	var sides sideFlags
	c := &cobra.Command{
		Use:   "diff [A [B]]",
		Short: "Tell in what the answers about two clusters, or one under two settings, differ, and why",
		Long: `Compares two files, a file with the live cluster, or one of them under two settings: which nodes and devices came, went or
changed, for which pending pods a node's verdict is another, and where each would be placed, by itself.

Flags hold for both sides. --a and --b take a flag for one side alone, without dashes:

  whatif diff monday.json tuesday.json
  whatif diff monday.json                                # with the live cluster
  whatif diff --a context=staging --b context=production
  whatif diff cluster.json --b all-quirks
  whatif diff cluster.json --a config=old.yaml --b config=new.yaml
  whatif diff cluster.json --b fail-device=l4-1/GPU-1f0c --b cordon-node=a100-1

Exit codes: 0 compared; 1 something differs (with --fail); 2 bad input.`,
		Args: cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, files []string) error {
			return f.diff(cmd.Context(), cmd.Root().PersistentFlags(), files, &sides)
		},
	}
	c.Flags().StringArrayVarP(&sides.a, "a", "a", nil, "`FLAG[=VALUE]` that holds for A alone; repeatable")
	c.Flags().StringArrayVarP(&sides.b, "b", "b", nil, "`FLAG[=VALUE]` that holds for B alone; repeatable")
	return c
}

func (f *flags) diff(ctx context.Context, common *pflag.FlagSet, files []string, own *sideFlags) error {
	if len(f.files) > 0 {
		return errDiffFiles
	}
	if err := f.check(); err != nil {
		return err
	}
	sides, err := f.sides(common, files, own)
	if err != nil {
		return err
	}
	if err := f.readSides(ctx, &sides); err != nil {
		return err
	}
	d, err := answer.Compare(sides[0].world, sides[1].world, sides[0].name, sides[1].name)
	if err != nil {
		return err
	}
	if err := f.print(d, func() { f.style().Diff(f.terminal.Out, d) }); err != nil {
		return err
	}
	return f.judge(d.Same)
}

// diffSide is one of the two that are compared.
type diffSide struct {
	flags *flags // those of both sides, and its own
	file  string // empty: a live cluster
	again bool   // it is what side A is
	name  string
	world *answer.World
}

// sides tells what is compared. A file that is the only one is both sides, unless nothing else tells them apart, or side B says
// which live cluster it is.
func (f *flags) sides(common *pflag.FlagSet, files []string, own *sideFlags) (out [2]diffSide, err error) {
	if len(files)+len(own.a)+len(own.b) == 0 {
		return out, errDiffSame
	}
	for i, texts := range [][]string{own.a, own.b} {
		s := &out[i]
		if s.flags, err = f.side(common, texts); err != nil {
			return out, err
		}
		if len(files) == 2 || len(files) == 1 && (i == 0 || len(own.a)+len(own.b) > 0 && !s.flags.live.chosen()) {
			s.file = files[min(i, len(files)-1)]
		}
		s.name = strings.Join(append([]string{s.source()}, texts...), ", ")
	}
	a, b := &out[0], &out[1]
	b.again = len(files) < 2 && a.file == b.file && (a.file != "" || a.flags.live == b.flags.live)
	if len(files) == 2 && b.flags.live.chosen() || len(files) > 0 && a.flags.live.chosen() && a.flags.live != f.live {
		return out, errTwoSources
	}
	return out, nil
}

// source names what a side is read from.
func (s *diffSide) source() string {
	switch {
	case s.file != "":
		return s.file
	case s.flags.live.context != "":
		return "live cluster of context " + s.flags.live.context
	}
	return "live cluster"
}

func (f *flags) readSides(ctx context.Context, sides *[2]diffSide) error {
	var read *input.Cluster
	for i := range sides {
		s := &sides[i]
		var err error
		switch {
		case s.again:
		case s.file != "":
			read, err = input.Read([]string{s.file}, f.terminal.In)
		default:
			read, err = s.flags.liveCluster(ctx)
		}
		if errors.Is(err, live.ErrNoCluster) {
			return fmt.Errorf("%w (%w)", errDiffSame, err)
		}
		if err != nil {
			return err
		}
		if s.world, err = s.flags.worldOf(read); err != nil {
			return fmt.Errorf("%c: %w", 'A'+i, err)
		}
	}
	return nil
}

// side are the flags of one side: those of both, and its own.
func (f *flags) side(common *pflag.FlagSet, own []string) (*flags, error) {
	out := &flags{terminal: f.terminal}
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	out.register(set)
	var failed error
	common.VisitAll(func(given *pflag.Flag) {
		values := []string{given.Value.String()}
		if list, ok := given.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, value := range values {
			if given.Changed {
				failed = errors.Join(failed, set.Set(given.Name, value))
			}
		}
	})
	for _, text := range own {
		name, value, given := strings.Cut(strings.TrimLeft(text, "-"), "=")
		to := set.Lookup(name)
		switch {
		case to == nil:
			return nil, fmt.Errorf("%s: there is no such flag", text)
		case forBothSides(name):
			return nil, fmt.Errorf("%s: %w", text, errOneSide)
		case !given && to.NoOptDefVal == "":
			return nil, fmt.Errorf("%s: want %s=VALUE", text, name)
		case !given:
			value = to.NoOptDefVal
		}
		if err := set.Set(name, value); err != nil {
			return nil, err
		}
	}
	return out, errors.Join(failed, out.check())
}

// forBothSides says which flags are about the comparison.
func forBothSides(flag string) bool {
	return slices.Contains([]string{"fail", "file", "output", "full-ids", "color"}, flag)
}
