package testbed

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/examples/nodelock"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
)

// agentsLook is how often the agents look at the pods.
const agentsLook = 20 * time.Millisecond

// Agents does what the node agents of all vendors do when the containers of a pod start, until the test is over: it says on each
// bound pod whose devices are being allocated that this is done, and gives back the lock of its node. What goes wrong is an error
// of the test.
func (c *Cluster) Agents(tb testing.TB) {
	ctx, cancel := context.WithCancel(tb.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		for ctx.Err() == nil {
			if err := c.allocate(ctx); err != nil && ctx.Err() == nil {
				tb.Errorf("node agent: %v", err)
			}
			time.Sleep(agentsLook)
		}
	})
	tb.Cleanup(func() {
		cancel()
		wg.Wait()
	})
}

func (c *Cluster) allocate(ctx context.Context) error {
	pods, err := c.client.CoreV1().Pods(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for i := range pods.Items {
		pod := &pods.Items[i]
		if pod.Spec.NodeName == "" || pod.Annotations[device.AnnotationBindPhase] != device.BindAllocating {
			continue
		}
		if err := c.serve(ctx, pod); err != nil {
			return fmt.Errorf("pod %s/%s: %w", pod.Namespace, pod.Name, err)
		}
	}
	return nil
}

func (c *Cluster) serve(ctx context.Context, pod *corev1.Pod) error {
	keys, err := nodelock.Keys(vendors.Default(), pod)
	if err != nil {
		return err
	}
	patch := fmt.Sprintf(`{"metadata":{"annotations":{%q:%q}}}`, device.AnnotationBindPhase, device.BindSuccess)
	_, err = c.client.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	if err != nil {
		return err
	}
	locks := &nodelock.Locker{Client: c.client.CoreV1()}
	return locks.Release(ctx, pod.Spec.NodeName, pod, keys)
}

// WantHolders checks that so many pods of a namespace hold devices, each of the node it is bound to, and that no device is given
// out beyond what it has. The cores of cards in mode mig are not looked at: those of instances are rounded up.
func (c *Cluster) WantHolders(tb testing.TB, namespace string, pods int) {
	tb.Helper()
	nodes, err := c.client.CoreV1().Nodes().List(tb.Context(), metav1.ListOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	list, err := c.client.CoreV1().Pods(namespace).List(tb.Context(), metav1.ListOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	set, ledger := vendors.Default(), usage.Ledger{}
	for i := range list.Items {
		pod := &list.Items[i]
		if pod.Spec.NodeName == "" {
			continue
		}
		h, ok, problems := usage.Read(set, pod)
		if !ok || len(problems) > 0 || h.Node != pod.Spec.NodeName || len(h.Allocation.Devices) == 0 {
			tb.Errorf("pod %s on %s: holds devices %v of %s, %v", pod.Name, pod.Spec.NodeName, ok, h.Node, problems)
			continue
		}
		ledger = ledger.Replace(h)
	}
	if ledger.Len() != pods {
		tb.Errorf("%d pods hold devices, want %d", ledger.Len(), pods)
	}
	for i := range nodes.Items {
		wantWithinCapacity(tb, ledger.Node(set.Inventory(&nodes.Items[i])))
	}
}

func wantWithinCapacity(tb testing.TB, u *device.NodeUsage) {
	tb.Helper()
	for i := range u.Devices() {
		has, taken := u.Info().Device(i), u.Device(i)
		cores := taken.Cores > has.Cores && has.Mode != device.ModeMIG
		if taken.Slots > has.Slots || taken.Memory > has.Memory || cores {
			tb.Errorf("%s %s is given out beyond what it has: %+v of %+v", u.Info().Name(), has.ID, *taken, *has)
		}
	}
}
