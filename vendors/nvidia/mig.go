package nvidia

import (
	"strings"

	"github.com/accelfit/accelfit/device"
)

// bookInstance settles which instance of a card in mode mig would be cut for the candidate (spec nvidia §7): of the
// profiles with enough memory and a free placement the one with the least memory, then the fewest slices. Cards in other
// modes are booked as asked.
func bookInstance(c *device.Candidate) bool {
	if !c.Room.Divided() {
		return true
	}
	best := -1
	var at device.Placement
	profiles := c.Info().MIGProfiles
	for i := range profiles {
		p := &profiles[i]
		if p.Memory < c.Memory || best >= 0 && !smaller(p, &profiles[best]) {
			continue
		}
		if free, ok := freePlacement(c, i); ok {
			best, at = i, free
		}
	}
	if best < 0 {
		return false
	}
	p := &profiles[best]
	c.BookAs(device.Grant{Memory: p.Memory, Cores: p.Cores, MIG: device.MIGInstance{Profile: p.Name, Placement: at}})
	return true
}

func smaller(a, b *device.MIGProfile) bool {
	return a.Memory < b.Memory || a.Memory == b.Memory && a.Slices < b.Slices
}

// freePlacement returns where an instance of profile i would lie: the free placement with the highest start for 1g and 3g
// profiles, with the lowest for all others. Of two profiles with one name the first one's placements count for both.
func freePlacement(c *device.Candidate, i int) (at device.Placement, found bool) {
	profiles := c.Info().MIGProfiles
	name := profiles[i].Name
	for first := range profiles[:i] {
		if profiles[first].Name == name {
			i = first
			break
		}
	}
	fromEnd := strings.HasPrefix(name, "1g.") || strings.HasPrefix(name, "3g.")
	for _, p := range profiles[i].Placements {
		better := !found || fromEnd && p.Start > at.Start || !fromEnd && p.Start < at.Start
		if better && isFree(c, p) {
			at, found = p, true
		}
	}
	return at, found
}

// isFree says whether nothing in use, nor granted to the container before, overlaps the placement.
func isFree(c *device.Candidate, p device.Placement) bool {
	if !c.Usage.MIG().Free(p) {
		return false
	}
	granted := grantedInstances(c)
	for i := range granted {
		if granted[i].MIG.Placement.Overlaps(p) {
			return false
		}
	}
	return true
}

// grantedInstances returns what the container was granted of the candidate's card: the last grants, because a card is used up
// before the next is tried.
func grantedInstances(c *device.Candidate) []device.Grant {
	all := c.Fit.Granted
	from := len(all)
	for from > 0 && all[from-1].Device == c.Device {
		from--
	}
	return all[from:]
}

// slotForInstance counts the instances of a card that the container has been granted against the card's slots.
func slotForInstance(c *device.Candidate) bool {
	if !c.Room.Divided() {
		return true
	}
	return c.Usage.Slots+int64(len(grantedInstances(c))) < c.Info().Slots
}

func explainInstance(c *device.Candidate) (want, have device.Amount) {
	free := []string{}
	for i := range c.Info().MIGProfiles {
		if _, ok := freePlacement(c, i); ok {
			free = append(free, c.Info().MIGProfiles[i].Name)
		}
	}
	have.Text = "free profiles: " + strings.Join(free, " ")
	if len(free) == 0 {
		have.Text = "no free profile"
	}
	return device.Amount{N: c.Memory, Unit: device.MiB}, have
}
