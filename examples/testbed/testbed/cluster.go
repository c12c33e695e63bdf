package testbed

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// startLimit bounds a start where Options do not.
const startLimit = 2 * time.Minute

// Options say what cluster to start. The zero value is one where every user may do everything.
type Options struct {
	// Bin is the folder of etcd, kube-apiserver and kube-scheduler; empty: the one that K8S_BIN names.
	Bin string

	// RBAC has kube-apiserver ask roles what a user may do; otherwise every user may do everything.
	RBAC bool

	// Port of kube-apiserver; 0: a free one.
	Port int

	// EnableAdmission turns on admission plugins that are off otherwise: ServiceAccount, TaintNodesByCondition.
	EnableAdmission []string

	// APIServerFlags are added to kube-apiserver's; they go before those of the same name.
	APIServerFlags []string

	// Logs is a folder for logs, which stay; it is made if need be, and is for one cluster at a time. Empty: logs are removed by
	// Stop, unless something failed.
	Logs string

	// Limit bounds the time that the start takes; 0: two minutes.
	Limit time.Duration
}

// Cluster is a control plane that runs. Its methods are safe for concurrent use.
type Cluster struct {
	options Options
	dir     string // of everything
	logs    string
	url     string // of kube-apiserver
	etcdURL string

	authority, etcdAuthority *Authority

	etcd, apiServer *process
	admin           *rest.Config
	client          *kubernetes.Clientset

	mu         sync.Mutex
	schedulers []*Scheduler
	number     int // of the last scheduler
	keep       bool
	stopped    bool
}

// Start starts etcd and kube-apiserver, and returns when kube-apiserver is ready. ctx bounds the start only; the cluster runs
// until Stop. If the start fails, nothing of it runs any more; the logs are kept, and the error is a *ProcessError that names
// one. If ctx is cancelled, nothing is kept.
func Start(ctx context.Context, o Options) (*Cluster, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, o.Limit, fmt.Errorf("the start took more than %v", o.Limit))
	defer cancel()
	c := &Cluster{options: o}
	for _, step := range []func(context.Context) error{c.prepare, c.startEtcd, c.startAPIServer, c.connect} {
		err := step(ctx)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, c.abandon(ctx, err)
		}
	}
	return c, nil
}

// complete fills in what is left out, and finds the binaries.
func (o *Options) complete() (err error) {
	if o.Limit == 0 {
		o.Limit = startLimit
	}
	if o.Bin == "" {
		o.Bin, err = FindBinaries()
		return err
	}
	if o.Bin, err = filepath.Abs(o.Bin); err != nil {
		return err
	}
	return errors.Join(executable(filepath.Join(o.Bin, etcdBinary)), executable(filepath.Join(o.Bin, apiServerBinary)))
}

// prepare makes the folders and the certificate authorities.
func (c *Cluster) prepare(context.Context) (err error) {
	if c.dir, err = os.MkdirTemp("", "testbed-"); err != nil {
		return err
	}
	if c.logs, err = filepath.Abs(c.options.Logs); err != nil {
		return err
	}
	if c.options.Logs == "" {
		c.logs = filepath.Join(c.dir, "logs")
	}
	for _, dir := range []string{c.logs, c.state()} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	if c.authority, err = NewAuthority("testbed"); err != nil {
		return err
	}
	c.etcdAuthority, err = NewAuthority("testbed-etcd")
	return err
}

// connect makes the administrator's client.
func (c *Cluster) connect(context.Context) (err error) {
	if c.admin, err = c.ConfigFor(Admin); err != nil {
		return err
	}
	c.client, err = kubernetes.NewForConfig(c.admin)
	return err
}

// state is the folder of what is never kept: data, certificates and keys.
func (c *Cluster) state() string { return filepath.Join(c.dir, "state") }

func (c *Cluster) logOf(name string) string { return filepath.Join(c.logs, name+".log") }

// abandon gives a start up.
func (c *Cluster) abandon(ctx context.Context, err error) error {
	if !errors.Is(ctx.Err(), context.Canceled) {
		c.KeepLogs()
	}
	_ = c.Stop() // what has ended before is the error already
	return fmt.Errorf("starting the test bed: %w", err)
}

// URL is kube-apiserver's.
func (c *Cluster) URL() string { return c.url }

// Client is the administrator's client.
func (c *Cluster) Client() kubernetes.Interface { return c.client }

// Authority is what issued kube-apiserver's certificate, and whose clients it trusts. Webhooks, extenders and their clients may
// get theirs of it too.
func (c *Cluster) Authority() *Authority { return c.authority }

// Logs is the folder of the logs.
func (c *Cluster) Logs() string { return c.logs }

// KeepLogs has Stop keep the logs, and returns their folder.
func (c *Cluster) KeepLogs() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keep = true
	return c.logs
}

// Wait waits until ctx ends, which is no error, or until a process of the control plane ends by itself: a *ProcessError.
// Schedulers do not count.
func (c *Cluster) Wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case <-c.etcd.ended:
		return c.etcd.fault(c.etcd.err)
	case <-c.apiServer.ended:
		return c.apiServer.fault(c.apiServer.err)
	}
}

// Stop stops the schedulers, kube-apiserver and then etcd, each at the latest after five seconds, and removes what the cluster
// has written. The error says which process had ended before, and then the logs are kept. Calling it again does nothing.
func (c *Cluster) Stop() error {
	c.mu.Lock()
	stopped, schedulers := c.stopped, c.schedulers
	c.stopped, c.schedulers = true, nil
	c.mu.Unlock()
	if stopped {
		return nil
	}
	var errs []error
	for _, s := range schedulers {
		errs = append(errs, s.process.stop())
	}
	if c.client != nil {
		utilnet.CloseIdleConnectionsFor(c.client.RESTClient().(*rest.RESTClient).Client.Transport)
	}
	// kube-apiserver hangs when etcd ends first.
	errs = append(errs, c.apiServer.stop(), c.etcd.stop())
	if errors.Join(errs...) != nil {
		c.KeepLogs()
	}
	return errors.Join(append(errs, c.remove())...)
}

// remove removes what the cluster has written, but for logs to be kept.
func (c *Cluster) remove() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.dir == "":
		return nil
	case c.keep && c.options.Logs == "":
		return os.RemoveAll(c.state())
	}
	return os.RemoveAll(c.dir)
}
