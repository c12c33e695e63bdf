package command

import (
	"github.com/spf13/cobra"
)

func tableCommand(f *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "table [NODE...]",
		Short: "Show the devices of nodes and what is taken of them",
		RunE: func(cmd *cobra.Command, nodes []string) error {
			w, err := f.world(cmd.Context())
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
		RunE: func(cmd *cobra.Command, args []string) error {
			w, err := f.world(cmd.Context())
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
		RunE: func(cmd *cobra.Command, pods []string) error {
			w, err := f.world(cmd.Context())
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
