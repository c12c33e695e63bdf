package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/accelfit/accelfit/examples/testbed/testbed"
)

// upOptions are the flags of up.
type upOptions struct {
	bin, logs          string
	port               int
	rbac               bool
	empty, noScheduler bool
}

// up runs a cluster until ctx ends.
func (o upOptions) up(ctx context.Context, out, progress io.Writer) (err error) {
	bin, err := o.binaries(ctx, progress)
	if err != nil {
		return interrupted(ctx, err)
	}
	fmt.Fprintln(progress, "starting etcd and kube-apiserver")
	c, err := testbed.Start(ctx, testbed.Options{Bin: bin, RBAC: o.rbac, Port: o.port, Logs: o.logs})
	if err != nil {
		return interrupted(ctx, err)
	}
	defer func() {
		fmt.Fprintln(progress, "stopping")
		if err != nil {
			fmt.Fprintln(progress, "logs:", c.KeepLogs())
		}
		err = errors.Join(err, c.Stop())
	}()
	if err := o.fill(ctx, c, progress); err != nil {
		return interrupted(ctx, err)
	}
	kubeconfig, err := c.KubeconfigFile(testbed.Admin)
	if err != nil {
		return err
	}
	o.explain(out, c, kubeconfig)
	return c.Wait(ctx)
}

// interrupted is no error if ctx was cancelled: then somebody wanted the end.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// binaries returns the folder of the binaries, built if need be: not the one that K8S_BIN names, which is somebody else's.
func (o upOptions) binaries(ctx context.Context, progress io.Writer) (string, error) {
	if o.bin == "" {
		if bin, err := testbed.FindBinaries(); !errors.Is(err, testbed.ErrNoBinaries) {
			return bin, err
		}
		o.bin = defaultBin
	}
	return o.bin, testbed.Build(ctx, o.bin, testbed.BuildOptions{Out: progress})
}

// fill starts the scheduler and loads the demo.
func (o upOptions) fill(ctx context.Context, c *testbed.Cluster, progress io.Writer) error {
	if !o.noScheduler {
		fmt.Fprintln(progress, "starting kube-scheduler")
		if _, err := c.StartScheduler(ctx, testbed.SchedulerOptions{}); err != nil {
			return err
		}
	}
	if o.empty {
		return nil
	}
	demo, err := loadDemo(time.Now())
	if err != nil {
		return fmt.Errorf("demo: %w", err)
	}
	if _, err := c.CreateNodes(ctx, demo.Nodes...); err != nil {
		return err
	}
	_, err = c.CreatePods(ctx, demo.Pods...)
	return err
}

// explain says what there is and what to try.
func (o upOptions) explain(out io.Writer, c *testbed.Cluster, kubeconfig string) {
	fmt.Fprintf(out, "\nKubernetes %s at %s, process %d. Ctrl-C stops it and leaves nothing behind.\n", testbed.Version, c.URL(), os.Getpid())
	fmt.Fprintf(out, "Logs: %s\n\n", c.Logs())
	fmt.Fprintf(out, "  export KUBECONFIG=%s\n", kubeconfig)
	if o.empty {
		fmt.Fprintln(out, "  kubectl get nodes")
		return
	}
	fmt.Fprint(out, `  kubectl get nodes,pods -A -o wide
  kubectl describe pod -n research giant               # plain kube-scheduler knows nothing of device memory
  kubectl run plain --image=none                       # but it binds pods without devices

In the folder of accelfit:

  kubectl get nodes,pods -A -o json | go -C examples/whatif run . table -f -
  kubectl get nodes,pods -A -o json | go -C examples/whatif run . why research/giant -f -
  kubectl get nodes,pods -A -o json | go -C examples/whatif run . capacity shop/search-0 -f -

`)
}
