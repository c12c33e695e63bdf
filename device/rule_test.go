package device_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/testkit"
)

// sharedRules is a table of shared checks only, in the order most vendors have them.
var sharedRules = device.NewTable([]device.Rule{
	{Code: device.CardNotHealth, Check: device.IsHealthy},
	{Code: device.CardCordoned, Check: device.NotCordoned},
	{Code: device.CardTimeSlicingExhausted, Check: device.HasSlot},
	{Code: device.ResourceQuotaNotFit, Check: device.InQuota},
	{Code: device.CardInsufficientMemory, Check: device.HasMemory},
	{Code: device.CardInsufficientCore, Check: device.HasCores},
	{Code: device.ExclusiveDeviceAllocateConflict, Check: device.WholeIsIdle},
	{Code: device.CardComputeUnitsExhausted, Check: device.HasCompute},
})

// candidate is a device that breaks none of sharedRules; edit makes it break one.
func candidate(edit func(d *device.DeviceInfo, u *device.DeviceUsage, c *device.Candidate)) *device.Candidate {
	info := &device.DeviceInfo{ID: "a", Slots: 10, Memory: 1000, Cores: 100, Healthy: true}
	usage := &device.DeviceUsage{Slots: 1, Memory: 400, Cores: 40, Healthy: true}
	c := &device.Candidate{
		Usage: usage, Memory: 600, Cores: 60,
		Fit: &device.ContainerFit{Plan: &device.Plan{Ask: device.ContainerRequest{Nums: 1}}},
	}
	if edit != nil {
		edit(info, usage, c)
	}
	c.Room = device.RoomOf(info, usage)
	c.Fit.Node = device.NewNodeInfo("n", device.Inventory{Vendor: "V", Devices: []device.DeviceInfo{*info}})
	return c
}

func TestSharedChecks(t *testing.T) {
	type (
		info  = device.DeviceInfo
		usage = device.DeviceUsage
		cand  = device.Candidate
	)
	for _, test := range []struct {
		why  string
		edit func(d *info, u *usage, c *cand)
		want device.Code
	}{
		{"serves", func(*info, *usage, *cand) {}, device.Fits},
		{"usage knows of the device's health", func(_ *info, u *usage, _ *cand) { u.Healthy = false }, device.CardNotHealth},
		{"the registration alone does not", func(d *info, _ *usage, _ *cand) { d.Healthy = false }, device.Fits},
		{"cordoned", func(d *info, _ *usage, _ *cand) { d.Cordoned = true }, device.CardCordoned},
		{"all slots taken", func(_ *info, u *usage, _ *cand) { u.Slots = 10 }, device.CardTimeSlicingExhausted},
		{"the last slot", func(_ *info, u *usage, _ *cand) { u.Slots = 9 }, device.Fits},
		{"no slots at all", func(d *info, u *usage, _ *cand) { d.Slots, u.Slots = 0, 0 }, device.CardTimeSlicingExhausted},
		{"a MiB short", func(_ *info, u *usage, _ *cand) { u.Memory = 401 }, device.CardInsufficientMemory},
		{"more taken than there is", func(_ *info, u *usage, c *cand) { u.Memory, c.Memory = 1001, 0 }, device.CardInsufficientMemory},
		{"a percent short", func(_ *info, u *usage, _ *cand) { u.Cores = 41 }, device.CardInsufficientCore},
		{"a whole card that is in use", func(_ *info, u *usage, c *cand) { u.Cores, c.Cores = 0, 100 }, device.ExclusiveDeviceAllocateConflict},
		{"a whole card that is idle", func(_ *info, u *usage, c *cand) { u.Slots, u.Cores, c.Cores = 0, 0, 100 }, device.Fits},
		{"100 of 200 cores are no whole card", func(d *info, _ *usage, c *cand) { d.Cores, c.Cores = 200, 100 }, device.Fits},
		{"no cores asked, all taken", func(_ *info, u *usage, c *cand) { u.Cores, c.Cores = 100, 0 }, device.CardComputeUnitsExhausted},
		{"no cores asked, the device has none", func(d *info, u *usage, c *cand) { d.Cores, u.Cores, c.Cores = 0, 0, 0 }, device.Fits},
		{"the first broken rule counts", func(d *info, u *usage, _ *cand) { d.Cordoned, u.Slots = true, 10 }, device.CardCordoned},
	} {
		got := device.Fits
		if i := sharedRules.Broken(candidate(test.edit)); i >= 0 {
			got = sharedRules.Rules()[i].Code
		}
		if got != test.want {
			t.Errorf("%s: %v, want %v", test.why, got, test.want)
		}
	}
}

func TestIdleAndVendorChecks(t *testing.T) {
	idle := device.NewTable([]device.Rule{{Check: device.IsIdle}})
	if idle.Broken(candidate(nil)) != 0 {
		t.Error("a device with a task is idle")
	}
	if idle.Broken(candidate(func(_ *device.DeviceInfo, u *device.DeviceUsage, _ *device.Candidate) { u.Slots = 0 })) != -1 {
		t.Error("a device without task is not idle")
	}
	custom := device.NewTable([]device.Rule{{Func: func(c *device.Candidate) bool { return c.Info().ID != "a" }}})
	if custom.Broken(candidate(nil)) != 0 {
		t.Error("the vendor's function was not asked")
	}
	book := device.NewTable([]device.Rule{{Check: device.CanBook}})
	c := candidate(nil)
	c.Fit.Plan.Book = func(c *device.Candidate) bool { c.BookAs(device.Grant{Memory: 700}); return false }
	if book.Broken(c) != 0 || c.Grant().Memory != 700 {
		t.Error("Book was not asked, or did not settle the grant")
	}
	for name, table := range map[string]device.Table{"zero": {}, "empty": device.NewTable(nil)} {
		if table.Broken(c) != -1 {
			t.Errorf("the %s table is broken", name)
		}
	}
}

// TestGrantAsAsked: what no Book settled is booked as it is asked for.
func TestGrantAsAsked(t *testing.T) {
	c := candidate(func(_ *device.DeviceInfo, _ *device.DeviceUsage, c *device.Candidate) { c.Device = 3 })
	if diff := cmp.Diff(device.Grant{Device: 3, Memory: 600, Cores: 60}, c.Grant()); diff != "" {
		t.Error(diff)
	}
	instance := device.MIGInstance{Profile: "2g.10gb"}
	c.BookAs(device.Grant{Memory: 9856, Cores: 30, MIG: instance})
	if diff := cmp.Diff(device.Grant{Device: 3, Memory: 9856, Cores: 30, MIG: instance}, c.Grant()); diff != "" {
		t.Error(diff)
	}
}

// TestTableAgainstOneByOne compares tables of any rules in any order, repeated and mixed with a vendor's own, with looking
// at one rule after the other.
func TestTableAgainstOneByOne(t *testing.T) {
	r := testkit.Rand(t)
	for range 10 * rounds {
		var rules []device.Rule
		for range testkit.OneOf(r, 0, 1, r.IntN(12), 260) {
			rule := device.Rule{Check: device.Check(r.IntN(int(device.CanBook)))}
			if rule.Check == device.Custom {
				serves := r.IntN(8) > 0
				rule.Func = func(*device.Candidate) bool { return serves }
			}
			rules = append(rules, rule)
		}
		c := randomCandidate(r)
		table := device.NewTable(rules)
		if got, want := table.Broken(c), oneByOne(rules, c); got != want {
			t.Fatalf("rule %d of %+v is broken, want %d, by %+v", got, rules, want, *c.Usage)
		}
	}
}

// TestTableOfAnyLength: where the numbers of rules no longer fit into a run, they are looked at one by one.
func TestTableOfAnyLength(t *testing.T) {
	for _, length := range []int{1, 255, 256, 257, 300} {
		rules := make([]device.Rule, length)
		for i := range rules {
			rules[i].Check = device.IsHealthy
		}
		rules[length-1].Check = device.NotCordoned
		table := device.NewTable(rules)
		c := candidate(func(d *device.DeviceInfo, _ *device.DeviceUsage, _ *device.Candidate) { d.Cordoned = true })
		if got := table.Broken(c); got != length-1 {
			t.Errorf("rule %d of %d is broken, want the last", got, length)
		}
	}
}

func oneByOne(rules []device.Rule, c *device.Candidate) int {
	for i, rule := range rules {
		serves := functionRules[rule.Check]
		if rule.Check == device.Custom {
			serves = rule.Func
		}
		if !serves(c) {
			return i
		}
	}
	return -1
}

func randomCandidate(r *rand.Rand) *device.Candidate {
	return candidate(func(d *device.DeviceInfo, u *device.DeviceUsage, c *device.Candidate) {
		u.Healthy, d.Cordoned = r.IntN(8) > 0, r.IntN(8) == 0
		d.Slots, u.Slots = testkit.OneOf[int64](r, 0, 1, 10), testkit.OneOf[int64](r, 0, 1, 2, 10)
		d.Memory, u.Memory, c.Memory = 1000, testkit.OneOf[int64](r, 0, 500, 1000, 1001), testkit.OneOf[int64](r, 0, 500, 1000)
		d.Cores, u.Cores, c.Cores = testkit.OneOf[int64](r, 0, 100, 200), testkit.OneOf[int64](r, 0, 50, 100), testkit.OneOf[int64](r, 0, 50, 100)
	})
}

func TestAmounts(t *testing.T) {
	explained := device.Rule{Explain: func(*device.Candidate) (want, have device.Amount) {
		return device.Amount{Text: "mig"}, device.Amount{N: 2, Unit: device.Devices}
	}}
	for _, test := range []struct {
		rule device.Rule
		want string
	}{
		{device.Rule{Code: device.CardNotHealth, Check: device.IsHealthy}, "a: CardNotHealth"},
		{device.Rule{Code: device.CardTimeSlicingExhausted, Check: device.HasSlot},
			"a: CardTimeSlicingExhausted (want 2 slots, have 10 slots)"},
		{device.Rule{Code: device.CardInsufficientMemory, Check: device.HasMemory},
			"a: CardInsufficientMemory (want 600 MiB, have 600 MiB)"},
		{device.Rule{Code: device.CardInsufficientCore, Check: device.HasCores},
			"a: CardInsufficientCore (want 60 % core, have 60 % core)"},
		{device.Rule{Code: device.ExclusiveDeviceAllocateConflict, Check: device.IsIdle},
			"a: ExclusiveDeviceAllocateConflict (want an idle device, have 1 slots)"},
		{device.Rule{Code: device.ModeNotFit, Explain: explained.Explain}, "a: ModeNotFit (want mig, have 2 devices)"},
	} {
		c := candidate(nil)
		reason := device.Reason{Code: test.rule.Code, Device: c.Info().ID}
		reason.Want, reason.Have = test.rule.Amounts(c)
		if diff := cmp.Diff(test.want, reason.String()); diff != "" {
			t.Error(diff)
		}
	}
}

// TestQuotaInsideTheFit: D8 and D10, the check sees the whole pod: what earlier containers took of each device, by class.
func TestQuotaInsideTheFit(t *testing.T) {
	node := device.NewNodeInfo("n1", device.Inventory{Vendor: "NVIDIA", Devices: []device.DeviceInfo{{ID: "a"}, {ID: "b"}}})
	pod := func(class device.ContainerClass, taken ...device.ContainerDevice) *device.ContainerFit {
		return &device.ContainerFit{
			Node: node, Plan: &device.Plan{Ask: device.ContainerRequest{Vendor: "NVIDIA", Nums: 2}},
			Quota:   &device.Headroom{Memory: device.Limit{Left: 2000, Set: true}},
			Classes: []device.ContainerClass{device.Init, device.Sidecar, device.App, device.App}, Class: class, Taken: taken,
		}
	}
	took := func(container int, id string, memory int64) device.ContainerDevice {
		return device.ContainerDevice{Container: container, Vendor: "NVIDIA", ID: id, Memory: memory}
	}
	grant := func(device_ int, memory int64) device.Grant { return device.Grant{Device: device_, Memory: memory} }
	for _, test := range []struct {
		why    string
		fit    *device.ContainerFit
		grants []device.Grant
		want   bool
	}{
		{"nothing taken", pod(device.App), []device.Grant{grant(0, 2000)}, true},
		{"too much", pod(device.App), []device.Grant{grant(0, 1500), grant(1, 501)}, false},
		{"D8: app after app adds up", pod(device.App, took(2, "a", 1500)), []device.Grant{grant(0, 1500)}, false},
		{"init and app on one device do not", pod(device.App, took(0, "a", 1500)), []device.Grant{grant(0, 2000)}, true},
		{"on two devices they do", pod(device.App, took(0, "a", 1500)), []device.Grant{grant(1, 501)}, false},
		{"D10: a sidecar adds up with either", pod(device.App, took(1, "a", 1500)), []device.Grant{grant(0, 501)}, false},
		{"init beside a sidecar", pod(device.Init, took(1, "a", 1500)), []device.Grant{grant(0, 500)}, true},
		{"one container's entries on one device add up", pod(device.App), []device.Grant{grant(0, 1500), grant(0, 1500)}, false},
		{"those of an init container do not", pod(device.Init), []device.Grant{grant(0, 1500), grant(0, 1500)}, true},
		{"devices of other vendors are not counted",
			pod(device.App, device.ContainerDevice{Container: 2, Vendor: "MLU", ID: "a", Memory: 9000}), []device.Grant{grant(0, 2000)}, true},
	} {
		if got := test.fit.WithinQuota(test.grants...); got != test.want {
			t.Errorf("%s: %t, want %t", test.why, got, test.want)
		}
	}
}

// TestQuotaBesideAChooser: N3, where a set is chosen later, only as many of the granted devices count as will be chosen
// beside the candidate, the cheapest.
func TestQuotaBesideAChooser(t *testing.T) {
	node := device.NewNodeInfo("n1", device.Inventory{Vendor: "NVIDIA", Devices: []device.DeviceInfo{{ID: "a"}, {ID: "b"}, {ID: "c"}}})
	c := candidate(nil)
	c.Device, c.Memory = 2, 1000
	c.Fit = &device.ContainerFit{
		Node:    node,
		Plan:    &device.Plan{Ask: device.ContainerRequest{Vendor: "NVIDIA", Nums: 2}},
		Nums:    2,
		Quota:   &device.Headroom{Memory: device.Limit{Left: 2500, Set: true}},
		Classes: []device.ContainerClass{device.App},
		Granted: make([]device.Grant, 2, 4), // with room for what must not be written there
	}
	copy(c.Fit.Granted, []device.Grant{{Device: 0, Memory: 2000}, {Device: 1, Memory: 1000}})
	inQuota := device.NewTable([]device.Rule{{Check: device.InQuota}})
	if inQuota.Broken(c) != 0 {
		t.Error("without chooser all granted devices count")
	}
	before := []device.Grant{{Device: 0, Memory: 2000}, {Device: 1, Memory: 1000}, {}}
	c.Fit.Plan.Choose = func(*device.ContainerFit, *device.Reasons) []int { return nil }
	if inQuota.Broken(c) != -1 {
		t.Error("with a chooser the cheapest one counts")
	}
	if diff := cmp.Diff(before, c.Fit.Granted[:3]); diff != "" {
		t.Errorf("what was granted was changed:\n%s", diff)
	}
	c.Fit.Plan.Book = func(c *device.Candidate) bool { c.BookAs(device.Grant{Memory: 1501, Cores: 0}); return true }
	if inQuota.Broken(c) != 0 {
		t.Error("N4: what would be booked counts, not what is asked for")
	}
	c.Fit.Plan.QuotaAsAsked, c.Fit.Plan.Ask.Memory = true, 1250
	if inQuota.Broken(c) != -1 {
		t.Error("quirk QuotaByRequest: what is asked for counts, on every device")
	}
}

func TestHeadroom(t *testing.T) {
	limit := func(n int64) device.Limit { return device.Limit{Left: n, Set: true} }
	for _, test := range []struct {
		room          device.Headroom
		memory, cores int64
		want, limited bool
	}{
		{device.Headroom{}, 1 << 40, 1 << 40, true, false},
		{device.Headroom{Memory: limit(10)}, 10, 99, true, true},
		{device.Headroom{Memory: limit(10)}, 11, 0, false, true},
		{device.Headroom{Cores: limit(10)}, 99, 11, false, true},
		{device.Headroom{Memory: limit(-1)}, 0, 0, false, true},
		{device.Headroom{Memory: device.Limit{Left: 10}}, 11, 0, true, false},
	} {
		if got := test.room.Allows(test.memory, test.cores); got != test.want || test.room.Limited() != test.limited {
			t.Errorf("%+v allows %d/%d: %t, limited: %t", test.room, test.memory, test.cores, got, test.room.Limited())
		}
	}
}

func TestTableAllocatesNothing(t *testing.T) {
	serves, refused := candidate(nil), candidate(func(_ *device.DeviceInfo, u *device.DeviceUsage, _ *device.Candidate) { u.Cores = 100 })
	serves.Fit.Quota = &device.Headroom{} // a namespace without limits
	sum := 0
	for name, c := range map[string]*device.Candidate{"serves": serves, "refused": refused} {
		if n := testing.AllocsPerRun(100, func() { sum += sharedRules.Broken(c) }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
	if sum == 0 {
		t.Error("nothing was evaluated")
	}
}

// The same checks in two other forms, for comparison: as functions, and as plain code.
var functionRules = [device.CanBook]func(c *device.Candidate) bool{
	device.IsHealthy:   func(c *device.Candidate) bool { return c.Usage.Healthy },
	device.NotCordoned: func(c *device.Candidate) bool { return !c.Info().Cordoned },
	device.HasSlot:     func(c *device.Candidate) bool { return c.Usage.Slots < c.Info().Slots },
	device.IsIdle:      func(c *device.Candidate) bool { return c.Usage.Slots == 0 },
	device.InQuota:     func(c *device.Candidate) bool { return c.Fit.Quota == nil },
	device.HasMemory:   func(c *device.Candidate) bool { return c.Info().Memory-c.Usage.Memory >= c.Memory },
	device.HasCores:    func(c *device.Candidate) bool { return c.Info().Cores-c.Usage.Cores >= c.Cores },
	device.WholeIsIdle: func(c *device.Candidate) bool {
		return c.Info().Cores != 100 || c.Cores != 100 || c.Usage.Slots == 0
	},
	device.HasCompute: func(c *device.Candidate) bool {
		return c.Info().Cores == 0 || c.Usage.Cores != c.Info().Cores || c.Cores != 0
	},
}

// functionTable is sharedRules as functions.
var functionTable = func() []func(c *device.Candidate) bool {
	var out []func(c *device.Candidate) bool
	for _, rule := range sharedRules.Rules() {
		out = append(out, functionRules[rule.Check])
	}
	return out
}()

func brokenFunction(c *device.Candidate) int {
	for i := range functionTable {
		if !functionTable[i](c) {
			return i
		}
	}
	return -1
}

func brokenPlain(c *device.Candidate) int {
	info, use := c.Info(), c.Usage
	switch {
	case !use.Healthy:
		return 0
	case info.Cordoned:
		return 1
	case use.Slots >= info.Slots:
		return 2
	case c.Fit.Quota != nil:
		return 3
	case info.Memory-use.Memory < c.Memory:
		return 4
	case info.Cores-use.Cores < c.Cores:
		return 5
	case info.Cores == 100 && c.Cores == 100 && use.Slots > 0:
		return 6
	case info.Cores != 0 && use.Cores == info.Cores && c.Cores == 0:
		return 7
	}
	return -1
}

var ruleForms = []struct {
	name   string
	broken func(c *device.Candidate) int
}{
	{"table", func(c *device.Candidate) int { return sharedRules.Broken(c) }},
	{"functions", brokenFunction},
	{"plain", brokenPlain},
}

// eightDevices are candidates of which half serve and the others break one rule each.
func eightDevices() []*device.Candidate {
	var out []*device.Candidate
	for i := range 8 {
		out = append(out, candidate(func(d *device.DeviceInfo, u *device.DeviceUsage, _ *device.Candidate) {
			switch i {
			case 1:
				u.Slots = d.Slots
			case 3:
				u.Memory = d.Memory
			case 5:
				u.Cores = d.Cores
			case 7:
				d.Cordoned = true
			}
		}))
	}
	return out
}

func TestRuleFormsAgree(t *testing.T) {
	want := []int{-1, 2, -1, 4, -1, 5, -1, 1}
	for _, form := range ruleForms {
		var got []int
		for _, c := range eightDevices() {
			got = append(got, form.broken(c))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s:\n%s", form.name, diff)
		}
	}
}

// BenchmarkRules is why shared checks are numbers: a table of them against a table of functions, and against comparisons
// written out, on eight devices.
func BenchmarkRules(b *testing.B) {
	devices := eightDevices()
	for _, form := range ruleForms {
		b.Run(fmt.Sprintf("%s/%d", form.name, len(devices)), func(b *testing.B) {
			b.ReportAllocs()
			sum := 0
			for b.Loop() {
				for _, c := range devices {
					sum += form.broken(c)
				}
			}
			if sum == 0 {
				b.Fatal("nothing was evaluated")
			}
		})
	}
}

// TestMemoryBeyond32Bits: a device that no registration can carry is judged by its exact amounts.
func TestMemoryBeyond32Bits(t *testing.T) {
	table := device.NewTable([]device.Rule{{Code: device.CardInsufficientMemory, Check: device.HasMemory}})
	for _, test := range []struct {
		taken, asked int64
		broken       int
	}{{0, 1 << 33, -1}, {1, 1 << 33, 0}, {1 << 32, 1 << 32, -1}, {1<<32 + 1, 1 << 32, 0}} {
		c := candidate(func(d *device.DeviceInfo, u *device.DeviceUsage, c *device.Candidate) {
			d.Memory, u.Memory, c.Memory = 1<<33, test.taken, test.asked
		})
		if got := table.Broken(c); got != test.broken {
			t.Errorf("%d of 2^33 taken, %d asked: rule %d is broken, want %d", test.taken, test.asked, got, test.broken)
		}
	}
}
