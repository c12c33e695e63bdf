package command

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/pflag"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/accelfit/accelfit/examples/whatif/internal/input"
	"github.com/accelfit/accelfit/examples/whatif/internal/live"
)

// liveFlags say which cluster to read where no file is given.
type liveFlags struct {
	kubeconfig, context, timeout string

	only string // the resource that completion needs; no flag
}

var (
	errNoFile = errors.New(`no input: give -f FILE, made by "kubectl get nodes,pods,resourcequotas -A -o json > FILE", ` +
		`or have a kubeconfig, to read a live cluster; or try the command demo`)
	errTwoSources = errors.New("--kubeconfig and --context read a live cluster: they do not go with a file")
)

func (l *liveFlags) register(set *pflag.FlagSet) {
	set.StringVar(&l.kubeconfig, "kubeconfig", "", "without -f: `file` that tells how to reach the cluster; none: as kubectl finds it")
	set.StringVar(&l.context, "context", "", "without -f: `name` of the kubeconfig's context to use; none: the current one")
	set.StringVar(&l.timeout, "request-timeout", "30s",
		"without -f: how long to wait for each answer of the cluster, as `1s`, 2m or 3h; 0: for ever")
}

// chosen says whether a live cluster is asked for in so many words.
func (l *liveFlags) chosen() bool { return l.kubeconfig != "" || l.context != "" }

func (l *liveFlags) options() (live.Options, error) {
	timeout, err := clientcmd.ParseTimeout(l.timeout)
	if err == nil && timeout < 0 {
		err = errors.New("must not be negative")
	}
	if err != nil {
		return live.Options{}, fmt.Errorf("--request-timeout %s: %w", l.timeout, err)
	}
	return live.Options{Kubeconfig: l.kubeconfig, Context: l.context, Timeout: timeout, Only: l.only}, nil
}

// cluster reads the files; without any, a live cluster.
func (f *flags) cluster(ctx context.Context) (*input.Cluster, error) {
	switch {
	case len(f.files) > 0 && f.live.chosen():
		return nil, errTwoSources
	case len(f.files) > 0:
		return input.Read(f.files, f.terminal.In)
	}
	c, err := f.liveCluster(ctx)
	switch {
	case errors.Is(err, live.ErrNoCluster):
		return nil, fmt.Errorf("%w (%w)", errNoFile, err)
	case err != nil:
		return nil, fmt.Errorf("%w; -f FILE answers without a live cluster", err)
	}
	return c, nil
}

func (f *flags) liveCluster(ctx context.Context) (*input.Cluster, error) {
	o, err := f.live.options()
	if err != nil {
		return nil, err
	}
	if f.terminal.ShowProgress {
		f.progress.out = f.terminal.Err
		o.Progress = f.progress.reading
	}
	defer f.progress.clear()
	return live.Read(ctx, o)
}

// longList is the number of objects from which reading them is worth a progress line.
const longList = 500

// reading says how many objects of a resource have been read.
func (p *progress) reading(resource string, n int) {
	if n < longList {
		return
	}
	p.shown = true
	fmt.Fprintf(p.out, "\r\x1b[Kreading %s: %d", resource, n)
}
