package live

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/record"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/examples/nodelock"
	"github.com/accelfit/accelfit/vendors"
)

// Defaults of Options.
const (
	DefaultTimeout       = 15 * time.Second
	DefaultAnnouncePause = 15 * time.Second
)

// Why a Scheduler is not ready.
var (
	ErrNotSynced = errors.New("the state of the cluster is not read yet")
	ErrNotLeader = errors.New("this replica does not lead")
)

// Options say how a Scheduler works; the zero value works alone, without leader election.
type Options struct {
	// NodeSelector is a label selector of the nodes that have devices; empty: all nodes.
	NodeSelector string

	// Timeout bounds a call, whatever the API server does; 0: DefaultTimeout. It should be shorter than the scheduler's.
	Timeout time.Duration

	// LockTimeout is how long the lock of a node counts; LockRetry how long members of a pod group wait for it. 0: as nodelock.
	LockTimeout, LockRetry time.Duration

	// AnnouncePause is the time between two passes over the nodes' health; 0: DefaultAnnouncePause.
	AnnouncePause time.Duration

	// Component names who writes events; empty: accelfit-extender.
	Component string

	// Election is who else may lead; nil: nobody.
	Election *Election

	Log *slog.Logger     // nil: nothing is logged
	Now func() time.Time // nil: time.Now
}

func (o Options) withDefaults() Options {
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.AnnouncePause <= 0 {
		o.AnnouncePause = DefaultAnnouncePause
	}
	if o.Component == "" {
		o.Component = "accelfit-extender"
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// Scheduler decides with what a cluster holds. Its methods are safe for concurrent use. It decides nothing until Run has read
// the state of the cluster.
type Scheduler struct {
	set    *vendors.Set
	client kubernetes.Interface
	o      Options
	state  *state
	locks  *nodelock.Locker
	events atomic.Pointer[record.EventRecorder]

	deciding   sync.Mutex // one decision at a time
	ready      gate
	handshakes handshakes
	told       told
	judged     judged
}

// New returns a scheduler that talks to a cluster with a client: it reads nodes, pods and resource quotas, patches pods and
// nodes, creates bindings and events, and under leader election holds a lease.
func New(set *vendors.Set, client kubernetes.Interface, o Options) *Scheduler {
	o = o.withDefaults()
	return &Scheduler{
		set:    set,
		client: client,
		o:      o,
		state:  newState(set),
		locks:  &nodelock.Locker{Client: client.CoreV1(), Timeout: o.LockTimeout, Retry: o.LockRetry, Now: o.Now},
		ready:  gate{err: ErrNotSynced, changed: make(chan struct{})},
		handshakes: handshakes{
			nodes: map[string]*corev1.Node{},
			due:   map[string]map[string]string{},
			wake:  make(chan struct{}, 1),
		},
		told: told{texts: map[string]string{}},
	}
}

// Ready says why the scheduler cannot decide: ErrNotSynced or ErrNotLeader; nil when it can.
func (s *Scheduler) Ready() error {
	_, err := s.ready.get()
	return err
}

// Headroom returns what a namespace may still take, for every vendor that is limited there; nil where none is.
func (s *Scheduler) Headroom(namespace string) map[device.Vendor]device.Headroom {
	return s.state.headroom(namespace)
}

// wait waits until the scheduler is ready, while all that is missing is the state of the cluster (spec core §3).
func (s *Scheduler) wait(ctx context.Context) error {
	for {
		changed, err := s.ready.get()
		if !errors.Is(err, ErrNotSynced) {
			return err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return err
		}
	}
}

// gate holds why calls cannot be served, and tells who waits when that changes.
type gate struct {
	mu      sync.Mutex
	err     error
	changed chan struct{}
}

func (g *gate) get() (changed <-chan struct{}, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.changed, g.err
}

func (g *gate) set(err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.err = err
	close(g.changed)
	g.changed = make(chan struct{})
}

// told remembers what is wrong with objects, so that it is logged once.
type told struct {
	mu    sync.Mutex
	texts map[string]string
}

// changed says whether the text about an object is new and not empty.
func (t *told) changed(object, text string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.texts[object] == text {
		return false
	}
	if text == "" {
		delete(t.texts, object)
		return false
	}
	t.texts[object] = text
	return true
}

// event tells of a pod, once events are recorded.
func (s *Scheduler) event(pod *corev1.Pod, kind, reason, text string) {
	if r := s.events.Load(); r != nil {
		(*r).Event(pod, kind, reason, clip(text))
	}
}

// clip cuts a text to what an event may say.
func clip(text string) string {
	const most = 1000
	if len(text) <= most {
		return text
	}
	return text[:most] + "..."
}
