package device

// Check names one of the comparisons that the models of several vendors share. The zero value, Custom, stands for a
// function of the vendor's own.
type Check uint8

// The shared checks. Each is true when the device serves. They are numbers rather than functions because a table of
// numbers is run several times faster (see BenchmarkRules).
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

// Rule is one line of a vendor's rule table: what must hold, and the reason given when it does not.
type Rule struct {
	Code  Code
	Check Check

	// Func decides where Check is Custom: true when the device serves. It must neither keep c nor change anything.
	Func func(c *Candidate) bool

	// Explain says what Func wanted and had; nil: nothing more to say than the code. Called for people only.
	Explain func(c *Candidate) (want, have Amount)
}

// Candidate is one device under examination for one container. Rules read it; it is valid during the call only.
type Candidate struct {
	Info  *DeviceInfo
	Usage *DeviceUsage // including what earlier containers of the pod took; read-only

	// Memory (MiB) and Cores (percent) are what the container asks of this device.
	Memory int64
	Cores  int64

	// Grant is what would be booked. It starts as Memory and Cores; Plan.Book may replace it.
	Grant Grant

	// Fit is the state of the container at hand: the node, the plan, what has been granted before.
	Fit *ContainerFit
}

// Broken returns the index of the first rule that the candidate breaks, or -1. Cost: of itself it allocates nothing; what
// Func and Plan.Book do, and InQuota where the quota has a limit, comes on top.
func Broken(rules []Rule, c *Candidate) int {
	info, use := c.Info, c.Usage
	for i := range rules {
		ok := false
		switch rules[i].Check {
		case IsHealthy:
			ok = use.Healthy
		case NotCordoned:
			ok = !info.Cordoned
		case HasSlot:
			ok = use.Slots < info.Slots
		case IsIdle:
			ok = use.Slots <= 0
		case HasMemory:
			ok = info.Memory-use.Memory >= c.Memory
		case HasCores:
			ok = info.Cores-use.Cores >= c.Cores
		case WholeIsIdle:
			ok = info.Cores != 100 || c.Cores != 100 || use.Slots <= 0
		case HasCompute:
			ok = info.Cores == 0 || use.Cores != info.Cores || c.Cores != 0
		case InQuota:
			ok = c.Fit.Quota == nil || c.Fit.candidateInQuota(c)
		case CanBook:
			ok = c.Fit.Plan.Book(c)
		default:
			ok = rules[i].Func(c)
		}
		if !ok {
			return i
		}
	}
	return -1
}

// Amounts says what the rule wanted of the candidate and what it had.
func (r *Rule) Amounts(c *Candidate) (want, have Amount) {
	info, use := c.Info, c.Usage
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
