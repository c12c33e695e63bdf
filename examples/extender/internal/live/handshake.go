package live

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// handshakes are the nodes as they are, and the annotations that are to be written on them (spec core §3), by node.
type handshakes struct {
	mu    sync.Mutex
	nodes map[string]*corev1.Node
	due   map[string]map[string]string
	wake  chan struct{}
}

// onNode takes in a node as it is now.
func (s *Scheduler) onNode(node *corev1.Node) {
	s.handshakes.mu.Lock()
	defer s.handshakes.mu.Unlock()
	s.handshakes.nodes[node.Name] = node
	s.checkNode(node)
}

// checkNode looks at a node's devices and health. The caller holds the lock.
func (s *Scheduler) checkNode(node *corev1.Node) {
	announce, problems := s.state.setNode(node, s.o.Now())
	s.report("node "+node.Name, problems)
	if len(announce) == 0 || s.Ready() != nil {
		return
	}
	h := &s.handshakes
	if h.due[node.Name] == nil {
		h.due[node.Name] = map[string]string{}
	}
	maps.Copy(h.due[node.Name], announce)
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

func (s *Scheduler) onNodeGone(node *corev1.Node) {
	s.handshakes.mu.Lock()
	defer s.handshakes.mu.Unlock()
	s.state.deleteNode(node.Name)
	s.report("node "+node.Name, nil)
	delete(s.handshakes.nodes, node.Name)
	delete(s.handshakes.due, node.Name)
}

// Nodes returns the nodes as last seen, by name. They are read-only.
func (s *Scheduler) Nodes() []*corev1.Node {
	s.handshakes.mu.Lock()
	defer s.handshakes.mu.Unlock()
	nodes := slices.Collect(maps.Values(s.handshakes.nodes))
	slices.SortFunc(nodes, func(a, b *corev1.Node) int { return strings.Compare(a.Name, b.Name) })
	return nodes
}

// checkNodes looks at every node anew.
func (s *Scheduler) checkNodes() {
	s.handshakes.mu.Lock()
	names := slices.Collect(maps.Keys(s.handshakes.nodes))
	s.handshakes.mu.Unlock()
	for _, name := range names {
		s.handshakes.mu.Lock()
		if node := s.handshakes.nodes[name]; node != nil {
			s.checkNode(node)
		}
		s.handshakes.mu.Unlock()
	}
}

// keepAnnouncing writes handshakes as they fall due, and looks for new ones now and then, until ctx ends. Only a scheduler that
// is ready writes.
func (s *Scheduler) keepAnnouncing(ctx context.Context) {
	pass := time.NewTicker(s.o.AnnouncePause)
	defer pass.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-pass.C:
			s.checkNodes()
		case <-s.handshakes.wake:
			s.announce(ctx)
		}
	}
}

// announce writes what is due. A write that fails is made up for by the next pass, as the annotation is then still missing.
func (s *Scheduler) announce(ctx context.Context) {
	s.handshakes.mu.Lock()
	due := s.handshakes.due
	s.handshakes.due = map[string]map[string]string{}
	s.handshakes.mu.Unlock()
	failed := 0
	var last error
	for node, annotations := range due {
		if s.Ready() != nil {
			return
		}
		if err := s.patchNode(ctx, node, annotations); err != nil {
			failed, last = failed+1, err
		}
	}
	if failed > 0 && ctx.Err() == nil {
		s.o.Log.Warn("handshakes could not be written", "nodes", failed, "last", last)
	}
}

func (s *Scheduler) patchNode(ctx context.Context, node string, annotations map[string]string) error {
	ctx, cancel := context.WithTimeout(ctx, s.o.Timeout)
	defer cancel()
	p := patch{Annotations: map[string]*string{}}
	for key, value := range annotations {
		if p.Annotations[key] = &value; value == "" {
			p.Annotations[key] = nil
		}
	}
	_, err := s.client.CoreV1().Nodes().Patch(ctx, node, types.MergePatchType, p.bytes(), metav1.PatchOptions{})
	return err
}
