package nodelock_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/examples/nodelock"
	"github.com/accelfit/accelfit/vendors"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

const other = "hami.io/dcu.lock"

func pod(name string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: name}}
}

// cluster is a client with node n1, whose lock annotation is lock unless that is empty, and the pods. It refuses patches under
// an old resource version, as an API server does.
func cluster(lock string, pods ...runtime.Object) *fake.Clientset {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1", ResourceVersion: "1", Annotations: map[string]string{"kept": "yes"}}}
	if lock != "" {
		node.Annotations[device.AnnotationLock] = lock
	}
	c := fake.NewClientset(append(pods, node)...)
	var mu sync.Mutex
	c.PrependReactor("patch", "nodes", func(a clienttesting.Action) (bool, runtime.Object, error) {
		mu.Lock()
		defer mu.Unlock()
		var patch struct {
			Metadata struct {
				ResourceVersion string
				Annotations     map[string]*string
			}
		}
		if err := json.Unmarshal(a.(clienttesting.PatchAction).GetPatch(), &patch); err != nil {
			return true, nil, err
		}
		nodes := schema.GroupVersionResource{Version: "v1", Resource: "nodes"}
		found, err := c.Tracker().Get(nodes, "", "n1")
		if err != nil {
			return true, nil, err
		}
		n := found.(*corev1.Node).DeepCopy()
		if n.ResourceVersion != patch.Metadata.ResourceVersion {
			return true, nil, apierrors.NewConflict(nodes.GroupResource(), "n1", errors.New("changed"))
		}
		n.ResourceVersion += "1"
		for key, value := range patch.Metadata.Annotations {
			delete(n.Annotations, key)
			if value != nil {
				device.Annotate(n, key, *value)
			}
		}
		return true, n, c.Tracker().Update(nodes, n, "")
	})
	return c
}

func locker(c *fake.Clientset) *nodelock.Locker {
	return &nodelock.Locker{Client: c.CoreV1(), Now: func() time.Time { return noon }}
}

func annotations(t *testing.T, c *fake.Clientset) map[string]string {
	t.Helper()
	n, err := c.CoreV1().Nodes().Get(t.Context(), "n1", metav1.GetOptions{})
	require.NoError(t, err)
	return n.Annotations
}

func TestTake(t *testing.T) {
	const mine = "2026-03-01T12:00:00Z,ml,p"
	for _, test := range []struct{ why, lock, want, err string }{
		{"no lock", "", mine, ""},
		{"the pod's own lock stays as it is", "2026-03-01T11:59:00Z,ml,p", "2026-03-01T11:59:00Z,ml,p", ""},
		{"older than five minutes", "2026-03-01T11:54:00Z,ml,q", mine, ""},
		{"the owner is gone", "2026-03-01T11:59:00Z,ml,gone", mine, ""},
		{"the owner is bound to another node", "2026-03-01T11:59:00Z,ml,elsewhere", mine, ""},
		{"the owner is bound to the node", "2026-03-01T11:59:00Z,ml,here", "2026-03-01T11:59:00Z,ml,here", "node lock contention"},
		{"held by another pod", "2026-03-01T11:59:00Z,ml,q", "2026-03-01T11:59:00Z,ml,q", "node n1 has been locked within 5m0s: node lock contention"},
		{"the old form has no owner to ask for", "2026-03-01T11:59:00Z", "2026-03-01T11:59:00Z", "node lock contention"},
		{"unreadable", "a,b", "a,b", "malformed lock annotation: expected 3 parts, got 2 from a,b"},
	} {
		t.Run(test.why, func(t *testing.T) {
			elsewhere, here := pod("elsewhere"), pod("here")
			elsewhere.Spec.NodeName, here.Spec.NodeName = "n2", "n1"
			c := cluster(test.lock, pod("q"), elsewhere, here)
			err := locker(c).Take(t.Context(), "n1", pod("p"), []string{device.AnnotationLock})
			if test.err == "" {
				assert.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, test.err)
			}
			assert.Equal(t, map[string]string{"kept": "yes", device.AnnotationLock: test.want}, annotations(t, c))
		})
	}
}

func TestTakeTellsContention(t *testing.T) {
	c := cluster("2026-03-01T11:59:00Z,ml,q", pod("q"))
	err := locker(c).Take(t.Context(), "n1", pod("p"), []string{other, device.AnnotationLock})
	assert.ErrorIs(t, err, device.ErrLockContention)
	assert.NotContains(t, annotations(t, c), other, "what was taken before is given back")
}

func TestTakeGivesBackOnlyWhatItTook(t *testing.T) {
	c := cluster("2026-03-01T11:59:00Z,ml,p")
	err := locker(c).Take(t.Context(), "n1", pod("p"), []string{device.AnnotationLock})
	require.NoError(t, err)
	c.PrependReactor("patch", "nodes", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, errors.New("down")
	})
	assert.ErrorContains(t, locker(c).Take(t.Context(), "n1", pod("p"), []string{device.AnnotationLock, other}), "down")
	assert.Contains(t, annotations(t, c), device.AnnotationLock)
}

func TestAnOwnerNobodyCanTellOfIsThere(t *testing.T) {
	c := cluster("2026-03-01T11:59:00Z,ml,q")
	c.PrependReactor("get", "pods", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, errors.New("down")
	})
	err := locker(c).Take(t.Context(), "n1", pod("p"), []string{device.AnnotationLock})
	assert.ErrorIs(t, err, device.ErrLockContention)
}

func TestPodGroupsWait(t *testing.T) {
	c := cluster("2026-03-01T11:59:00Z,ml,q", pod("q"))
	l := locker(c)
	member := pod("p")
	member.Labels = map[string]string{nodelock.LabelPodGroup: "g"}
	keys := []string{device.AnnotationLock}

	l.Retry = 250 * time.Millisecond
	assert.ErrorIs(t, l.Take(t.Context(), "n1", member, keys), device.ErrLockContention, "as long as it is told to")

	l.Retry = time.Minute
	released := make(chan error, 1)
	time.AfterFunc(50*time.Millisecond, func() { released <- l.Release(context.Background(), "n1", pod("q"), keys) })
	assert.NoError(t, l.Take(t.Context(), "n1", member, keys))
	assert.NoError(t, <-released)
	assert.Equal(t, "2026-03-01T12:00:00Z,ml,p", annotations(t, c)[device.AnnotationLock])

	assert.ErrorIs(t, l.Take(t.Context(), "n1", pod("alone"), keys), nil, "its owner is no pod of the cluster")
}

func TestRelease(t *testing.T) {
	for _, test := range []struct {
		why, lock string
		stays     bool
	}{
		{"its own", "2026-03-01T11:59:00Z,ml,p", false},
		{"the old form", "2026-03-01T11:59:00Z", false},
		{"another pod's", "2026-03-01T11:59:00Z,ml,q", true},
		{"none", "", false},
	} {
		t.Run(test.why, func(t *testing.T) {
			c := cluster(test.lock)
			require.NoError(t, locker(c).Release(t.Context(), "n1", pod("p"), []string{device.AnnotationLock}))
			_, found := annotations(t, c)[device.AnnotationLock]
			assert.Equal(t, test.stays, found)
		})
	}
	assert.NoError(t, locker(cluster("")).Release(t.Context(), "gone", pod("p"), []string{device.AnnotationLock}))
}

// TestOneOfManyTakesTheLock lets pods race for a node: the resource version lets one win at a time, and every pod gets its
// turn once the one before has released.
func TestOneOfManyTakesTheLock(t *testing.T) {
	var pods []runtime.Object
	for i := range 8 {
		pods = append(pods, pod(fmt.Sprint("p", i)))
	}
	c := cluster("", pods...)
	var won sync.Map
	var wg sync.WaitGroup
	for _, p := range pods {
		wg.Go(func() {
			switch err := locker(c).Take(t.Context(), "n1", p.(*corev1.Pod), []string{device.AnnotationLock}); {
			case err == nil:
				won.Store(p.(*corev1.Pod).Name, true)
			case !errors.Is(err, device.ErrLockContention) && !apierrors.IsConflict(err):
				t.Error(err)
			}
		})
	}
	wg.Wait()
	winners := 0
	won.Range(func(name, _ any) bool {
		winners++
		assert.Equal(t, "2026-03-01T12:00:00Z,ml,"+name.(string), annotations(t, c)[device.AnnotationLock])
		return true
	})
	assert.Equal(t, 1, winners)
}

func TestKeys(t *testing.T) {
	ask := func(limits ...string) corev1.Container {
		l := corev1.ResourceList{}
		for _, name := range limits {
			l[corev1.ResourceName(name)] = resource.MustParse("1")
		}
		return corev1.Container{Resources: corev1.ResourceRequirements{Limits: l}}
	}
	set := vendors.Default()
	p := pod("p")
	p.Spec.InitContainers = []corev1.Container{ask("nvidia.com/gpu")}
	p.Spec.Containers = []corev1.Container{ask("cambricon.com/vmlu"), ask("cpu")}
	keys, err := nodelock.Keys(set, p)
	require.NoError(t, err)
	assert.Equal(t, []string{"cambricon.com/dsmlu.lock", device.AnnotationLock}, keys)

	keys, err = nodelock.Keys(set, pod("none"))
	require.NoError(t, err)
	assert.Empty(t, keys)

	p.Spec.Containers[0].Resources.Limits["nvidia.com/gpu"] = resource.MustParse("-1")
	_, err = nodelock.Keys(set, p)
	var bad *device.RequestError
	assert.ErrorAs(t, err, &bad)
}
