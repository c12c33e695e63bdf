package devicetest

import (
	"fmt"

	"github.com/accelfit/accelfit/device"
)

// fill is how many copies of a pod are placed on a node.
const fill = 64

func overCommit(x *exam, c *Case) error {
	s := c.play(x.set)
	if err := x.within(nil, s.usage); err != nil {
		return err
	}
	if s.err != nil {
		return nil
	}
	u := s.usage
	for range fill {
		fit := x.set.Fit(s.request, u)
		if !fit.OK() || len(fit.Allocation.Devices) == 0 {
			return nil
		}
		if err := x.granted(s, u, fit.Allocation); err != nil {
			return err
		}
		u = u.With(fit.Allocation)
		if err := x.within(nil, u); err != nil {
			return err
		}
	}
	return nil
}

// givenIsThere is the law no over-commit where the input is hostile.
func givenIsThere(x *exam, s *struck) error {
	if !s.fits() {
		return nil
	}
	asked := *s.scene
	if s.quirks&(device.QuotaByRequest|device.QuotaAtAdmission) != 0 {
		asked.Quota = device.Headroom{} // not checked with what is booked
	}
	if err := x.granted(&asked, s.usage, s.fit.Allocation); err != nil {
		return err
	}
	if s.quirks.Has(device.MIGSlotsUnchecked) {
		return nil
	}
	return x.within(s.usage, s.usage.With(s.fit.Allocation))
}

// granted checks that containers are given as many devices as they ask for, each of them there and taking new work, within the
// quota, and instances that are free.
func (x *exam) granted(s *scene, u *device.NodeUsage, a *device.Allocation) error {
	type key struct {
		container int
		id        string
	}
	given, number := map[key]bool{}, map[int]int64{}
	for _, d := range a.Devices {
		if err := usable(u, &d); err != nil {
			return err
		}
		k := key{d.Container, d.ID}
		if given[k] && d.MIG.IsZero() {
			return fmt.Errorf("container %d is given device %s twice", d.Container, d.ID)
		}
		given[k] = true
		number[d.Container]++
	}
	for position, asks := range s.request.Containers() {
		for _, ask := range asks {
			if ask.CoresInAll == 0 && number[position] != ask.Nums {
				return fmt.Errorf("container %d asks for %d devices and is given %d", position, ask.Nums, number[position])
			}
			if err := x.enough(position, &ask, u, a); err != nil {
				return err
			}
		}
	}
	if err := apart(u, a); err != nil {
		return err
	}
	return x.inQuota(s, a)
}

// apart checks that no instance lies on one in use, or on one of a container that runs at the same time: all but the init
// containers that have ended.
func apart(u *device.NodeUsage, a *device.Allocation) error {
	for k, d := range a.Devices {
		if d.MIG.IsZero() {
			continue
		}
		if use := u.Device(u.Info().Find(d.Vendor, d.ID)); !use.MIG().Free(d.MIG.Placement) {
			return fmt.Errorf("container %d is given instance %+v of device %s, on which %+v are", d.Container, d.MIG, d.ID, use.MIG())
		}
		for _, e := range a.Devices[:k] {
			ended := e.Container < d.Container && a.Classes[e.Container] == device.Init
			if e.ID == d.ID && !ended && e.MIG.Placement.Overlaps(d.MIG.Placement) {
				return fmt.Errorf("containers %d and %d are given instances of device %s that lie on each other: %+v and %+v", e.Container, d.Container, d.ID, e.MIG, d.MIG)
			}
		}
	}
	return nil
}

// usable checks that a device that is given out is on the node and takes new work.
func usable(u *device.NodeUsage, d *device.ContainerDevice) error {
	i := u.Info().Find(d.Vendor, d.ID)
	if i < 0 {
		return fmt.Errorf("container %d is given device %s, which the node does not have", d.Container, d.ID)
	}
	info, use := u.Info().Device(i), u.Device(i)
	switch {
	case d.Memory < 0 || d.Cores < 0:
		return fmt.Errorf("container %d is given %d MiB and %d cores", d.Container, d.Memory, d.Cores)
	case info.Cordoned:
		return fmt.Errorf("container %d is given device %s, which is cordoned", d.Container, d.ID)
	case !use.Healthy:
		return fmt.Errorf("container %d is given device %s, which takes no new work", d.Container, d.ID)
	case d.Index != info.Index:
		return fmt.Errorf("container %d is given device %s as number %d, which is number %d", d.Container, d.ID, d.Index, info.Index)
	}
	return nil
}

// enough checks that no less memory is booked than was asked for in MiB, or than the device has: the amount that stands for a whole
// card is more than all of a smaller one.
func (x *exam) enough(position int, ask *device.ContainerRequest, u *device.NodeUsage, a *device.Allocation) error {
	if _, unlimited := x.Claims.Unlimited[device.MiB]; unlimited {
		return nil
	}
	for _, d := range a.Devices {
		if d.Container == position && d.Memory < min(ask.Memory, u.Info().Device(u.Info().Find(d.Vendor, d.ID)).Memory) {
			return fmt.Errorf("container %d asks for %d MiB and is given %d MiB of device %s", position, ask.Memory, d.Memory, d.ID)
		}
	}
	return nil
}

func (x *exam) inQuota(s *scene, a *device.Allocation) error {
	if _, other := x.Backend.(device.Charger); other {
		return nil
	}
	var memory, cores int64
	for _, h := range a.Collapse() {
		memory, cores = device.Sum(memory, h.Memory), device.Sum(cores, h.Cores)
	}
	if !s.Quota.Allows(memory, cores) {
		return fmt.Errorf("the pod is given %d MiB and %d cores, more than its quota has left", memory, cores)
	}
	return nil
}

// within checks that no device has more taken of it than it has, or had before; nil: nothing.
func (x *exam) within(before, u *device.NodeUsage) error {
	for i, use := range u.Devices() {
		d, had := u.Info().Device(i), device.DeviceUsage{}
		if before != nil {
			had = *before.Device(i)
		}
		mig := d.Mode == device.ModeMIG
		for _, part := range []struct {
			unit            device.Unit
			taken, has, had int64
			counts          bool
		}{
			{device.Slots, use.Slots, d.Slots, had.Slots, true},
			{device.MiB, use.Memory, d.Memory, had.Memory, !mig},
			{device.Cores, use.Cores, d.Cores, had.Cores, !mig},
		} {
			if _, unlimited := x.Claims.Unlimited[part.unit]; part.counts && !unlimited && part.taken > max(part.has, part.had) {
				return fmt.Errorf("%d %s of device %s are taken, and it has %d", part.taken, amountNames[part.unit], d.ID, part.has)
			}
		}
	}
	return nil
}
