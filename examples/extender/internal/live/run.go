package live

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/scheme"
	clientcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/tools/record"

	"github.com/accelfit/accelfit/device"
)

// Election is how replicas agree on the one that decides: by a Lease.
type Election struct {
	Namespace, Name string // of the lease
	Identity        string // of this replica

	// Times of the lease; 0: 15 s, 10 s, 2 s.
	Duration, RenewDeadline, RetryPeriod time.Duration
}

// Run keeps the state of the cluster up to date until ctx ends, which is no error. It may be called once.
func (s *Scheduler) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	stop := s.record()
	defer stop()
	factories, err := s.watch(ctx)
	defer func() {
		cancel()
		for _, f := range factories {
			f.Shutdown()
		}
	}()
	if err != nil {
		return err
	}
	wg.Go(func() { s.keepAnnouncing(ctx) })
	if s.o.Election == nil {
		if err := s.lead(ctx); err != nil {
			return err
		}
		<-ctx.Done()
		s.ready.set(ErrNotSynced)
		return nil
	}
	return s.campaign(ctx)
}

// record starts recording events.
func (s *Scheduler) record() (stop func()) {
	broadcaster := record.NewBroadcaster()
	broadcaster.StartRecordingToSink(&clientcorev1.EventSinkImpl{Interface: s.client.CoreV1().Events("")})
	var r record.EventRecorder = broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: s.o.Component})
	s.events.Store(&r)
	return func() {
		s.events.Store(nil)
		broadcaster.Shutdown()
	}
}

// watch starts informers and returns when all objects have been taken in: nodes and quotas before the pods that are charged to
// them.
func (s *Scheduler) watch(ctx context.Context) ([]informers.SharedInformerFactory, error) {
	nodes := informers.NewSharedInformerFactoryWithOptions(s.client, 0, informers.WithTransform(trim),
		informers.WithTweakListOptions(func(o *metav1.ListOptions) { o.LabelSelector = s.o.NodeSelector }))
	rest := informers.NewSharedInformerFactoryWithOptions(s.client, 0, informers.WithTransform(trim))
	factories := []informers.SharedInformerFactory{nodes, rest}
	for _, group := range [][]watched{
		{
			{nodes.Core().V1().Nodes().Informer(), handler(s.onNode, s.onNodeGone)},
			{rest.Core().V1().ResourceQuotas().Informer(), handler(s.state.setQuota, s.onQuotaGone)},
		},
		{{rest.Core().V1().Pods().Informer(), podHandler{s}}},
	} {
		synced, err := register(group)
		if err != nil {
			return factories, err
		}
		nodes.Start(ctx.Done())
		rest.Start(ctx.Done())
		if !cache.WaitForCacheSync(ctx.Done(), synced...) {
			return factories, context.Cause(ctx)
		}
	}
	return factories, nil
}

// watched is an informer and who is told.
type watched struct {
	informer cache.SharedIndexInformer
	handler  cache.ResourceEventHandler
}

func register(group []watched) (synced []cache.InformerSynced, err error) {
	for _, w := range group {
		r, err := w.informer.AddEventHandler(w.handler)
		if err != nil {
			return nil, err
		}
		synced = append(synced, r.HasSynced)
	}
	return synced, nil
}

// trim drops what nobody reads from objects before they are cached.
func trim(object any) (any, error) {
	if o, ok := object.(metav1.Object); ok {
		o.SetManagedFields(nil)
	}
	return object, nil
}

// handler tells of objects of one type.
func handler[T any](set func(T), gone func(T)) cache.ResourceEventHandler {
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { set(o.(T)) },
		UpdateFunc: func(_, o any) { set(o.(T)) },
		DeleteFunc: func(o any) {
			if last, ok := o.(cache.DeletedFinalStateUnknown); ok {
				o = last.Obj
			}
			gone(o.(T))
		},
	}
}

func (s *Scheduler) onQuotaGone(q *corev1.ResourceQuota) { s.state.deleteQuota(q.Namespace, q.Name) }

// podHandler tells of pods. A pod that was made anew under its name while nobody watched comes as an update.
type podHandler struct{ s *Scheduler }

func (h podHandler) OnAdd(o any, _ bool) { h.set(o.(*corev1.Pod)) }

func (h podHandler) OnUpdate(before, after any) {
	if b, a := before.(*corev1.Pod), after.(*corev1.Pod); keyOf(b) != keyOf(a) {
		h.gone(b)
	}
	h.set(after.(*corev1.Pod))
}

func (h podHandler) OnDelete(o any) {
	handler(h.set, h.gone).OnDelete(o)
}

func (h podHandler) set(pod *corev1.Pod) { h.s.report("pod "+keyOf(pod), h.s.state.setPod(pod)) }

func (h podHandler) gone(pod *corev1.Pod) {
	h.s.state.deletePod(pod)
	h.s.report("pod "+keyOf(pod), nil)
}

// report logs what is wrong with an object, unless it was told before.
func (s *Scheduler) report(object string, problems []device.Problem) {
	errs := make([]error, len(problems))
	for i, p := range problems {
		errs[i] = p
	}
	text := ""
	if err := errors.Join(errs...); err != nil {
		text = err.Error()
	}
	if s.told.changed(object, text) {
		s.o.Log.Warn("object cannot be read in full", "object", object, "problems", text)
	}
}

// campaign takes part in the election until ctx ends, and leads whenever this replica is elected.
func (s *Scheduler) campaign(ctx context.Context) error {
	s.ready.set(ErrNotLeader)
	elector, err := leaderelection.NewLeaderElector(s.election())
	if err != nil {
		return err
	}
	for ctx.Err() == nil {
		elector.Run(ctx)
	}
	return nil
}

func (s *Scheduler) election() leaderelection.LeaderElectionConfig {
	e := s.o.Election
	or := func(d, otherwise time.Duration) time.Duration {
		if d > 0 {
			return d
		}
		return otherwise
	}
	return leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: e.Namespace, Name: e.Name},
			Client:     s.client.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: e.Identity},
		},
		Name:            e.Name,
		LeaseDuration:   or(e.Duration, 15*time.Second),
		RenewDeadline:   or(e.RenewDeadline, 10*time.Second),
		RetryPeriod:     or(e.RetryPeriod, 2*time.Second),
		ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(ctx context.Context) {
				if err := s.lead(ctx); err != nil && ctx.Err() == nil {
					s.o.Log.Error("cannot take over", "error", err)
				}
			},
			OnStoppedLeading: func() {
				s.ready.set(ErrNotLeader)
				s.o.Log.Info("stopped leading")
			},
		},
	}
}

// lead begins to decide, once this process knows at least what the API server knows now: another replica, or this one before a
// crash, may have placed pods of which no informer has told yet. It tries again until ctx ends.
func (s *Scheduler) lead(ctx context.Context) error {
	s.ready.set(ErrNotSynced)
	for {
		err := s.catchUp(ctx)
		if err == nil {
			break
		}
		s.o.Log.Warn("cannot read the pods", "error", err)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	s.ready.set(nil)
	s.o.Log.Info("decides from now on")
	s.checkNodes()
	return nil
}

// catchUp reads all pods from the API server, and not from a cache.
func (s *Scheduler) catchUp(ctx context.Context) error {
	s.state.expectAll()
	var all []corev1.Pod
	o := metav1.ListOptions{Limit: 1000}
	for {
		page, err := s.client.CoreV1().Pods("").List(ctx, o)
		if err != nil {
			return fmt.Errorf("list pods: %w", err)
		}
		all = append(all, page.Items...)
		if o.Continue = page.Continue; o.Continue == "" {
			break
		}
	}
	s.state.setAll(all)
	return nil
}
