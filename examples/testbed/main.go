// Command testbed runs a Kubernetes control plane on loopback, with demo nodes that have accelerators.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/accelfit/accelfit/examples/testbed/testbed"
)

// defaultBin is the folder of the binaries where neither K8S_BIN nor a flag names one.
const defaultBin = "bin"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	err := command().ExecuteContext(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "testbed:", err)
		os.Exit(1)
	}
}

// command is the command line.
func command() *cobra.Command {
	root := &cobra.Command{
		Use:           "testbed",
		Short:         "A Kubernetes " + testbed.Version + " control plane on loopback, with demo nodes that have accelerators",
		SilenceErrors: true, SilenceUsage: true,
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(buildCommand(), upCommand())
	return root
}

func buildCommand() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "build",
		Short: "Build etcd, kube-apiserver and kube-scheduler",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return testbed.Build(cmd.Context(), out, testbed.BuildOptions{Out: cmd.ErrOrStderr()})
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", defaultBin, "folder to put them in")
	return cmd
}

func upCommand() *cobra.Command {
	var o upOptions
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Run a cluster with demo nodes and pods until Ctrl-C",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.up(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.bin, "bin", "", "folder of the binaries, built there if need be (default: what "+testbed.BinariesVariable+" names, else "+defaultBin+")")
	f.StringVar(&o.logs, "logs", "", "folder for logs, which stay (default: one that is removed at the end)")
	f.IntVar(&o.port, "port", 0, "port of kube-apiserver (default: a free one)")
	f.BoolVar(&o.rbac, "rbac", false, "have roles say what users may do; otherwise every user may do everything")
	f.BoolVar(&o.empty, "empty", false, "load no demo nodes and pods")
	f.BoolVar(&o.noScheduler, "no-scheduler", false, "start no kube-scheduler")
	return cmd
}
