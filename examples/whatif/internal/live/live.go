// Package live reads the nodes, pods and resource quotas of a cluster from its API server. It lists them, and asks for nothing
// else.
package live

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/pager"

	"github.com/accelfit/accelfit/examples/whatif/internal/input"
	"github.com/accelfit/accelfit/examples/whatif/internal/problem"
)

// Resources that are read, by the names that roles call them.
const (
	Nodes  = "nodes"
	Pods   = "pods"
	Quotas = "resourcequotas"
)

// Options say which cluster to read, and how. The zero value is the one that kubectl talks to.
type Options struct {
	// Kubeconfig is a file; empty: the files of KUBECONFIG, else ~/.kube/config, else the service account of the pod this runs in.
	Kubeconfig string

	// Context of the kubeconfig; empty: the current one.
	Context string

	// Timeout of each request; 0: none. A list of many pages takes one for each.
	Timeout time.Duration

	// Only this resource is read; empty: all.
	Only string

	// Progress is told after each page how many objects of a resource were read; nil: nobody.
	Progress func(resource string, n int)
}

// Read lists nodes, pods and resource quotas, one after the other, in pages of 500. A user who may not list the quotas gets a
// cluster without them, and a problem that says so. The error is an *[Error] or wraps [ErrNoCluster]; ctx ends the reading at once.
func Read(ctx context.Context, o Options) (*input.Cluster, error) {
	t, err := o.target()
	if err != nil {
		return nil, err
	}
	api, err := client.NewForConfig(t.config)
	if err != nil {
		return nil, t.fault("", err)
	}
	c := &input.Cluster{}
	for _, part := range []struct {
		resource string
		read     func() error
	}{
		{Nodes, func() (err error) { c.Nodes, err = list[*corev1.Node](ctx, &o, Nodes, api.Nodes().List); return err }},
		{Pods, func() (err error) { c.Pods, err = list[*corev1.Pod](ctx, &o, Pods, api.Pods("").List); return err }},
		{Quotas, func() (err error) {
			c.Quotas, err = list[*corev1.ResourceQuota](ctx, &o, Quotas, api.ResourceQuotas("").List)
			return err
		}},
	} {
		if o.Only != "" && o.Only != part.resource {
			continue
		}
		switch err := part.read(); {
		case part.resource == Quotas && apierrors.IsForbidden(err):
			c.Problems = append(c.Problems, problem.Problem{Object: Quotas, Why: "not read: " + err.Error(), LeftOut: "all quotas"})
		case err != nil:
			return nil, t.fault(part.resource, err)
		}
	}
	if len(c.Nodes)+len(c.Pods)+len(c.Quotas) == 0 {
		return nil, t.fault("", input.ErrNothing)
	}
	return c, nil
}

// list lists the objects of a resource.
//
// No resource version is asked for. With "0" an API server answers from its cache whatever it has there, which may be old, and
// sends everything at once: it heeds no limit then. Where the version of the first page has been compacted away before the last
// page, the pager asks once more, for everything.
func list[T, L runtime.Object](ctx context.Context, o *Options, resource string,
	page func(context.Context, metav1.ListOptions) (L, error)) ([]T, error) {
	read := 0
	all, _, err := pager.New(func(ctx context.Context, lo metav1.ListOptions) (runtime.Object, error) {
		got, err := page(ctx, lo)
		if err != nil {
			return nil, err
		}
		if lo.Continue == "" {
			read = 0 // the first page, or everything once more
		}
		if read += meta.LenList(got); o.Progress != nil {
			o.Progress(resource, read)
		}
		return got, nil
	}).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	var out []T
	return out, meta.EachListItem(all, func(object runtime.Object) error {
		out = append(out, object.(T))
		return nil
	})
}
