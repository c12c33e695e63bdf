package service

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/examples/extender/internal/live"
	"github.com/accelfit/accelfit/vendors"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// cluster is a Live that counts what it is asked to do.
type cluster struct {
	notReady bool
	block    chan struct{} // filter calls wait for it to be closed; nil: they do not
	panics   bool
	calls    atomic.Int64 // that make sense
}

func (c *cluster) Ready() error {
	if c.notReady {
		return errors.New("this replica does not lead")
	}
	return nil
}

func (c *cluster) Filter(ctx context.Context, args *extenderv1.ExtenderArgs) *extenderv1.ExtenderFilterResult {
	if c.panics {
		panic("a device model is broken")
	}
	if args.Pod == nil || args.Pod.UID == "" || (args.Nodes == nil) == (args.NodeNames == nil) {
		return &extenderv1.ExtenderFilterResult{Error: "extender args make no sense"}
	}
	c.calls.Add(1)
	if c.block != nil {
		select {
		case <-c.block:
		case <-ctx.Done():
		}
	}
	return &extenderv1.ExtenderFilterResult{Nodes: args.Nodes, NodeNames: args.NodeNames}
}

func (c *cluster) Prioritize(_ context.Context, args *extenderv1.ExtenderArgs) (extenderv1.HostPriorityList, error) {
	if args.Pod == nil || args.NodeNames == nil {
		return nil, errors.New("extender args make no sense")
	}
	list := extenderv1.HostPriorityList{}
	for _, name := range *args.NodeNames {
		list = append(list, extenderv1.HostPriority{Host: name, Score: 3})
	}
	return list, nil
}

func (c *cluster) Bind(_ context.Context, args *extenderv1.ExtenderBindingArgs) *extenderv1.ExtenderBindingResult {
	if args.PodUID == "" || args.Node == "" {
		return &extenderv1.ExtenderBindingResult{Error: "binding args make no sense"}
	}
	c.calls.Add(1)
	return &extenderv1.ExtenderBindingResult{}
}

func (c *cluster) Headroom(namespace string) map[device.Vendor]device.Headroom { return nil }

func (c *cluster) Judged() map[live.Judgement]int {
	return map[live.Judgement]int{{Fits: true}: 2, {Vendor: "NVIDIA", Reason: device.CardInsufficientMemory}: 3}
}

func (c *cluster) Nodes() []*corev1.Node {
	return []*corev1.Node{
		{ObjectMeta: metav1.ObjectMeta{Name: "a", Labels: map[string]string{"pool": "l4"}}}, {ObjectMeta: metav1.ObjectMeta{Name: "b"}},
	}
}

// routes are the routes of a service with a cluster; set changes its options.
func routes(t testing.TB, live Live, set func(*Options)) *handler {
	t.Helper()
	s := New()
	if set != nil {
		set(&s.Options)
	}
	h, err := s.handler(vendors.Default(), live)
	require.NoError(t, err)
	return h
}

// post sends a body to a route.
func post(t testing.TB, h http.Handler, path string, body any) (status int, answer []byte) {
	t.Helper()
	text, ok := body.(string)
	if !ok {
		raw, err := json.Marshal(body)
		require.NoError(t, err)
		text = string(raw)
	}
	r := httptest.NewRequest(http.MethodPost, path, bytes.NewReader([]byte(text)))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	answer, err := io.ReadAll(w.Body)
	require.NoError(t, err)
	return w.Code, answer
}

func pod(memory string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "p", UID: "1"},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Resources: corev1.ResourceRequirements{
			Limits: corev1.ResourceList{"nvidia.com/gpu": resource.MustParse("1"), "nvidia.com/gpumem": resource.MustParse(memory)},
		}}}},
	}
}

// nodes have two cards of 11441 MiB each.
func nodes(n int) *corev1.NodeList {
	list := &corev1.NodeList{}
	for i := range n {
		list.Items = append(list.Items, corev1.Node{ObjectMeta: metav1.ObjectMeta{
			Name: fmt.Sprint("n", i), Annotations: map[string]string{"hami.io/node-nvidia-register": `[
				{"id":"GPU-0","index":0,"count":10,"devmem":11441,"devcore":100,"type":"NVIDIA-Tesla T4","mode":"hami-core","health":true},
				{"id":"GPU-1","index":1,"count":10,"devmem":11441,"devcore":100,"type":"NVIDIA-Tesla T4","mode":"hami-core","health":true}]`},
		}})
	}
	return list
}

func names(list ...string) extenderv1.ExtenderArgs {
	return extenderv1.ExtenderArgs{Pod: pod("6000"), NodeNames: &list}
}

func scrape(t testing.TB, h *handler) string {
	t.Helper()
	w := httptest.NewRecorder()
	h.observed().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	require.Equal(t, http.StatusOK, w.Code)
	return w.Body.String()
}
