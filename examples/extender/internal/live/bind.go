package live

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/examples/nodelock"
)

// rollback bounds what is done after a bind that failed, also when the caller has gone.
const rollback = 5 * time.Second

// Bind binds a pod to the node that a filter call chose for it (spec core §14.4). A pod that is bound to the node already is a
// success. Error is set for a pod that is not there under this UID, that is bound or was placed elsewhere, and for what the API
// server refuses. A bind that failed gives back the devices (deviation D26); one of which nobody can tell whether it came
// through keeps them until the API server shows the pod, or the next filter call.
func (s *Scheduler) Bind(ctx context.Context, args *extenderv1.ExtenderBindingArgs) *extenderv1.ExtenderBindingResult {
	ctx, cancel := context.WithTimeout(ctx, s.bindLimit())
	defer cancel()
	if err := s.bind(ctx, args); err != nil {
		return &extenderv1.ExtenderBindingResult{Error: err.Error()}
	}
	return &extenderv1.ExtenderBindingResult{}
}

func (s *Scheduler) bindLimit() time.Duration { return s.o.Timeout + s.o.LockRetry }

func (s *Scheduler) bind(ctx context.Context, args *extenderv1.ExtenderBindingArgs) error {
	if args == nil || args.PodName == "" || args.PodNamespace == "" || args.PodUID == "" || args.Node == "" {
		return errors.New("binding args need pod name, namespace, uid and node")
	}
	if err := s.wait(ctx); err != nil {
		return err
	}
	asked := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: args.PodNamespace, Name: args.PodName, UID: args.PodUID}}
	key := keyOf(asked)
	if _, err := s.state.begin(asked); err != nil {
		return err
	}
	var written *corev1.Pod
	defer func() { s.report("pod "+key, s.state.land(key, written)) }()
	pod, err := s.read(ctx, asked)
	if err != nil {
		return err
	}
	if written = pod; pod.Spec.NodeName == args.Node {
		return nil
	}
	if err := s.mayBind(pod, args.Node); err != nil {
		return err
	}
	keys, err := nodelock.Keys(s.set, pod)
	if err == nil {
		err = s.carryOut(ctx, pod, args.Node, keys)
	}
	if err == nil {
		s.event(pod, corev1.EventTypeNormal, "BindingSucceed", fmt.Sprintf("Successfully binding node [%s] to %s/%s",
			args.Node, pod.Namespace, pod.Name))
		s.o.Log.Info("pod bound", "namespace", pod.Namespace, "pod", pod.Name, "node", args.Node)
		return nil
	}
	written, err = s.rollBack(context.WithoutCancel(ctx), pod, args.Node, keys, err)
	return err
}

// read returns the pod of a bind call from the API server. What a pod held that is not there any more is given back.
func (s *Scheduler) read(ctx context.Context, asked *corev1.Pod) (*corev1.Pod, error) {
	pod, err := s.client.CoreV1().Pods(asked.Namespace).Get(ctx, asked.Name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err), err == nil && pod.UID != asked.UID:
		s.state.deletePod(asked)
		return nil, fmt.Errorf("pod %s/%s with uid %s is not there", asked.Namespace, asked.Name, asked.UID)
	case err != nil:
		return nil, fmt.Errorf("get pod %s/%s: %w", asked.Namespace, asked.Name, err)
	}
	return pod, nil
}

// mayBind says why a pod must not be bound to a node: it is bound to another, or its devices are not there. A pod that holds no
// device although it asks for some has to be filtered first.
func (s *Scheduler) mayBind(pod *corev1.Pod, node string) error {
	if pod.Spec.NodeName != "" {
		return fmt.Errorf("pod %s/%s is bound to node %s already", pod.Namespace, pod.Name, pod.Spec.NodeName)
	}
	r, err := s.set.Request(pod)
	if err != nil {
		return err
	}
	if r.Empty() {
		return nil
	}
	h, held := s.state.holding(keyOf(pod))
	if placed := pod.Annotations[device.AnnotationNode]; !held || h.Node != node || placed != node {
		return fmt.Errorf("pod %s/%s has no devices on node %s: it was placed on %q", pod.Namespace, pod.Name, node, placed)
	}
	return nil
}

// carryOut binds: lock, phase, binding.
func (s *Scheduler) carryOut(ctx context.Context, pod *corev1.Pod, node string, keys []string) error {
	if _, err := s.client.CoreV1().Nodes().Get(ctx, node, metav1.GetOptions{}); err != nil {
		return fmt.Errorf("failed to get node %s: %w", node, err)
	}
	if pod.Annotations[device.AnnotationNode] == "" { // no devices: nothing that another pod could be given
		return s.assign(ctx, pod, node)
	}
	if err := s.locks.Take(ctx, node, pod, keys); err != nil {
		return err
	}
	pod, err := s.patchPod(ctx, pod, phase(pod, device.BindAllocating, strconv.FormatInt(s.o.Now().Unix(), 10)))
	if err != nil {
		return err
	}
	return s.assign(ctx, pod, node)
}

// assign creates the binding of a pod as it was read, so that a request that the API server works off late binds no pod whose
// devices have been given back. A pod that changed, but for its devices, is tried again.
func (s *Scheduler) assign(ctx context.Context, pod *corev1.Pod, node string) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		if err := s.Ready(); err != nil {
			return err
		}
		err := s.client.CoreV1().Pods(pod.Namespace).Bind(ctx, &corev1.Binding{
			ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID, ResourceVersion: pod.ResourceVersion},
			Target:     corev1.ObjectReference{Kind: "Node", Name: node},
		}, metav1.CreateOptions{})
		if !apierrors.IsConflict(err) {
			return err
		}
		now, unread := s.read(ctx, pod)
		if unread != nil {
			return unread
		}
		if now.Spec.NodeName == node {
			return nil
		}
		if refused := s.mayBind(now, node); refused != nil {
			return refused
		}
		pod = now
		return err
	})
}

// rollBack undoes a bind that failed, and returns the pod as it was last seen: nil where that is not known. The bind may have
// come through all the same: then there is no error.
func (s *Scheduler) rollBack(ctx context.Context, pod *corev1.Pod, node string, keys []string, why error) (*corev1.Pod, error) {
	ctx, cancel := context.WithTimeout(ctx, rollback)
	defer cancel()
	now, err := s.read(ctx, pod)
	if err != nil {
		return nil, errors.Join(why, err)
	}
	if now.Spec.NodeName == node {
		return now, nil
	}
	s.event(pod, corev1.EventTypeWarning, "BindingFailed", why.Error())
	level := slog.LevelWarn
	if errors.Is(why, device.ErrLockContention) { // another pod is on its way to the node
		level = slog.LevelInfo
	}
	s.o.Log.Log(ctx, level, "pod not bound", "namespace", pod.Namespace, "pod", pod.Name, "node", node, "error", why)
	why = errors.Join(why, s.locks.Release(ctx, node, pod, keys))
	failed, err := s.patchPod(ctx, now, phase(pod, device.BindFailed, ""))
	if err != nil {
		return now, errors.Join(why, err)
	}
	return failed, why
}
