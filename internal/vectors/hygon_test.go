package vectors

import (
	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/hygon"
)

func hygonDeviations() []Deviation {
	return []Deviation{
		{"hD10", scoredByType(isHygon)},
		{"hD17", zeroIndex},
	}
}

func isHygon(_ *Situation, v device.Vendor) bool { return v == hygon.Vendor }

// zeroIndex: a record without index has 0, in accelfit its place (hD17). Where the order of cards goes by their indexes, cards
// with those of the record, scored by type as in hD10, make us decide as recorded.
func zeroIndex(s *Situation, d *Difference) bool {
	if d.Kind == "registered" {
		want, got := parseRegistered(d.Want), parseRegistered(d.Got)
		if d.Vendor != hygon.Vendor || len(want) != len(got) {
			return false
		}
		for i := range want {
			if want[i].Index == 0 {
				want[i].Index = got[i].Index
			}
		}
		return jsonText(want) == d.Got
	}
	if scoredByType(isHygon)(s, d) {
		return false
	}
	index := map[string]int{}
	for _, r := range s.run.recorded[d.Node][string(hygon.Vendor)] {
		index[r.ID] = int(r.Index)
	}
	return s.onOtherCards(d, func(info *device.DeviceInfo) {
		if info.Vendor == hygon.Vendor {
			info.ScoredAs, info.Index = "", index[info.ID]
		}
	})
}
