package device

import "strconv"

// Check names one of the comparisons that the models of several vendors share. The zero value, Custom, stands for a
// function of the vendor's own.
type Check uint8

// The shared checks. Each is true when the device serves. They are numbers rather than functions because neighbouring ones
// can then be evaluated in one go (see BenchmarkRules).
const (
	Custom      Check = iota
	IsHealthy         // the device takes new work
	NotCordoned       // the operator has not cordoned it
	HasSlot           // fewer tasks than slots
	IsIdle            // no task at all
	HasMemory         // memory left ≥ the candidate's Memory
	HasCores          // cores left ≥ the candidate's Cores
	WholeIsIdle       // a request for all 100 cores of a 100-core card finds it idle
	HasCompute        // a request for no cores finds some not taken
	InQuota           // the namespace's quota allows it
	CanBook           // Plan.Book finds something to book
)

var checkTexts = [...]string{
	"custom", "healthy", "not cordoned", "has a slot", "idle", "has memory", "has cores", "idle for all cores", "has compute", "in quota", "can book",
}

// String says in a few words what the check wants of a device.
func (c Check) String() string {
	if int(c) < len(checkTexts) {
		return checkTexts[c]
	}
	return "Check(" + strconv.Itoa(int(c)) + ")"
}

// Rule is one line of a vendor's rule table: what must hold, and the reason given when it does not.
type Rule struct {
	Code  Code
	Check Check

	// Func decides where Check is Custom: true when the device serves. It must neither keep c nor change anything.
	Func func(c *Candidate) bool

	// Exact decides in place of Func where the caller wants the names of models to match as a whole; nil: Func, whatever the
	// caller wants.
	Exact func(c *Candidate) bool

	// Explain says what Func wanted and had; nil: nothing more to say than the code. Called for people only.
	Explain func(c *Candidate) (want, have Amount)
}

// Candidate is one device under examination for one container. Rules read it; it is valid during the call only.
type Candidate struct {
	Device int          // position on the node
	Usage  *DeviceUsage // including what earlier containers of the pod took; read-only
	Room   Room         // of Usage

	// Memory (MiB) and Cores (percent) are what the container asks of this device.
	Memory int64
	Cores  int64

	// Fit is the state of the container at hand: the node, the plan, what has been granted before.
	Fit *ContainerFit

	as     Grant // what Plan.Book settled
	booked bool  // as counts
}

// Info is the device's description; read-only.
func (c *Candidate) Info() *DeviceInfo { return c.Fit.Node.Device(c.Device) }

// BookAs settles that the device is booked with other amounts than asked for, or as an instance; the device of g does not
// matter. Only Plan.Book may call it.
func (c *Candidate) BookAs(g Grant) {
	g.Device = c.Device
	c.as, c.booked = g, true
}

// Grant is what would be booked.
func (c *Candidate) Grant() Grant {
	if c.booked {
		return c.as
	}
	return Grant{Device: c.Device, Memory: c.Memory, Cores: c.Cores}
}

// Table is a rule table made ready to be run: neighbouring shared checks are evaluated in one go, which costs well under what
// a table of functions does (see BenchmarkRules). It is immutable.
type Table struct {
	rules []Rule
	steps []step
}

// step is either one rule with code of its own, or a run of shared checks in the order of their numbers.
type step struct {
	checks uint32         // bit c: check c is part of the run; 0: a single rule
	at     [CanBook]uint8 // rule of each check of a run
	rule   int            // the single rule
}

// NewTable makes a table of rules, which are tried in the given order. The slice must not change afterwards.
func NewTable(rules []Rule) Table {
	t := Table{rules: rules, steps: make([]step, 0, len(rules))}
	last := Custom
	for i, r := range rules {
		if r.Check == Custom || r.Check >= InQuota || i > 255 {
			t.steps = append(t.steps, step{rule: i})
			last = Custom
			continue
		}
		if last == Custom || r.Check <= last {
			t.steps = append(t.steps, step{})
		}
		run := &t.steps[len(t.steps)-1]
		run.checks |= 1 << r.Check
		run.at[r.Check] = uint8(i)
		last = r.Check
	}
	return t
}

// Rules returns the rules in order. The slice is the table's own: read-only.
func (t *Table) Rules() []Rule { return t.rules }

// Code returns the reason of rule i.
func (t *Table) Code(i int) Code { return t.rules[i].Code }

// Broken returns the index of the first rule that the candidate breaks, or -1. Of itself it allocates nothing; what Func
// and Plan.Book do, and InQuota where the quota has a limit, comes on top.
func (t *Table) Broken(c *Candidate) int {
	for i := range t.steps {
		s := &t.steps[i]
		if s.checks != 0 {
			if check := c.firstBroken(s.checks); check != Custom {
				return int(s.at[check])
			}
		} else if !t.rules[s.rule].holds(c) {
			return s.rule
		}
	}
	return -1
}

// holds evaluates a rule by itself.
func (r *Rule) holds(c *Candidate) bool {
	switch r.Check {
	case Custom:
		return r.Func(c)
	case InQuota:
		return c.Fit.Quota == nil || c.Fit.candidateInQuota(c)
	case CanBook:
		return c.Fit.Plan.Book(c)
	}
	return c.firstBroken(1<<r.Check) == Custom
}

// Amounts says what the rule wanted of the candidate and what it had.
func (r *Rule) Amounts(c *Candidate) (want, have Amount) {
	info, use := c.Info(), c.Usage
	switch r.Check {
	case HasSlot:
		return Amount{N: use.Slots + 1, Unit: Slots}, Amount{N: info.Slots, Unit: Slots}
	case IsIdle, WholeIsIdle:
		return Amount{Text: "an idle device"}, Amount{N: use.Slots, Unit: Slots}
	case HasMemory:
		return Amount{N: c.Memory, Unit: MiB}, Amount{N: info.Memory - use.Memory, Unit: MiB}
	case HasCores, HasCompute:
		return Amount{N: max(1, c.Cores), Unit: Cores}, Amount{N: info.Cores - use.Cores, Unit: Cores}
	}
	if r.Explain != nil {
		return r.Explain(c)
	}
	return Amount{}, Amount{}
}
