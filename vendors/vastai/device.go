package vastai

import (
	"encoding/json"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// cores is what every device has, whatever it registers (spec vastai §5).
const cores = 100

// inventory is what nodes tell of devices: the registration annotation (spec vastai §5). Entries that cannot be used are dropped
// and reported (deviation vD7). Health is the handshake (§13, vD8).
type inventory = kit.Registered

func newInventory(names device.Names) inventory {
	return kit.NewRegistered(Vendor, names, kit.Form{Complete: func(d *device.DeviceInfo) { d.Cores = cores }})
}

// Inventory implements [device.Backend]: the devices, and which of them are on one card.
func (b *Backend) Inventory(node *corev1.Node) device.Inventory {
	inv := b.inventory.Inventory(node)
	inv.Extra = newCards(inv.Devices)
	return inv
}

// Custom info of a device.
const (
	customStrategy = "DeviceStrategy" // "die": the device is a die
	customCard     = "AIC"            // the card of a die: a text or a number
	strategyDie    = "die"
)

// cards tells which of a node's devices are on one card. Inventory.Extra points to it; it is immutable.
type cards struct {
	dieMode bool
	dies    []die // of each of the vendor's devices
	n       int   // cards
}

// die is what a device's custom info says.
type die struct {
	card   int  // number of the card; a device that names none is a card of its own (deviation vD2)
	counts bool // names a card, so that it counts in node scores
	spoils bool // a grant of it leaves the node without a bonus (spec vastai §11)
}

func newCards(devices []device.DeviceInfo) *cards {
	c := &cards{dies: make([]die, len(devices))}
	numbers := map[string]int{}
	lowest := 0
	for i := range devices {
		if devices[i].Index < devices[lowest].Index {
			lowest = i
		}
		c.dies[i] = c.die(&devices[i], numbers)
	}
	if len(devices) > 0 { // deviation vD3
		strategy, isText := text(devices[lowest].CustomInfo[customStrategy])
		c.dieMode = isText && strategy == strategyDie
	}
	return c
}

func (c *cards) die(d *device.DeviceInfo, numbers map[string]int) die {
	strategy, isText := text(d.CustomInfo[customStrategy])
	aic, named := d.CustomInfo[customCard]
	out := die{card: c.n, spoils: !named || isText && strategy != strategyDie}
	name, ok := cardName(aic)
	if ok {
		out.counts = true
		if number, seen := numbers[name]; seen {
			out.card = number
			return out
		}
		numbers[name] = c.n
	}
	c.n++
	return out
}

// cardName is the text of an AIC, for a number in decimals (deviation vD2).
func cardName(value json.RawMessage) (string, bool) {
	if name, ok := text(value); ok {
		return name, true
	}
	var number *float64
	if json.Unmarshal(value, &number) != nil || number == nil {
		return "", false
	}
	return strconv.FormatFloat(*number, 'f', -1, 64), true
}

func text(value json.RawMessage) (string, bool) {
	var s *string
	if len(value) == 0 || json.Unmarshal(value, &s) != nil || s == nil {
		return "", false
	}
	return *s, true
}

// cardsOf returns the cards of a node and the position of its first device; nil where nothing is known of them.
func cardsOf(node *device.NodeInfo) (c *cards, from int) {
	c, _ = node.Extra(Vendor).(*cards)
	from, to := node.Range(Vendor)
	if c != nil && len(c.dies) != to-from { // the caller has put other devices in
		c = nil
	}
	return c, from
}
