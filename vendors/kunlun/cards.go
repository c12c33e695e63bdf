package kunlun

import (
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// What every card has (spec kunlun §I.4).
const (
	cardMemory = 98304
	cardCores  = 100
	cardSlots  = 100 // never tested: cards are exclusive
)

// Inventory implements [device.Backend]: as many cards as the node's capacity says (spec kunlun §I.4). No capacity, 0 or less
// is no card; more than [device.MaxDevices] is an error (deviation kD6).
func (b *Cards) Inventory(node *corev1.Node) device.Inventory {
	n, _ := device.Capacity(node, b.config.ResourceCountName)
	return kit.Counted(node, Vendor, b.config.ResourceCountName, func(i int) device.DeviceInfo {
		return card(node.Name, i, int(n))
	})
}

// card is card i of n on a node.
func card(node string, i, n int) device.DeviceInfo {
	d := device.DeviceInfo{
		ID: node + "-kunlun-" + strconv.Itoa(i), Vendor: Vendor, Index: i, Type: string(Vendor),
		Slots: cardSlots, Memory: cardMemory, Cores: cardCores, NUMA: 1, Healthy: true,
	}
	if i < n/2 {
		d.NUMA = 0
	}
	return d
}

// Describe implements [device.Backend]: the number of cards. Nothing else of them can be told: cards that are not as Inventory
// makes them are an error.
func (b *Cards) Describe(node *corev1.Node, devices []device.DeviceInfo) error {
	n := len(devices)
	device.Offer(node, b.config.ResourceCountName, int64(n))
	return kit.Expressible(devices, func(i int) device.DeviceInfo { return card(node.Name, i, n) })
}

// Health implements [device.Backend]: what the node says counts (spec kunlun §I.11).
func (b *Cards) Health(device.HealthInput) device.HealthAnswer { return kit.Trusted() }

// Request implements [device.Backend] (spec kunlun §I.5): a number of cards. A number that is not whole, negative or out of
// range is an error (deviations D11, kD4 and kD5).
func (b *Cards) Request(c *corev1.Container) (device.ContainerRequest, error) {
	cards := kit.Shares{Vendor: Vendor, Count: b.config.ResourceCountName}
	return cards.Request(c)
}

// Admit implements [device.Backend] (spec kunlun §I.6): nothing is completed; only limits make a container this vendor's.
func (b *Cards) Admit(_ *corev1.Pod, c *corev1.Container) (device.Admitted, error) {
	return kit.AdmitAsked(b, c, kit.Limited(c, b.config.ResourceCountName))
}

// Plan implements [device.Backend]: idle, healthy cards that the pod's lists allow (spec kunlun §I.7), chosen by their slots.
// A card is booked as a whole.
func (b *Cards) Plan(pod *device.PodContext, ask device.ContainerRequest) device.Plan {
	var rules kit.Rules
	ids(&rules, pod.Annotations)
	rules.Add(kit.Idle())
	rules.Add(kit.Healthy())
	return device.Plan{Ask: ask, Rules: rules.Table(), Amounts: wholeCard, Choose: chooseCards}
}

func wholeCard(c *device.Candidate) (memory, cores int64) { return c.Info().Memory, c.Info().Cores }

func chooseCards(f *device.ContainerFit, why *device.Reasons) []int {
	picked := choose(f)
	if picked == nil {
		noSet(why)
	}
	return picked
}

// Annotate implements [device.Annotator]: the indexes of the cards of the last container that has any (spec kunlun §I.10, §5
// quirk 3).
func (b *Cards) Annotate(_ *corev1.Pod, node *device.NodeInfo, a *device.Allocation, _ time.Time) map[string]string {
	var indexes []string
	last := 0
	for _, d := range a.Of(Vendor) {
		if d.Container != last {
			indexes, last = nil, d.Container
		}
		if i := node.Find(Vendor, d.ID); i >= 0 {
			indexes = append(indexes, strconv.Itoa(node.Device(i).Index))
		}
	}
	if len(indexes) == 0 {
		return nil
	}
	return map[string]string{AnnotationIndexes: strings.Join(indexes, ",")}
}
