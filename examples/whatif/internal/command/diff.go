package command

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/accelfit/accelfit/examples/whatif/internal/answer"
	"github.com/accelfit/accelfit/examples/whatif/internal/input"
)

// sideFlags are the flags of diff for one side alone, as FLAG or FLAG=VALUE.
type sideFlags struct{ a, b []string }

var (
	errDiffFiles = errors.New("diff names its files without -f: diff A [B]")
	errDiffSame  = errors.New("nothing differs between the two sides: give two files, or a flag for one side with --a or --b")
	errOneSide   = errors.New("holds for both sides or none")
)

func diffCommand(f *flags) *cobra.Command {
	var sides sideFlags
	c := &cobra.Command{
		Use:   "diff A [B]",
		Short: "Tell in what the answers about two clusters, or one under two settings, differ, and why",
		Long: `Compares two files, or one under two settings: which nodes and devices came, went or changed, for which pending pods a node's
verdict is another, and where each would be placed, by itself.

Flags hold for both sides. --a and --b take a flag for one side alone, without dashes:

  whatif diff monday.json tuesday.json
  whatif diff cluster.json --b all-quirks
  whatif diff cluster.json --a config=old.yaml --b config=new.yaml
  whatif diff cluster.json --b fail-device=l4-1/GPU-1f0c --b cordon-node=a100-1

Exit codes: 0 compared; 1 something differs (with --fail); 2 bad input.`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(c *cobra.Command, files []string) error { return f.diff(c, files, &sides) },
	}
	c.Flags().StringArrayVar(&sides.a, "a", nil, "`FLAG[=VALUE]` of whatif that holds for A alone; repeatable")
	c.Flags().StringArrayVar(&sides.b, "b", nil, "`FLAG[=VALUE]` of whatif that holds for B alone; repeatable")
	return c
}

func (f *flags) diff(c *cobra.Command, files []string, sides *sideFlags) error {
	switch {
	case len(f.files) > 0:
		return errDiffFiles
	case len(files) == 1 && len(sides.a)+len(sides.b) == 0:
		return errDiffSame
	}
	if err := f.check(); err != nil {
		return err
	}
	var worlds [2]*answer.World
	var names [2]string
	var read *input.Cluster
	for i, own := range [][]string{sides.a, sides.b} {
		file := files[min(i, len(files)-1)]
		side, err := f.side(c, own)
		if err != nil {
			return err
		}
		if i == 0 || len(files) == 2 {
			if read, err = input.Read([]string{file}, f.terminal.In); err != nil {
				return err
			}
		}
		if worlds[i], err = side.worldOf(read); err != nil {
			return fmt.Errorf("%c: %w", 'A'+i, err)
		}
		names[i] = strings.Join(append([]string{file}, own...), ", ")
	}
	d, err := answer.Compare(worlds[0], worlds[1], names[0], names[1])
	if err != nil {
		return err
	}
	if err := f.print(d, func() { f.style().Diff(f.terminal.Out, d) }); err != nil {
		return err
	}
	return f.judge(d.Same)
}

// side are the flags of one side: those of both, and its own.
func (f *flags) side(c *cobra.Command, own []string) (*flags, error) {
	out := &flags{terminal: f.terminal}
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	out.register(set)
	var failed error
	c.Root().PersistentFlags().Visit(func(common *pflag.Flag) {
		to := set.Lookup(common.Name)
		if list, ok := common.Value.(pflag.SliceValue); ok {
			failed = errors.Join(failed, to.Value.(pflag.SliceValue).Replace(list.GetSlice()))
			return
		}
		failed = errors.Join(failed, to.Value.Set(common.Value.String()))
	})
	for _, text := range own {
		name, value, given := strings.Cut(strings.TrimLeft(text, "-"), "=")
		to := set.Lookup(name)
		switch {
		case to == nil:
			return nil, fmt.Errorf("%s: whatif has no such flag", text)
		case name == "fail", name == "file", name == "output", name == "full-ids":
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
