package vectors

import "github.com/accelfit/accelfit/device"

// words says whether a vendor word is one of those that a deviation concerns.
type words func(s *Situation, v device.Vendor) bool

// scoredByType: what a container asks counts in the score of a card only where the card's type is the vendor word. With cards
// that are scored so we decide as recorded.
func scoredByType(ours words) func(*Situation, *Difference) bool {
	return func(s *Situation, d *Difference) bool {
		return s.onOtherCards(d, func(info *device.DeviceInfo) {
			if ours(s, info.Vendor) {
				info.ScoredAs = ""
			}
		})
	}
}

// onOtherCards says whether it is for a difference between the cards as we read them and as the reference does that we decide
// otherwise: with the change we decide as recorded. Deviations that explain a difference alone go first.
func (s *Situation) onOtherCards(d *Difference, change func(*device.DeviceInfo)) bool {
	switch d.Kind {
	case "fit", "reason", "score", "alloc", "annotations":
	default:
		return false
	}
	if s.Request == nil || s.Node == nil || s.recordedBy(d, s.Set, s.Request) || foreignType(s, d) || unstableSort(s, d) {
		return false
	}
	info := s.Node.Info()
	var inventories []device.Inventory
	for _, v := range info.Described() {
		inv := info.Inventory(v)
		for i := range inv.Devices {
			change(&inv.Devices[i])
		}
		inventories = append(inventories, inv)
	}
	at := *s
	at.Node = s.run.usageWith(d.Node, device.NewNodeInfo(d.Node, inventories...))
	if at.recordedBy(d, s.Set, s.Request) {
		return true
	}
	free := s.Request.WithQuota(nil) // in the fit the reference heeds no quota of these vendors (D30)
	return s.Quota && !s.recordedBy(d, s.Set, free) && at.recordedBy(d, s.Set, free)
}
