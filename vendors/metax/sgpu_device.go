package metax

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// wireCard is one object of the registration (spec metax §II.4).
type wireCard struct {
	UUID             string `json:"uuid"`
	BDF              string `json:"bdf,omitempty"`
	Model            string `json:"model,omitempty"`
	TotalDevCount    int32  `json:"totalDevCount,omitempty"`
	TotalCompute     int32  `json:"totalCompute,omitempty"`
	TotalVRam        int32  `json:"totalVRam,omitempty"`
	AvailableDev     int32  `json:"availableDevCount,omitempty"`
	AvailableCompute int32  `json:"availableCompute,omitempty"`
	AvailableVRam    int32  `json:"availableVRam,omitempty"`
	NUMA             int32  `json:"numa,omitempty"`
	Healthy          bool   `json:"healthy,omitempty"`
	QoSPolicy        string `json:"qosPolicy,omitempty"`
	LinkZone         int32  `json:"linkZone,omitempty"`
}

// Keys of custom information of a card; what is empty or 0 is left out.
const (
	customPolicy   = "QosPolicy"
	customModel    = "Model"
	customLinkZone = "LinkZone"
)

var errNegative = errors.New("must not be negative")

func (w *wireCard) device(i int) (device.DeviceInfo, error) {
	for _, f := range []struct {
		name  string
		value int32
	}{{"totalDevCount", w.TotalDevCount}, {"totalVRam", w.TotalVRam}, {"totalCompute", w.TotalCompute}} {
		if f.value < 0 {
			return device.DeviceInfo{}, &device.DecodeError{Field: f.name, Err: fmt.Errorf("%w: %d", errNegative, f.value)}
		}
	}
	d := device.DeviceInfo{
		ID: w.UUID, Vendor: VendorSGPU, Index: i, Type: string(VendorSGPU),
		Slots: int64(w.TotalDevCount), Memory: int64(w.TotalVRam), Cores: int64(w.TotalCompute),
		NUMA: int(w.NUMA), Healthy: w.Healthy,
	}
	note(&d, customPolicy, w.QoSPolicy)
	note(&d, customModel, w.Model)
	note(&d, customLinkZone, w.LinkZone)
	return d, nil
}

func note[T comparable](d *device.DeviceInfo, key string, value T) {
	var zero T
	if value == zero {
		return
	}
	if d.CustomInfo == nil {
		d.CustomInfo = map[string]json.RawMessage{}
	}
	d.CustomInfo[key] = kit.JSON(value)
}

// sgpuInventory is what nodes tell of shared GPUs: the registration annotation (spec metax §II.4). Entries that cannot be used are
// dropped and reported (deviations DS1, DS14, M3). Of custom information it has the QoS policy, the model and the link zone.
type sgpuInventory = kit.Registered

func newSGPUInventory(names device.Names) sgpuInventory {
	return kit.NewRegistered(VendorSGPU, names, kit.Form{Decode: decodeCards, Encode: encodeCards})
}

// Inventory implements [device.Backend]: the cards, their policies and link zones. No card at all is no description.
func (b *SGPU) Inventory(node *corev1.Node) device.Inventory {
	inv := b.sgpuInventory.Inventory(node)
	switch {
	case inv.Err != nil:
	case len(inv.Devices) > 0:
		inv.Extra = readCards(inv.Devices)
	case len(inv.Problems) > 0:
		inv.Err = &device.DecodeError{Key: AnnotationRegister, Err: errNoCard}
	default:
		inv.Err = fmt.Errorf("%w: %w", device.ErrNoDescription, errNoCard)
	}
	return inv
}

var errNoCard = errors.New("no sdevice found on node")

func decodeCards(text string, bad device.BadEntries) ([]device.DeviceInfo, []error, error) {
	return device.DecodeEntries(text, bad, func(i int, w *wireCard) (device.DeviceInfo, error) { return w.device(i) })
}

// Health implements [device.Backend]: the cards are there as long as the registration names some (spec metax §II.12).
func (b *SGPU) Health(in device.HealthInput) device.HealthAnswer {
	inv := b.Inventory(in.Node)
	return device.HealthAnswer{Healthy: inv.Err == nil && len(inv.Devices) > 0, Renew: true}
}

// encodeCards writes a registration. What it cannot express is left out, or the nearest that it can.
func encodeCards(devices []device.DeviceInfo) (string, error) {
	wire := make([]wireCard, len(devices))
	for i := range devices {
		d := &devices[i]
		wire[i] = wireCard{
			UUID: d.ID, TotalDevCount: clamp(d.Slots), TotalVRam: clamp(d.Memory), TotalCompute: clamp(d.Cores),
			NUMA: clamp(int64(d.NUMA)), Healthy: d.Healthy,
			QoSPolicy: custom[string](d, customPolicy), Model: custom[string](d, customModel), LinkZone: custom[int32](d, customLinkZone),
		}
	}
	text, err := json.Marshal(wire)
	return string(text), err
}

func clamp(n int64) int32 { return int32(min(max(n, math.MinInt32), math.MaxInt32)) }

// custom reads a value of a card's custom information; zero where it is missing or cannot be read.
func custom[T any](d *device.DeviceInfo, key string) T {
	var value T
	if text, ok := d.CustomInfo[key]; ok && json.Unmarshal(text, &value) != nil {
		var zero T
		return zero
	}
	return value
}

// card is what a fit reads of a card besides its amounts.
type card struct {
	policy string // registered QoS policy
	zone   int    // number of its link zone on the node; unlinked: none
}

const unlinked = -1

// cards are the cards of a node in registration order, read once. They never change.
type cards struct {
	list  []card
	zones int // zones are numbered from 0
}

func readCards(devices []device.DeviceInfo) *cards {
	c := &cards{list: make([]card, len(devices))}
	numbers := map[int32]int{}
	for i := range devices {
		c.list[i] = card{policy: custom[string](&devices[i], customPolicy), zone: unlinked}
		zone := custom[int32](&devices[i], customLinkZone)
		if zone <= 0 { // deviation DS11
			continue
		}
		if _, seen := numbers[zone]; !seen {
			numbers[zone] = len(numbers)
		}
		c.list[i].zone = numbers[zone]
	}
	c.zones = len(numbers)
	return c
}

func cardsOf(node *device.NodeInfo) *cards {
	c, _ := node.Extra(VendorSGPU).(*cards)
	return c
}

// at returns the card at a position on its node.
func (c *cards) at(node *device.NodeInfo, position int) card {
	from, _ := node.Range(VendorSGPU)
	if at := position - from; c != nil && at >= 0 && at < len(c.list) {
		return c.list[at]
	}
	return card{zone: unlinked}
}

// numbered is the number of link zones.
func (c *cards) numbered() int {
	if c == nil {
		return 0
	}
	return c.zones
}
