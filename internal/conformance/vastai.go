package conformance

import (
	"encoding/json"
	"strconv"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/device/devicetest"
	"github.com/accelfit/accelfit/vendors/vastai"
)

// Vastai is the harness of Vastai accelerators: whole ones, dies of cards that name their card by a text, by a number or not at
// all, and dies for two tasks.
func Vastai() devicetest.Harness {
	h := Usual(vastai.Vendor)
	h.Nodes = append(h.Nodes, changed(&h, crowded),
		changed(&h, func(i int, d *device.DeviceInfo) { die(d, strconv.Quote("card-"+strconv.Itoa(i%3))) }),
		changed(&h, func(i int, d *device.DeviceInfo) {
			crowded(i, d)
			if i < 6 {
				die(d, strconv.Itoa(i/2))
			}
		}),
	)
	h.Pods = append(h.Pods, Pod(Limits{h.Backend.Names().Count: 3}))
	h.Pods = append(h.Pods, listed(&h, vastai.AnnotationUseUUID, vastai.AnnotationNoUseUUID)...)
	h.Claims = devicetest.Claims{
		Policies: []string{"binpack", "mutex", "numa"},
		Codes:    []device.Code{device.AllocatedCardsInsufficientRequest},
	}
	return h
}

// die makes a device a die of a card.
func die(d *device.DeviceInfo, card string) {
	d.CustomInfo = map[string]json.RawMessage{"DeviceStrategy": json.RawMessage(`"die"`), "AIC": json.RawMessage(card)}
}
