package mthreads

import (
	"slices"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// phase is what the containers of one phase of a pod ask, from the container at hand on.
type phase struct {
	asks  []device.ContainerRequest
	begun bool // earlier containers of the phase ask as well
	other bool // containers of the other phase ask as well
	adds  bool // the containers run at the same time

	takes  amounts
	mutex  bool
	checks device.Table // see fits
}

func phaseOf(pod *device.PodContext, takes amounts) *phase {
	p := &phase{takes: takes, mutex: pod.Policy.Mutex, adds: classOf(pod, pod.Container) != device.Init}
	for i, ask := range pod.Asks {
		switch {
		case ask.Nums == 0:
		case !together(classOf(pod, i), classOf(pod, pod.Container)):
			p.other = true
		case i < pod.Container:
			p.begun = true
		default:
			p.asks = append(p.asks, ask)
		}
	}
	return p
}

func classOf(pod *device.PodContext, container int) device.ContainerClass {
	if container < len(pod.Classes) {
		return pod.Classes[container]
	}
	return device.App // of a context without containers
}

// chooser picks the cards of the container that begins a phase; nil: the first visited serve. Where a container of several
// wants more than one card, the phase fits nowhere, and the reason is the reference's.
func (p *phase) chooser() device.Chooser {
	several := len(p.asks) > 1
	switch {
	case p.begun, several && slices.ContainsFunc(p.asks, func(a device.ContainerRequest) bool { return a.Nums > 1 }):
		return nil
	case several:
		var checks kit.Rules
		checks.Add(kit.Slot())
		checks.When(p.mutex, kit.Idle())
		checks.Add(kit.Memory())
		checks.Add(kit.Cores())
		checks.Add(kit.Compute())
		p.checks = checks.Table()
		return p.forAll
	case p.other:
		return p.whereOthersAre
	}
	return nil
}

// forAll picks the first visited card that has room for all containers of the phase (deviation mD5), and of those rather the
// card of the other phase (mD12). If there is none, the first visited serves, as in the reference: a later container then
// tells why the pod does not fit.
func (p *phase) forAll(f *device.ContainerFit, _ *device.Reasons) []int {
	if len(f.Granted) == 0 {
		return nil
	}
	picked, found := f.Ints(1), false
	c := device.Candidate{Usage: new(device.DeviceUsage), Fit: f}
	for at := range f.Granted {
		c.Device = f.Granted[at].Device
		held := holds(f, c.Device)
		if found && !held || !p.fits(&c) {
			continue
		}
		picked[0], found = at, true
		if held {
			break
		}
	}
	return picked
}

// fits says whether all containers of the phase find room on a card that the first may have: they would pass the checks on
// which one can depend on another.
func (p *phase) fits(c *device.Candidate) bool {
	f, info := c.Fit, c.Info()
	*c.Usage = f.Usage[c.Device]
	var grants []device.Grant
	for i := range p.asks {
		c.Memory, c.Cores = p.takes(&p.asks[i], info)
		c.Room = device.RoomOf(info, c.Usage)
		if p.checks.Broken(c) >= 0 {
			return false
		}
		if f.Quota != nil {
			grants = append(grants, c.Grant())
		}
		if p.adds {
			c.Usage.Take(device.Hold{Slots: 1, Memory: c.Memory, Cores: c.Cores})
		}
	}
	return f.WithinQuota(grants...)
}

// holds says whether earlier containers of the pod took a card.
func holds(f *device.ContainerFit, card int) bool {
	id := f.Node.Device(card).ID
	return slices.ContainsFunc(f.Taken, func(d device.ContainerDevice) bool { return d.Vendor == Vendor && d.ID == id })
}

// whereOthersAre picks the cards that the other phase is on, then the first visited (deviation mD12). If the quota does not
// allow them, the first visited serve: they were checked together.
func (p *phase) whereOthersAre(f *device.ContainerFit, why *device.Reasons) []int {
	n := int(f.Nums)
	if len(f.Granted) < n {
		f.TooFew(why)
		return nil
	}
	picked := f.Ints(n)[:0]
	for _, wanted := range []bool{true, false} {
		for at := range f.Granted {
			if len(picked) < n && holds(f, f.Granted[at].Device) == wanted {
				picked = append(picked, at)
			}
		}
	}
	slices.Sort(picked)
	if !kit.WithinQuota(f, picked) {
		return kit.InOrder(f, n)
	}
	return picked
}
