package command

import (
	"github.com/spf13/cobra"
)

func capacityCommand(f *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "capacity [[NAMESPACE/]POD...]",
		Short: "Count how many more pods like these fit, or like each kind of pending ones",
		RunE: func(cmd *cobra.Command, pods []string) error {
			w, err := f.world(cmd.Context())
			if err != nil {
				return err
			}
			c, err := w.Capacity(pods...)
			if err != nil {
				return err
			}
			if err := f.print(c, func() { f.style().Capacity(f.terminal.Out, c) }); err != nil {
				return err
			}
			return f.judge(c.Fits)
		},
	}
}

func fragmentationCommand(f *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "fragmentation [[NAMESPACE/]POD]",
		Short: "Show the largest request that still fits on each node: for one whole device, or like a pod's",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, pods []string) error {
			w, err := f.world(cmd.Context())
			if err != nil {
				return err
			}
			x, err := w.Fragmentation(append(pods, "")[0])
			if err != nil {
				return err
			}
			return f.print(x, func() { f.style().Fragmentation(f.terminal.Out, x) })
		},
	}
}

// defaultMoves is the most pods that makeroom moves.
const defaultMoves = 3

func makeRoomCommand(f *flags) *cobra.Command {
	most := 0
	c := &cobra.Command{
		Use:   "makeroom [NAMESPACE/]POD",
		Short: "Find the pods that would have to move so that a pod fits",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, pods []string) error {
			w, err := f.world(cmd.Context())
			if err != nil {
				return err
			}
			m, err := w.MakeRoom(pods[0], max(most, 0))
			if err != nil {
				return err
			}
			if err := f.print(m, func() { f.style().MakeRoom(f.terminal.Out, m) }); err != nil {
				return err
			}
			return f.judge(m.Fits)
		},
	}
	c.Flags().IntVar(&most, "max-moves", defaultMoves, "most pods to move off a node; 0: none")
	return c
}

func drainCommand(f *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "drain NODE",
		Short: "Tell whether the pods that hold devices of a node fit elsewhere, and where each goes",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, nodes []string) error {
			w, err := f.world(cmd.Context())
			if err != nil {
				return err
			}
			d, err := w.Drain(nodes[0])
			if err != nil {
				return err
			}
			if err := f.print(d, func() { f.style().Drain(f.terminal.Out, d) }); err != nil {
				return err
			}
			return f.judge(d.Fits)
		},
	}
}
