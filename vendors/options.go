package vendors

import (
	"fmt"
	"slices"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/engine"
)

// FitOptions are what a caller asks of a fit beside the pod. They make a fit narrower and never wider, but for ExactModel,
// which also narrows a list of models not to use. With the zero value decisions are the reference's. The functions must be
// pure, must not keep or change what they are given, and are called from any goroutine that fits.
//
// A predicate on whole nodes is not among them: whoever calls [Set.Fit] calls it for the nodes that matter, and package
// simulate has Allow in its options.
type FitOptions struct {
	// Only says which devices may serve; nil: all. The others count as CardExcluded, before any rule of the vendor. For
	// trying a placement anew, for what kubelet left over, for the cards a preemption would free. See [OnlyIDs].
	Only func(node *device.NodeInfo, d *device.DeviceInfo) bool

	// Reserved is how many MiB of a device nobody is to be given: the driver's, or those of processes that no pod accounts
	// for; nil, 0 and less: none. Percentages, and requests for all memory, are of the rest, but for vendors that cut devices
	// into pieces of fixed sizes. A device that has enough left but for the reserved memory counts as CardMemoryReserved. The
	// order of devices and nodes does not depend on it.
	Reserved func(node *device.NodeInfo, d *device.DeviceInfo) int64

	// ExactModel matches the names in a pod's lists of models to use and not to use as a whole ([device.NodeInfo.IsModel])
	// rather than as fragments, so that L4 is no L40.
	ExactModel bool

	// Choose makes the final pick among the devices that serve a container; nil: the vendor's own way. It is called where
	// at least f.Nums passed, and must return as many different positions in f.Granted; anything else refuses the container,
	// and what passed counts as CardExcluded. Where all have to come from one NUMA node it is offered the devices of one
	// after the other, in visiting order, until it picks. A vendor that picks in a way of its own (linked cards, runs of
	// neighbours) has to accept the picked set, and quotas hold.
	Choose device.Chooser

	// Key tells options with functions apart in [Request.Shape]: two of one key must decide alike. Empty: a request with
	// functions has no shape, so that answers about it are never kept for another.
	Key string
}

// IsZero says whether the options ask for nothing. Key alone asks for nothing.
func (o *FitOptions) IsZero() bool { return !o.ExactModel && !o.functions() }

func (o *FitOptions) functions() bool { return o.Only != nil || o.Reserved != nil || o.Choose != nil }

// OnlyIDs lets the devices with the given ids serve: [FitOptions.Only] for callers that have a list. Without ids none serves.
func OnlyIDs(ids ...string) func(*device.NodeInfo, *device.DeviceInfo) bool {
	list := slices.Clone(ids)
	return func(_ *device.NodeInfo, d *device.DeviceInfo) bool { return slices.Contains(list, d.ID) }
}

// With returns the request under options, its quotas kept: every function that takes a request then honours them. Options
// add up: a device must be allowed by all, of two reservations the larger counts, and the later chooser's pick must suit the
// earlier one. r is unchanged. Cost: linear in the rules of the request.
func (r *Request) With(o FitOptions) *Request {
	if o.IsZero() {
		return r
	}
	c := *r
	c.shape = o.shape(r.shape)
	c.named = r.named || o.functions()
	c.plans = make([][]device.Plan, len(r.plans))
	c.pod.Containers = slices.Clone(r.pod.Containers)
	for i, plans := range r.plans {
		c.plans[i] = make([]device.Plan, len(plans))
		ready := make([]engine.Plan, len(plans))
		for k, p := range plans {
			c.plans[i][k] = o.apply(p)
			ready[k] = readyPlan(c.plans[i][k], r.pod.Containers[i].Plans[k].Quota)
		}
		c.pod.Containers[i].Plans = ready
	}
	return &c
}

// shape is that of a request with the given shape under the options.
func (o *FitOptions) shape(of string) string {
	switch {
	case of == "", o.functions() && o.Key == "":
		return ""
	case o.functions():
		return fmt.Sprintf("%s options %q %t", of, o.Key, o.ExactModel)
	}
	return of + " exact model"
}

// apply returns a plan under the options.
func (o *FitOptions) apply(p device.Plan) device.Plan {
	rules, joins := slices.Clone(p.Rules.Rules()), slices.Clone(p.Joins.Rules())
	if o.ExactModel {
		exact(rules)
		exact(joins)
	}
	if o.Only != nil {
		rule := o.allowed()
		rules, joins = slices.Insert(rules, 0, rule), slices.Insert(joins, 0, rule)
		p.Choose = stillExcluded(p.Choose)
	}
	if o.Reserved != nil {
		rules = append(rules, o.unreserved())
		p.Amounts = o.amounts(p)
	}
	if o.Choose != nil {
		quota := slices.ContainsFunc(rules, func(r device.Rule) bool { return r.Check == device.InQuota })
		p.Choose = chosenBy(o.Choose, p.Choose, p.OneNUMA, quota)
		p.OneNUMA = false
	}
	p.Rules, p.Joins = device.NewTable(rules), device.NewTable(joins)
	return p
}

// exact makes rules match the names of models as a whole. The slice is changed.
func exact(rules []device.Rule) {
	for i := range rules {
		r := &rules[i]
		if r.Exact == nil {
			continue
		}
		r.Func = r.Exact
		if explain := r.Explain; explain != nil {
			r.Explain = func(c *device.Candidate) (want, have device.Amount) {
				want, have = explain(c)
				want.Text = "exactly " + want.Text
				return want, have
			}
		}
	}
}

func (o *FitOptions) allowed() device.Rule {
	only := o.Only
	return device.Rule{
		Code: device.CardExcluded,
		Func: func(c *device.Candidate) bool { return only(c.Fit.Node, c.Info()) },
		Explain: func(c *device.Candidate) (want, have device.Amount) {
			return device.Amount{Text: "a device that the caller allows"}, device.Amount{Text: "another"}
		},
	}
}

// reserved is what nobody is to be given of the candidate.
func (o *FitOptions) reserved(c *device.Candidate) int64 {
	return max(0, o.Reserved(c.Fit.Node, c.Info()))
}

// unreserved wants what is booked to fit beside the reserved memory. It stands last, when it is known what is booked.
func (o *FitOptions) unreserved() device.Rule {
	opts := *o
	left := func(c *device.Candidate) int64 {
		use := device.Sum(max(0, c.Usage.Memory), opts.reserved(c)) // ≥ 0, so that the difference cannot wrap around
		return max(c.Info().Memory, 0) - use
	}
	return device.Rule{
		Code: device.CardMemoryReserved,
		Func: func(c *device.Candidate) bool { return opts.reserved(c) == 0 || c.Grant().Memory <= max(0, left(c)) },
		Explain: func(c *device.Candidate) (want, have device.Amount) {
			return device.Amount{N: c.Grant().Memory, Unit: device.MiB}, device.Amount{N: left(c), Unit: device.MiB}
		},
	}
}

// amounts is [device.Plan].Amounts for a request that may be for a share of the memory: the share is of what is not reserved.
func (o *FitOptions) amounts(p device.Plan) func(*device.Candidate) (memory, cores int64) {
	opts, inner, ask, fixed := *o, p.Amounts, p.Ask, p.Book != nil
	return func(c *device.Candidate) (memory, cores int64) {
		memory, cores = c.Memory, c.Cores
		if inner != nil {
			memory, cores = inner(c)
		}
		rest := max(0, max(0, c.Info().Memory)-opts.reserved(c))
		switch {
		case ask.Memory != 0 || inner != nil && fixed:
			return memory, cores
		case inner != nil:
			return min(memory, rest), cores
		}
		return ask.MemoryOn(rest), cores
	}
}
