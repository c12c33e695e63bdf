package cambricon

import (
	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

const (
	block = 256 // MiB of one unit of memory
	cores = 100 // of a card
	slots = 100 // of a card
)

// inventory is what nodes tell of cards: their capacity (spec cambricon §5). The last card is what remains (deviation cD6); cards
// without memory or beyond 32 bits are errors (cD5, cD7). Cards whose capacity is gone are gone (§13, cD8).
type inventory = kit.Divided

func newInventory(names device.Names) inventory {
	return kit.NewDivided(Vendor, names, kit.Card{Word: "cambricon-mlu", Unit: block, Cores: cores, Slots: slots})
}
