package kit

import (
	"errors"
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
)

// Divided is how a vendor's node agent tells of cards that it divides: as the capacity of a core resource, of which every
// card has the same number, and of a memory resource, spread over the cards by their cores. What is left of the cores is one
// more, smaller card, the last (deviations cD6, mD6). The card i of node n1 has the id "n1-<Word>-i".
type Divided struct {
	Vendor device.Vendor
	Count  string // resource: cards to ask for; it is described and never read
	Memory string // resource
	Cores  string // resource

	Unit    int64 // MiB of one unit of memory
	PerCard int64 // cores of a card
	Slots   int64 // tasks that may share a card
	Word    string
}

var errMemory = errors.New("gives the cards no memory")

// Inventory reads the cards of a node. Cards without memory, which is also what a capacity that is no whole number means, cards
// with more memory than the wire formats can carry, and more than [device.MaxDevices] cards are an error.
func (d *Divided) Inventory(node *corev1.Node) device.Inventory {
	inv := device.Inventory{Vendor: d.Vendor}
	cores, _ := device.Capacity(node, d.Cores)
	if cores <= 0 {
		inv.Err = fmt.Errorf("%w: device not found %s", device.ErrNoDescription, d.Cores)
		return inv
	}
	if n := (cores-1)/d.PerCard + 1; n > device.MaxDevices {
		inv.Err = capacityError(d.Cores, fmt.Errorf("%d cards, more than %d", n, device.MaxDevices))
		return inv
	}
	units, _ := device.Capacity(node, d.Memory)
	cards := d.cards(node.Name, cores, device.Product(max(0, units), d.Unit))
	switch most := cards[0].Memory; {
	case most == 0:
		inv.Err = capacityError(d.Memory, errMemory)
		return inv
	case most > device.MaxAmount:
		inv.Err = capacityError(d.Memory, fmt.Errorf("more than %d MiB on a card", device.MaxAmount))
		return inv
	}
	inv.Devices = cards
	return inv
}

func capacityError(resource string, err error) error {
	return &device.DecodeError{Key: "capacity " + resource, Err: err}
}

// cards spreads memory and cores over cards; the first has the most of both.
func (d *Divided) cards(node string, cores, memory int64) []device.DeviceInfo {
	var out []device.DeviceInfo
	for i := 0; int64(i)*d.PerCard < cores; i++ {
		of := min(d.PerCard, cores-int64(i)*d.PerCard)
		out = append(out, device.DeviceInfo{
			ID: node + "-" + d.Word + "-" + strconv.Itoa(i), Vendor: d.Vendor, Index: i, Type: string(d.Vendor),
			Slots: d.Slots, Memory: device.Product(memory, of) / cores, Cores: of, Healthy: true,
		})
	}
	return out
}

// Describe writes the capacity that the backend reads the same cards from; the error names a card and the field that it cannot
// tell of. Of the count resource a card offers as many as it has cores.
func (d *Divided) Describe(b device.Backend, node *corev1.Node, devices []device.DeviceInfo) error {
	cores, units, err := d.capacity(devices)
	if err != nil {
		return err
	}
	device.Offer(node, d.Cores, cores)
	device.Offer(node, d.Memory, units)
	device.Offer(node, d.Count, cores)
	return ReadsBack(b, node, devices)
}

// capacity returns the cores of all devices, and the fewest units of memory with which none has less than it should.
func (d *Divided) capacity(devices []device.DeviceInfo) (cores, units int64, err error) {
	for i := range devices {
		of, last := devices[i].Cores, i+1 == len(devices)
		if of != d.PerCard && !(last && of > 0 && of < d.PerCard) {
			return 0, 0, fmt.Errorf("device %s: cores: %d, but every card has %d, and only the last may have less", devices[i].ID, of, d.PerCard)
		}
		cores += of
	}
	for i := range devices {
		all := device.Product(max(0, devices[i].Memory), cores)
		each := d.Unit * devices[i].Cores
		units = max(units, all/each+min(1, all%each))
	}
	return cores, units, nil
}
