package vectors

import (
	"encoding/json"
	"math"
	"slices"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/score"
	"github.com/accelfit/accelfit/vendors/vastai"
)

func vastaiDeviations() []Deviation {
	return []Deviation{{"vD2", unreadCards}}
}

// unreadCards: where a node has more dies to offer than are wanted, the reference drops those whose card is no text, and gives
// fewer than that leaves, or others; nor do they count in its scores (vD2).
func unreadCards(s *Situation, d *Difference) bool {
	if s.Request == nil || s.Node == nil || !s.Verdict.Fit {
		return false
	}
	fit := s.Set.Fit(s.Request, s.Node)
	if !fit.OK() {
		return false
	}
	recorded, ours := s.Verdict.Alloc["Vastai"], allocOf(s.Set, s.Node.Info(), fit.Allocation)["Vastai"]
	switch {
	case len(ours) == 0:
		return false
	case d.Kind == "alloc" || d.Kind == "annotations":
		return dropsUnread(s.Node.Info(), recorded, ours)
	case d.Kind == "score":
		var want float64
		err := json.Unmarshal([]byte(d.Want), &want)
		bonus := textBonus(s.Node.Info(), recorded)
		return err == nil && math.Abs(want-float64(score.Node(s.Node, bonus))) < 1e-6 && !bonusUnderSpread(s, d)
	}
	return false
}

// dropsUnread says whether the lists differ, and each that does has only dies of cards that are texts where ours has another.
func dropsUnread(node *device.NodeInfo, recorded, ours [][]Device) bool {
	differ := false
	for i := range ours {
		if i >= len(recorded) || jsonText(recorded[i]) == jsonText(ours[i]) {
			continue
		}
		differ = true
		unread := func(d Device) bool { _, text := textCard(node, d.UUID); return !text }
		if len(recorded[i]) > len(ours[i]) || slices.ContainsFunc(recorded[i], unread) || !slices.ContainsFunc(ours[i], unread) {
			return false
		}
	}
	return differ
}

func textCard(node *device.NodeInfo, id string) (card string, text bool) {
	if i := node.Find(vastai.Vendor, id); i >= 0 {
		text = json.Unmarshal(node.Device(i).CustomInfo["AIC"], &card) == nil
	}
	return card, text
}

// textBonus is what the reference adds to the score of a node (spec vastai §11).
func textBonus(node *device.NodeInfo, alloc [][]Device) float32 {
	var sum float32
	for _, list := range alloc {
		dies, most, all := map[string]int{}, 0, 0
		for _, d := range list {
			i := node.Find(vastai.Vendor, d.UUID)
			if i < 0 {
				return 0
			}
			info := node.Device(i).CustomInfo
			if _, named := info["AIC"]; !named || string(info["DeviceStrategy"]) != `"die"` && info["DeviceStrategy"] != nil {
				return 0
			}
			if card, text := textCard(node, d.UUID); text {
				dies[card]++
				most, all = max(most, dies[card]), all+1
			}
		}
		if all > 0 {
			sum += float32(most) / float32(all)
		}
	}
	return sum
}
