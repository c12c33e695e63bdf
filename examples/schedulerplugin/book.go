package schedulerplugin

import (
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/usage"
)

// book is what this process has reserved, by the key of the pod. An entry stays until the pod is gone: a copy of the pod without
// the annotations that PreBind has written may be around for a while after they were.
type book struct {
	mu      sync.RWMutex
	entries map[string]entry
}

// entry is a reservation, and how far the pod got with it.
type entry struct {
	holding usage.Holding
	lock    []string          // keys of the locks that are taken on the node; nil: none was tried
	written map[string]string // what PreBind was to write that tells of the devices; nil: nothing yet
}

func newBook() *book { return &book{entries: map[string]entry{}} }

// keyOf identifies a pod as its holding does.
func keyOf(pod *corev1.Pod) string {
	if pod.UID != "" {
		return string(pod.UID)
	}
	h := usage.Holding{Namespace: pod.Namespace, Name: pod.Name}
	return h.Key()
}

// reserve enters a holding. The error wraps [usage.ErrHeld].
func (b *book) reserve(h usage.Holding) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	key := h.Key()
	if _, ok := b.entries[key]; ok {
		return fmt.Errorf("pod %s/%s: %w", h.Namespace, h.Name, usage.ErrHeld)
	}
	b.entries[key] = entry{holding: h}
	return nil
}

func (b *book) get(key string) (entry, bool) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	e, ok := b.entries[key]
	return e, ok
}

// note changes an entry that is there.
func (b *book) note(key string, change func(*entry)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e, ok := b.entries[key]; ok {
		change(&e)
		b.entries[key] = e
	}
}

func (b *book) drop(key string) (entry, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e, ok := b.entries[key]
	delete(b.entries, key)
	return e, ok
}

func (b *book) len() int {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return len(b.entries)
}

// held is what was reserved for a pod on the node it is on, as long as the pod does not say the same itself: its annotations then
// also tell when it lets go of something.
func (b *book) held(pod *corev1.Pod) (usage.Holding, bool) {
	e, ok := b.get(keyOf(pod))
	if !ok || e.holding.Node != pod.Spec.NodeName || e.said(pod) {
		return usage.Holding{}, false
	}
	return e.holding, true
}

// said says whether the annotations that tell of the devices are on the pod.
func (e *entry) said(pod *corev1.Pod) bool {
	for key, value := range e.written {
		if pod.Annotations[key] != value {
			return false
		}
	}
	return e.written != nil
}
