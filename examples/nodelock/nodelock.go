// Package nodelock takes and releases the lock of a node that HAMi's node agents expect to be held while a pod is bound
// (spec core §14.4). The agents find the pod that a container belongs to by this lock, so that one pod at a time may be on
// its way to a node.
//
// The lock is an annotation of the node. What it says, and whether it may be taken over, [device.Lock] decides; this package
// reads and writes it, each write under the resource version that was read.
package nodelock

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	clientcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/util/retry"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors"
)

const (
	// DefaultTimeout is how long a lock counts when [Locker.Timeout] is 0.
	DefaultTimeout = 5 * time.Minute

	// LabelPodGroup is the label of pods that are members of a group and wait for a contended lock.
	LabelPodGroup = "scheduling.x-k8s.io/pod-group"

	retryPeriod = 100 * time.Millisecond
)

// Locker takes and releases locks. Any number of goroutines may use one.
//
// It needs the verbs get and patch on nodes, and get on pods.
type Locker struct {
	Client clientcorev1.CoreV1Interface

	// Timeout is how old a lock may be before anybody may take it over; 0: DefaultTimeout. One whose pod is gone, or bound to
	// another node, may be taken over at once.
	Timeout time.Duration

	// Retry is how long a member of a pod group waits for a contended lock; 0: no time.
	Retry time.Duration

	// Now tells the time; nil: time.Now.
	Now func() time.Time
}

// Keys lists the lock annotations that binding a pod takes: those of the vendors that any of its containers asks for
// (deviation D16), ascending by vendor word, each once. The error is that of [vendors.Set.Request].
func Keys(set *vendors.Set, pod *corev1.Pod) ([]string, error) {
	req, err := set.Request(pod)
	if err != nil {
		return nil, err
	}
	asked := map[device.Vendor]bool{}
	for _, requests := range req.Containers() {
		for _, r := range requests {
			asked[r.Vendor] = asked[r.Vendor] || r.Nums > 0
		}
	}
	var keys []string
	for _, b := range set.Backends() {
		names := b.Names()
		if asked[b.Vendor()] && names.Lock != "" && !slices.Contains(keys, names.Lock) {
			keys = append(keys, names.Lock)
		}
	}
	return keys, nil
}

// Take takes the locks of a node, in order, for a pod; those the pod holds already it keeps. When one cannot be had, those
// that this call took are released again, in reverse order. The error wraps [device.ErrLockContention] where another pod
// holds a lock, a [*device.DecodeError] where a lock cannot be read, or what the API server or ctx said.
func (l *Locker) Take(ctx context.Context, node string, pod *corev1.Pod, keys []string) error {
	var taken []string
	for _, key := range keys {
		held, err := l.wait(ctx, node, pod, key)
		if err != nil {
			slices.Reverse(taken)
			return errors.Join(err, l.Release(context.WithoutCancel(ctx), node, pod, taken))
		}
		if !held {
			taken = append(taken, key)
		}
	}
	return nil
}

// Release removes the locks of a node that a pod holds, in the order given. Locks of other pods stay, and a node that is gone
// has none. It tries all of them and returns what went wrong, joined.
func (l *Locker) Release(ctx context.Context, node string, pod *corev1.Pod, keys []string) error {
	var errs []error
	for _, key := range keys {
		err := retry.RetryOnConflict(conflicts, func() error {
			n, err := l.Client.Nodes().Get(ctx, node, metav1.GetOptions{})
			if err != nil || !l.lock(pod).Releases(n.Annotations[key]) {
				return err
			}
			return l.write(ctx, n, key, nil)
		})
		if err != nil && !apierrors.IsNotFound(err) {
			errs = append(errs, fmt.Errorf("release node %s: %s: %w", node, key, err))
		}
	}
	return errors.Join(errs...)
}

// conflicts is how writes are tried again that lose against another (spec core §14.4).
var conflicts = wait.Backoff{Steps: 5, Duration: 100 * time.Millisecond, Factor: 2, Jitter: 0.5}

// wait takes one lock; members of a pod group wait for it.
func (l *Locker) wait(ctx context.Context, node string, pod *corev1.Pod, key string) (held bool, err error) {
	if l.Retry <= 0 || !grouped(pod) {
		return l.take(ctx, node, pod, key)
	}
	var last error
	err = wait.PollUntilContextTimeout(ctx, retryPeriod, l.Retry, true, func(ctx context.Context) (bool, error) {
		held, last = l.take(ctx, node, pod, key)
		if errors.Is(last, device.ErrLockContention) {
			return false, nil
		}
		return true, last
	})
	if err != nil && last != nil {
		return false, last
	}
	return held, err
}

func grouped(pod *corev1.Pod) bool {
	group := pod.Spec.SchedulingGroup
	return pod.Labels[LabelPodGroup] != "" || group != nil && group.PodGroupName != nil && *group.PodGroupName != ""
}

func (l *Locker) take(ctx context.Context, node string, pod *corev1.Pod, key string) (held bool, err error) {
	err = retry.RetryOnConflict(conflicts, func() error {
		n, err := l.Client.Nodes().Get(ctx, node, metav1.GetOptions{})
		if err != nil {
			return err
		}
		mine := l.lock(pod)
		held, err = mine.Take(node, n.Annotations[key], l.timeout(), l.needed(ctx, node))
		if held || err != nil {
			return err
		}
		value := mine.String()
		return l.write(ctx, n, key, &value)
	})
	if err != nil {
		return false, fmt.Errorf("lock node %s: %s: %w", node, key, err)
	}
	return held, nil
}

// needed says whether a pod may still need its lock of a node: it is there, and not bound to another node, as a pod is whose
// scheduler died with the lock and was followed by one that chose otherwise. One that nobody can tell of may.
func (l *Locker) needed(ctx context.Context, node string) func(namespace, name string) bool {
	return func(namespace, name string) bool {
		owner, err := l.Client.Pods(namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return !apierrors.IsNotFound(err)
		}
		return owner.Spec.NodeName == "" || owner.Spec.NodeName == node
	}
}

// write sets an annotation of a node as it was read, or removes it; a node that has changed since is a conflict.
func (l *Locker) write(ctx context.Context, read *corev1.Node, key string, value *string) error {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{
		"resourceVersion": read.ResourceVersion,
		"annotations":     map[string]*string{key: value},
	}})
	if err != nil {
		return err
	}
	_, err = l.Client.Nodes().Patch(ctx, read.Name, types.MergePatchType, patch, metav1.PatchOptions{})
	return err
}

func (l *Locker) lock(pod *corev1.Pod) device.Lock {
	now := time.Now
	if l.Now != nil {
		now = l.Now
	}
	return device.Lock{At: now(), Namespace: pod.Namespace, Pod: pod.Name}
}

func (l *Locker) timeout() time.Duration {
	if l.Timeout <= 0 {
		return DefaultTimeout
	}
	return l.Timeout
}
