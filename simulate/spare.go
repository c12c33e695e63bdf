package simulate

import "github.com/accelfit/accelfit/device"

// Spare is what the devices of one vendor on new nodes offer, and what of it no pod takes, those of the template counted.
type Spare struct {
	Vendor device.Vendor
	Slots  Amount // tasks
	Memory Amount // MiB

	// Cores are in the unit that quotas count in: percent of a card for most vendors, the number of cores where devices are
	// booked by masks.
	Cores Amount
}

// Amount is how much there is of something, and how much of it is left.
type Amount struct {
	Have, Left int64
}

// Waste is the share that is left, 0 to 1; 0 of nothing.
func (a Amount) Waste() float64 {
	if a.Have <= 0 {
		return 0
	}
	return float64(a.Left) / float64(a.Have)
}

func (a *Amount) add(have, used int64) {
	a.Have = device.Sum(a.Have, max(0, have))
	a.Left = device.Sum(a.Left, max(0, have-used))
}

// spare adds up the new nodes.
func (k *packing) spare() []Spare {
	info := k.mould.info()
	var out []Spare
	for _, v := range info.Vendors() {
		s := Spare{Vendor: v}
		charger, _ := k.set.Backend(v).(device.Charger)
		from, to := info.Range(v)
		for i := range len(k.nodes) - 1 {
			u := k.nodes[i].level.usage
			for at := from; at < to; at++ {
				s.count(info.Device(at), u.Device(at), charger)
			}
		}
		if len(k.nodes) > 1 {
			out = append(out, s)
		}
	}
	return out
}

func (s *Spare) count(d *device.DeviceInfo, u *device.DeviceUsage, charger device.Charger) {
	have, used := d.Cores, u.Cores
	if charger != nil {
		_, have = charger.Charge(d, d.Memory, have)
		_, used = charger.Charge(d, u.Memory, used)
	}
	s.Slots.add(d.Slots, u.Slots)
	s.Memory.add(d.Memory, u.Memory)
	s.Cores.add(have, used)
}
