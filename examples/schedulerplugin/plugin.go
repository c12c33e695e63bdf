package schedulerplugin

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/examples/nodelock"
	"github.com/accelfit/accelfit/usage"
	"github.com/accelfit/accelfit/vendors"
)

// Name is the name of the plugin in configurations.
const Name = "Accelfit"

// Plugin decides about the devices of pods. It is made by [New] or a [Factory]; its methods are those of the scheduling framework.
// All are safe for concurrent use.
type Plugin struct {
	handle  fwk.Handle // nil in hosts without any
	set     *vendors.Set
	options UsageOptions
	lock    NodeLockArgs
	now     func() time.Time

	book     *book
	tenants  *tenants // nil: quotas are ignored
	states   states
	statuses statuses

	parsing sync.Mutex
	parser  *vendors.Parser
}

var (
	_ fwk.PreFilterPlugin     = &Plugin{}
	_ fwk.PreFilterExtensions = &Plugin{}
	_ fwk.FilterPlugin        = &Plugin{}
	_ fwk.PreScorePlugin      = &Plugin{}
	_ fwk.ScorePlugin         = &Plugin{}
	_ fwk.ScoreExtensions     = &Plugin{}
	_ fwk.ReservePlugin       = &Plugin{}
	_ fwk.PreBindPlugin       = &Plugin{}
	_ fwk.EnqueueExtensions   = &Plugin{}
	_ fwk.SignPlugin          = &Plugin{}
)

// Factory makes plugins that know of each other's reservations: one for each profile of a scheduler. The zero value is ready. It is
// safe for concurrent use.
type Factory struct {
	once sync.Once
	book *book
}

// New makes the plugin of a scheduler with one profile: register it as a plugin factory under [Name]. A scheduler with
// several profiles uses the method of one [Factory]; otherwise pods of two profiles may be given one device while they are being
// bound.
//
// args are decoded by [DecodeArgs]; the error is an [*ArgsError]. Informers of pods and resource quotas are registered with the
// handle's factory, if it has one; the host starts them.
func New(ctx context.Context, args runtime.Object, handle fwk.Handle) (fwk.Plugin, error) {
	return new(Factory).New(ctx, args, handle)
}

// New is the function New for one of several profiles.
func (f *Factory) New(_ context.Context, args runtime.Object, handle fwk.Handle) (fwk.Plugin, error) {
	f.once.Do(func() { f.book = newBook() })
	a, err := DecodeArgs(args)
	if err != nil {
		return nil, err
	}
	set, err := a.Set()
	if err != nil {
		return nil, err
	}
	profiles, err := a.profiles()
	if err != nil {
		return nil, err
	}
	if err := a.NodeLock.check(); err != nil {
		return nil, err
	}
	p := &Plugin{
		handle: handle, set: set, lock: a.NodeLock, now: time.Now, book: f.book, parser: set.Parser(),
		options: UsageOptions{Held: f.book.held, Profiles: profiles, Upcoming: a.Upcoming},
	}
	p.states.expect(0)
	if !a.IgnoreQuotas {
		p.tenants = newTenants(set)
	}
	return p, p.watch()
}

// Name implements fwk.Plugin.
func (p *Plugin) Name() string { return Name }

// request parses a pod; equal ones once.
func (p *Plugin) request(pod *corev1.Pod) (*vendors.Request, error) {
	p.parsing.Lock()
	defer p.parsing.Unlock()
	return p.parser.Request(pod)
}

// locker locks nodes for this plugin.
func (p *Plugin) locker() *nodelock.Locker {
	return &nodelock.Locker{
		Client: p.handle.ClientSet().CoreV1(), Timeout: p.lock.Timeout.Duration, Retry: p.lock.Wait.Duration, Now: p.now,
	}
}

// cycle is what the plugin keeps of a pod between the calls of one scheduling cycle.
type cycle struct {
	plain   *vendors.Request // what the pod asks for
	request *vendors.Request // the same under the quotas of its namespace
	limited bool             // some quota holds
	quotas  usage.Quotas     // with the pods that are added and removed in this cycle
}

// Clone implements fwk.StateData: cycles are copied when pods are added or removed for a try.
func (c *cycle) Clone() fwk.StateData {
	next := *c
	return &next
}

// limit puts quotas in force for the pod.
func (c *cycle) limit(quotas usage.Quotas) {
	c.quotas, c.request = quotas, c.plain
	headroom := quotas.Headroom(c.plain.Namespace)
	if c.limited = headroom != nil; c.limited {
		c.request = c.plain.WithQuota(headroom)
	}
}

var errNoCycle = errors.New("the pod was not seen by PreFilter in this cycle")

func cycleOf(state fwk.CycleState) (*cycle, error) {
	data, err := state.Read(Name)
	if err != nil {
		return nil, errNoCycle
	}
	c, ok := data.(*cycle)
	if !ok {
		return nil, fmt.Errorf("%s: %T is in the cycle's state", Name, data)
	}
	return c, nil
}

// vendorsOf are the vendors that a request names.
func vendorsOf(r *vendors.Request) map[device.Vendor]bool {
	asked := map[device.Vendor]bool{}
	for _, container := range r.Containers() {
		for _, ask := range container {
			asked[ask.Vendor] = true
		}
	}
	return asked
}
