package testbed

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// CreateNodes creates nodes as they are given, status included, with no taints but their own. Cpu, memory, a number of pods and
// the condition Ready are added where left out. It returns the nodes that the cluster has; the given ones are not changed.
func (c *Cluster) CreateNodes(ctx context.Context, nodes ...*corev1.Node) ([]*corev1.Node, error) {
	var out []*corev1.Node
	for _, node := range nodes {
		want := node.DeepCopy()
		completeNode(want)
		got, err := c.client.CoreV1().Nodes().Create(ctx, want, metav1.CreateOptions{})
		if err != nil {
			return out, fmt.Errorf("node %s: %w", node.Name, err)
		}
		if !equality.Semantic.DeepEqual(got.Spec.Taints, want.Spec.Taints) { // an admission plugin's
			got.Spec.Taints = want.Spec.Taints
			if got, err = c.client.CoreV1().Nodes().Update(ctx, got, metav1.UpdateOptions{}); err != nil {
				return out, fmt.Errorf("node %s: %w", node.Name, err)
			}
		}
		out = append(out, got)
	}
	return out, nil
}

// CreatePods creates pods as they are given, and their namespaces. Namespace (default) and images are added where left out. A
// status that is given is written too: pods that are to be running already have a node and the phase Running. It returns the
// pods that the cluster has; the given ones are not changed.
func (c *Cluster) CreatePods(ctx context.Context, pods ...*corev1.Pod) ([]*corev1.Pod, error) {
	var out []*corev1.Pod
	there := map[string]bool{metav1.NamespaceDefault: true, metav1.NamespaceSystem: true}
	for _, pod := range pods {
		want := pod.DeepCopy()
		completePod(want)
		if !there[want.Namespace] {
			if err := c.createNamespace(ctx, want.Namespace); err != nil {
				return out, err
			}
			there[want.Namespace] = true
		}
		got, err := c.createPod(ctx, want)
		if err != nil {
			return out, fmt.Errorf("pod %s/%s: %w", want.Namespace, want.Name, err)
		}
		out = append(out, got)
	}
	return out, nil
}

func (c *Cluster) createPod(ctx context.Context, want *corev1.Pod) (*corev1.Pod, error) {
	api := c.client.CoreV1().Pods(want.Namespace)
	got, err := api.Create(ctx, want, metav1.CreateOptions{})
	if err != nil || want.Status.Phase == "" || want.Status.Phase == corev1.PodPending {
		return got, err
	}
	want.Status.DeepCopyInto(&got.Status)
	return api.UpdateStatus(ctx, got, metav1.UpdateOptions{})
}

// createNamespace creates a namespace, unless it is there.
func (c *Cluster) createNamespace(ctx context.Context, name string) error {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	_, err := c.client.CoreV1().Namespaces().Create(ctx, namespace, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("namespace %s: %w", name, err)
	}
	return nil
}

// DeleteAll deletes all pods, without grace, and all nodes, and returns when they are gone. Namespaces stay.
func (c *Cluster) DeleteAll(ctx context.Context) error {
	ctx, cancel := bounded(ctx)
	defer cancel()
	pods, err := c.client.CoreV1().Pods(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	var now int64
	atOnce := metav1.DeleteOptions{GracePeriodSeconds: &now}
	done := map[string]bool{}
	for i := range pods.Items {
		namespace := pods.Items[i].Namespace
		if done[namespace] {
			continue
		}
		done[namespace] = true
		if err := c.client.CoreV1().Pods(namespace).DeleteCollection(ctx, atOnce, metav1.ListOptions{}); err != nil {
			return fmt.Errorf("pods of %s: %w", namespace, err)
		}
	}
	if err := c.client.CoreV1().Nodes().DeleteCollection(ctx, atOnce, metav1.ListOptions{}); err != nil {
		return fmt.Errorf("nodes: %w", err)
	}
	return poll(ctx, c.empty)
}

// empty says what pods and nodes are left.
func (c *Cluster) empty(ctx context.Context) error {
	pods, err := c.client.CoreV1().Pods(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	nodes, err := c.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	if len(pods.Items)+len(nodes.Items) > 0 {
		return fmt.Errorf("%d pods and %d nodes are left", len(pods.Items), len(nodes.Items))
	}
	return nil
}
