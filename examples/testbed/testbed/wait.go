package testbed

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// waitLimit bounds waiting under a context that has no deadline.
const waitLimit = time.Minute

// bounded is ctx with a deadline, if it has none.
func bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, waitLimit)
}

// poll asks until the answer is no error, or ctx ends: then the error is the last answer.
func poll(ctx context.Context, ask func(context.Context) error) error {
	var last error
	for {
		err := ask(ctx)
		if err == nil {
			return nil
		}
		if ctx.Err() == nil || last == nil {
			last = err
		}
		select {
		case <-ctx.Done():
			return errors.Join(last, context.Cause(ctx))
		case <-time.After(pollStep):
		}
	}
}

// WaitBound waits until all pods are bound to nodes, at most a minute if ctx has no deadline, and returns them as they are then.
// The error names a pod that is not bound, with what its scheduler says.
func (c *Cluster) WaitBound(ctx context.Context, pods ...*corev1.Pod) ([]*corev1.Pod, error) {
	ctx, cancel := bounded(ctx)
	defer cancel()
	out := make([]*corev1.Pod, 0, len(pods))
	for _, pod := range pods {
		bound, err := c.waitPod(ctx, pod, func(pod *corev1.Pod) error {
			if pod.Spec.NodeName == "" {
				return fmt.Errorf("not bound: %s", scheduled(pod))
			}
			return nil
		})
		if err != nil {
			return out, err
		}
		out = append(out, bound)
	}
	return out, nil
}

// WaitRefused waits until a scheduler says that it has no node for a pod, at most a minute if ctx has no deadline, and returns
// its words: the message of the condition PodScheduled.
func (c *Cluster) WaitRefused(ctx context.Context, pod *corev1.Pod) (message string, err error) {
	ctx, cancel := bounded(ctx)
	defer cancel()
	refused, err := c.waitPod(ctx, pod, func(pod *corev1.Pod) error {
		switch condition := scheduled(pod); {
		case pod.Spec.NodeName != "":
			return fmt.Errorf("bound to %s", pod.Spec.NodeName)
		case condition.Status != corev1.ConditionFalse:
			return errors.New("no scheduler has tried it")
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	return scheduled(refused).Message, nil
}

// waitPod waits until a pod is as check wants it.
func (c *Cluster) waitPod(ctx context.Context, pod *corev1.Pod, check func(*corev1.Pod) error) (got *corev1.Pod, err error) {
	namespace := pod.Namespace
	if namespace == "" {
		namespace = metav1.NamespaceDefault
	}
	err = poll(ctx, func(ctx context.Context) error {
		if got, err = c.client.CoreV1().Pods(namespace).Get(ctx, pod.Name, metav1.GetOptions{}); err != nil {
			return err
		}
		return check(got)
	})
	if err != nil {
		return nil, fmt.Errorf("pod %s/%s: %w", namespace, pod.Name, err)
	}
	return got, nil
}

// condition is what schedulers say of a pod.
type condition corev1.PodCondition

func (c condition) String() string {
	if c.Status == "" {
		return "no scheduler has tried it"
	}
	return c.Reason + ": " + c.Message
}

// scheduled is a pod's condition PodScheduled, or the zero value.
func scheduled(pod *corev1.Pod) condition {
	for i := range pod.Status.Conditions {
		if pod.Status.Conditions[i].Type == corev1.PodScheduled {
			return condition(pod.Status.Conditions[i])
		}
	}
	return condition{}
}
