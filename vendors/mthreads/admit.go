package mthreads

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// shares are the numbers of blocks that a container may ask of one card.
var shares = [...]int64{2, 4, 8, 16, 32, 64, 96}

// Admit implements [device.Backend] (spec mthreads §7). Several cards, and one card without memory, become whole cards, with a
// warning for every amount that this replaces (deviation mD8). Memory of one card must be one of a few amounts; the container's
// limits get it where only its requests had it (mD9). What Request would refuse is refused, and a number of cards of which the
// memory would be out of range.
func (b *Backend) Admit(pod *corev1.Pod, c *corev1.Container) (device.Admitted, error) {
	ask, err := b.Request(c)
	if err != nil || ask.Nums == 0 {
		return device.Admitted{}, err
	}
	var warnings []string
	switch memory, given := device.Quantity(c, b.Config().ResourceMemoryName); {
	case ask.Nums > 1:
		if _, _, err := device.WholeNumber(c, b.Config().ResourceCountName, device.MaxAmount/block/wholeBlocks); err != nil {
			return device.Admitted{}, err
		}
		warnings = b.takeWhole(c, ask.Nums)
		if pod.Annotations == nil {
			pod.Annotations = map[string]string{}
		}
		pod.Annotations[AnnotationRequested] = strconv.FormatInt(ask.Nums, 10)
	case !given:
		warnings = b.takeWhole(c, 1)
	case !slices.Contains(shares[:], memory.Value()):
		return device.Admitted{}, kit.Invalid(c, b.Config().ResourceMemoryName, noShare())
	case !kit.Limited(c, b.Config().ResourceMemoryName):
		kit.SetLimit(c, b.Config().ResourceMemoryName, memory.Value())
	}
	return device.Admitted{Mine: true, Warnings: warnings}, nil
}

// noShare is the reference's message.
func noShare() string {
	var valid []string
	for _, n := range shares {
		valid = append(valid, strconv.FormatInt(n, 10))
	}
	return "sGPU memory request value is invalid, valid values are [" + strings.Join(valid, ", ") + "]"
}

// takeWhole sets the container's limits to whole cards, and says what this replaces.
func (b *Backend) takeWhole(c *corev1.Container, cards int64) (warnings []string) {
	for _, amount := range []struct {
		resource string
		each     int64
	}{{b.Config().ResourceCoreName, wholeCores}, {b.Config().ResourceMemoryName, wholeBlocks}} {
		if amount.resource == "" {
			continue
		}
		was, given := device.Quantity(c, amount.resource)
		kit.SetLimit(c, amount.resource, cards*amount.each)
		if given && was.CmpInt64(cards*amount.each) != 0 {
			warnings = append(warnings, fmt.Sprintf("container %s: %s %s is replaced by %d, for %s",
				c.Name, amount.resource, was.String(), cards*amount.each, whole(cards)))
		}
	}
	return warnings
}

func whole(cards int64) string {
	if cards == 1 {
		return "a whole card"
	}
	return fmt.Sprintf("%d whole cards", cards)
}
