package e2e

import (
	"context"
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/examples/nodelock"
	"github.com/accelfit/accelfit/examples/testbed/testbed"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
)

// 200 pods of five vendors go, one after the other, where the library foretells, on the devices that it foretells; what is written
// on them is the same to the letter, times aside.
func TestPlacesAsForetold(t *testing.T) {
	c := bed.Cluster(t)
	nodes := createNodes(t, c, fleet...)
	start(t, c, "foretold", unlocked)
	snapshot, problems := simulate.New(vendors.Default(), nodes, nil)
	require.Empty(t, problems)
	for _, pod := range podsOf("foretold", 200, wishes...) {
		placeOne(t, c, snapshot, pod)
	}
	c.WantHolders(t, "e2e", 200)
}

// placeOne creates a pod, waits until it is bound, and compares with what the snapshot says, which then has it too.
func placeOne(t *testing.T, c *testbed.Cluster, snapshot *simulate.Snapshot, pod *corev1.Pod) {
	t.Helper()
	created, err := c.CreatePods(t.Context(), pod)
	require.NoError(t, err)
	foretold, err := snapshot.PlaceAnywhere(created[0], simulate.PlaceOptions{})
	require.NoError(t, err)
	require.True(t, foretold.OK(), "pod %s is not to fit: %v", pod.Name, foretold.Refused)
	bound, err := c.WaitBound(t.Context(), created...)
	require.NoError(t, err)
	u, _ := snapshot.Node(foretold.Node)
	want := snapshot.Set().Annotations(created[0], u.Info(), foretold.Allocation, time.Time{})
	got := maps.Clone(bound[0].Annotations)
	assert.Equal(t, device.BindAllocating, got[device.AnnotationBindPhase])
	for _, key := range []string{device.AnnotationTime, device.AnnotationBindTime, device.AnnotationBindPhase, "predicate-time"} {
		delete(got, key)
	}
	require.Equal(t, foretold.Node, bound[0].Spec.NodeName, pod.Name)
	require.Equal(t, want, got, pod.Name)
}

// Of a thousand pods that come at once as many are bound as there is room for, and no device is given out beyond what it has,
// although the scheduler is killed on the way: the next one finds in the annotations what was given out.
func TestThousandPodsAtOnce(t *testing.T) {
	c := bed.Cluster(t)
	createNodes(t, c, fleet...)
	first := start(t, c, "thousand", unlocked)
	small := []map[corev1.ResourceName]string{
		{"nvidia.com/gpu": "1", "nvidia.com/gpumem": "1500", "nvidia.com/gpucores": "5"},
		{"nvidia.com/gpu": "1", "nvidia.com/gpumem": "2000"},
		{"hygon.com/dcunum": "1", "hygon.com/dcumem": "1000", "hygon.com/dcucores": "5"},
	}
	pods := podsOf("thousand", 1000, small...)
	created, err := c.CreatePods(t.Context(), pods...)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return bound(t, c) > 100 }, time.Minute, 20*time.Millisecond)
	first.Kill()
	start(t, c, "thousand", unlocked)
	settled(t, c)
	n := bound(t, c)
	t.Logf("%d of %d pods are bound", n, len(created))
	c.WantHolders(t, "e2e", n)
	wantNoneFits(t, c)
}

func listPods(t *testing.T, c *testbed.Cluster) (bound, waiting []*corev1.Pod) {
	t.Helper()
	list, err := c.Client().CoreV1().Pods("e2e").List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	for i := range list.Items {
		if pod := &list.Items[i]; pod.Spec.NodeName != "" {
			bound = append(bound, pod)
		} else {
			waiting = append(waiting, pod)
		}
	}
	return bound, waiting
}

func bound(t *testing.T, c *testbed.Cluster) int {
	t.Helper()
	b, _ := listPods(t, c)
	return len(b)
}

// settled waits until every pod is bound, or its scheduler has said that it has no node for it.
func settled(t *testing.T, c *testbed.Cluster) {
	t.Helper()
	require.Eventually(t, func() bool {
		_, waiting := listPods(t, c)
		for _, pod := range waiting {
			refused := false
			for _, condition := range pod.Status.Conditions {
				refused = refused || condition.Type == corev1.PodScheduled && condition.Reason == corev1.PodReasonUnschedulable
			}
			if !refused {
				return false
			}
		}
		return true
	}, 3*time.Minute, 200*time.Millisecond)
}

// wantNoneFits checks that no waiting pod would fit on any node: nothing was left unused, and no reservation leaked.
func wantNoneFits(t *testing.T, c *testbed.Cluster) {
	t.Helper()
	running, waiting := listPods(t, c)
	nodes, err := c.Client().CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	set := vendors.Default()
	for i := range nodes.Items {
		u, _ := usage.Node(set, &nodes.Items[i], running)
		for _, pod := range waiting {
			r, err := set.Request(pod)
			require.NoError(t, err)
			if set.Fit(r, u).OK() {
				t.Fatalf("%s waits, and fits on %s", pod.Name, nodes.Items[i].Name)
			}
		}
	}
}

// Of two schedulers that want one device for two pods one gets it: the lock of the node lets one pod at a time through, and who
// comes second finds the device taken.
func TestTwoSchedulersRace(t *testing.T) {
	c := bed.Cluster(t)
	createNodes(t, c, "model: NVIDIA L4, count: 1")
	c.Agents(t)
	start(t, c, "left", `{}`)
	start(t, c, "right", `{}`)
	whole := map[corev1.ResourceName]string{"nvidia.com/gpu": "1", "nvidia.com/gpumem-percentage": "100"}
	for round := range 8 {
		pods, err := c.CreatePods(t.Context(), podOf("left", fmt.Sprint("left-", round), whole), podOf("right", fmt.Sprint("right-", round), whole))
		require.NoError(t, err)
		settled(t, c)
		require.Equal(t, 1, bound(t, c), "round %d", round)
		c.WantHolders(t, "e2e", 1)
		for _, pod := range pods {
			var now int64
			require.NoError(t, c.Client().CoreV1().Pods("e2e").Delete(t.Context(), pod.Name, metav1.DeleteOptions{GracePeriodSeconds: &now}))
		}
	}
}

// A node that registers without a device while a pod is on its way to it does not get the pod; it does when the device is back.
func TestDeviceGoesWhileReserved(t *testing.T) {
	c := bed.Cluster(t)
	node := createNodes(t, c, "model: NVIDIA L4, count: 1")[0]
	c.Agents(t)
	blocker, err := c.CreatePods(t.Context(), podOf("nobody", "blocker", nil))
	require.NoError(t, err)
	locks := &nodelock.Locker{Client: c.Client().CoreV1()}
	keys := []string{device.AnnotationLock}
	require.NoError(t, locks.Take(t.Context(), node.Name, blocker[0], keys))
	start(t, c, "gone", `{}`)
	pods, err := c.CreatePods(t.Context(), podOf("gone", "p", wishes[0]))
	require.NoError(t, err)
	register := vendors.Default().Backend("NVIDIA").Names().Register
	waitFor(t, c, func(pod *corev1.Pod) bool { return hasCondition(pod, "SchedulerError") })

	annotate(t, c, node.Name, register, "[]")
	require.NoError(t, locks.Release(t.Context(), node.Name, blocker[0], keys))
	message, err := c.WaitRefused(t.Context(), pods[0])
	require.NoError(t, err)
	waitFor(t, c, func(pod *corev1.Pod) bool { return hasCondition(pod, corev1.PodReasonUnschedulable) })
	assert.Equal(t, 0, bound(t, c), message)
	c.WantHolders(t, "e2e", 0)

	annotate(t, c, node.Name, register, node.Annotations[register])
	_, err = c.WaitBound(t.Context(), pods...)
	require.NoError(t, err)
	c.WantHolders(t, "e2e", 1)
}

// waitFor waits until pod p is so.
func waitFor(t *testing.T, c *testbed.Cluster, so func(*corev1.Pod) bool) {
	t.Helper()
	require.Eventually(t, func() bool {
		pod, err := c.Client().CoreV1().Pods("e2e").Get(t.Context(), "p", metav1.GetOptions{})
		return err == nil && so(pod)
	}, time.Minute, 20*time.Millisecond)
}

func hasCondition(pod *corev1.Pod, reason string) bool {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled && condition.Reason == reason {
			return true
		}
	}
	return false
}

func annotate(t *testing.T, c *testbed.Cluster, node, key, value string) {
	t.Helper()
	require.Eventually(t, func() bool {
		n, err := c.Client().CoreV1().Nodes().Get(t.Context(), node, metav1.GetOptions{})
		require.NoError(t, err)
		device.Annotate(n, key, value)
		_, err = c.Client().CoreV1().Nodes().Update(t.Context(), n, metav1.UpdateOptions{})
		return err == nil
	}, 10*time.Second, 20*time.Millisecond)
}

// A quota holds pods back, and lets the next one through when a pod of the namespace is gone.
func TestQuota(t *testing.T) {
	c := bed.Cluster(t)
	createNodes(t, c, "model: NVIDIA L4, count: 4")
	first, err := c.CreatePods(t.Context(), podOf("quota", "first", wishes[0]))
	require.NoError(t, err)
	quota := &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Name: "gpus"},
		Spec:       corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{"limits.nvidia.com/gpumem": resource.MustParse("6000")}},
	}
	quotas := c.Client().CoreV1().ResourceQuotas("e2e")
	_, err = quotas.Create(t.Context(), quota, metav1.CreateOptions{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, quotas.Delete(context.Background(), "gpus", metav1.DeleteOptions{})) })
	start(t, c, "quota", unlocked)
	_, err = c.WaitBound(t.Context(), first...)
	require.NoError(t, err)
	second, err := c.CreatePods(t.Context(), podOf("quota", "second", wishes[0]))
	require.NoError(t, err)
	message, err := c.WaitRefused(t.Context(), second[0])
	require.NoError(t, err)
	assert.Contains(t, message, device.ResourceQuotaNotFit.String())

	var now int64
	require.NoError(t, c.Client().CoreV1().Pods("e2e").Delete(t.Context(), "first", metav1.DeleteOptions{GracePeriodSeconds: &now}))
	_, err = c.WaitBound(t.Context(), second...)
	require.NoError(t, err)
	c.WantHolders(t, "e2e", 1)
}
