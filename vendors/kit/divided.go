package kit

import (
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
)

// Divided is what a model reads of nodes and writes on them where the node agent divides the cards: it tells of them as the
// capacity of a core resource, of which every card has the same number, and of a memory resource, spread over the cards by their
// cores. What is left of the cores is one more, smaller card, the last (deviations cD6, mD6). A model embeds it.
type Divided struct {
	vendor device.Vendor
	names  device.Names
	card   Card
}

// Card is a card that a node agent divides. Card i of node n1 has the id "n1-<Word>-i".
type Card struct {
	Word  string
	Unit  int64 // MiB of one unit of memory
	Cores int64
	Slots int64 // tasks that may share it
}

// NewDivided makes it for the resources of names. Of the count resource a node offers as many as it has cores; it is not read.
func NewDivided(v device.Vendor, names device.Names, card Card) Divided {
	return Divided{v, names, card}
}

var errMemory = errors.New("gives the cards no memory")

// Inventory implements [device.Backend]: the capacity. Cards without memory, which is also what a capacity that is no whole
// number means, cards with more memory than the wire formats can carry, and more than [device.MaxDevices] cards are an error.
func (d *Divided) Inventory(node *corev1.Node) device.Inventory {
	inv := device.Inventory{Vendor: d.vendor}
	cores, _ := device.Capacity(node, d.names.Cores)
	if cores <= 0 {
		inv.Err = noCapacity(d.names.Cores)
		return inv
	}
	if n := (cores-1)/d.card.Cores + 1; n > device.MaxDevices {
		inv.Err = capacityError(d.names.Cores, fmt.Errorf("%d cards, more than %d", n, device.MaxDevices))
		return inv
	}
	units, _ := device.Capacity(node, d.names.Memory)
	cards := d.cards(node.Name, cores, device.Product(max(0, units), d.card.Unit))
	switch most := cards[0].Memory; {
	case most == 0:
		inv.Err = capacityError(d.names.Memory, errMemory)
		return inv
	case most > device.MaxAmount:
		inv.Err = capacityError(d.names.Memory, fmt.Errorf("more than %d MiB on a card", device.MaxAmount))
		return inv
	}
	inv.Devices = cards
	return inv
}

// cards spreads memory and cores over cards; the first has the most of both.
func (d *Divided) cards(node string, cores, memory int64) []device.DeviceInfo {
	var out []device.DeviceInfo
	for i := 0; int64(i)*d.card.Cores < cores; i++ {
		of := min(d.card.Cores, cores-int64(i)*d.card.Cores)
		out = append(out, device.DeviceInfo{
			ID: d.DeviceID(node, i), Vendor: d.vendor, Index: i, Type: string(d.vendor),
			Slots: d.card.Slots, Memory: device.Product(memory, of) / cores, Cores: of, Healthy: true,
		})
	}
	return out
}

// DeviceID implements [device.Identifier].
func (d *Divided) DeviceID(node string, index int) string {
	return NumberedID(node, d.card.Word, index)
}

// Describe implements [device.Backend]: the capacity from which the same cards are read. The error names a card and the field
// that it cannot tell of.
func (d *Divided) Describe(node *corev1.Node, devices []device.DeviceInfo) error {
	cores, units, err := d.capacity(devices)
	if err != nil {
		return err
	}
	device.Offer(node, d.names.Cores, cores)
	device.Offer(node, d.names.Memory, units)
	device.Offer(node, d.names.Count, cores)
	return ReadsBack(d, node, devices)
}

// capacity returns the cores of all devices, and the fewest units of memory with which none has less than it should.
func (d *Divided) capacity(devices []device.DeviceInfo) (cores, units int64, err error) {
	per := d.card.Cores
	for i := range devices {
		of, last := devices[i].Cores, i+1 == len(devices)
		if of != per && !(last && of > 0 && of < per) {
			return 0, 0, fmt.Errorf("device %s: cores: %d, but every card has %d, and only the last may have less", devices[i].ID, of, per)
		}
		cores += of
	}
	for i := range devices {
		all := device.Product(max(0, devices[i].Memory), cores)
		each := d.card.Unit * devices[i].Cores
		units = max(units, all/each+min(1, all%each))
	}
	return cores, units, nil
}

// Health implements [device.Backend]: what the node says counts.
func (d *Divided) Health(device.HealthInput) device.HealthAnswer { return Trusted() }
