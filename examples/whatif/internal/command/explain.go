package command

import (
	"github.com/spf13/cobra"
)

func explainCommand(f *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "explain-request [NAMESPACE/]POD",
		Short: "Tell in words what a pod really asks for, and what of it says so",
		Long: `Tells of every container how many devices it asks for, how much memory and cores of each, and where each amount comes
from: a resource, a default of the device configuration, or admission. Then what else decides which devices the pod gets,
what admission adds, what it is charged and which quotas apply, and which of its annotations nobody reads.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, pods []string) error {
			w, err := f.world(cmd.Context())
			if err != nil {
				return err
			}
			x, err := w.Explain(pods[0])
			if err != nil {
				return err
			}
			if err := f.print(x, func() { f.style().Explained(f.terminal.Out, x) }); err != nil {
				return err
			}
			return f.judge(x.Valid)
		},
	}
}
