package simulate

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/accelfit/accelfit/device"
)

// Two nodes are in equal states when they are equal in everything that a fit or a score reads, position by position: of the
// devices index, mode, model, slots, memory, cores, NUMA node, health, cordon, MIG profiles, links and custom information; of
// the vendors what else they read of the node; of the usage amounts, health and the vendors' own records. Names of nodes and
// ids of devices do not count (vendors.Request.ByName). A pod that is granted devices at some positions of one of them is
// granted those at the same positions of the other.
//
// States are told apart by texts. What cannot be written down (a function in what a vendor reads of a node) makes the state of
// its node equal to no other.

// maxWritten bounds the text of what vendors read of a node.
const maxWritten = 1 << 16

// writeInfo appends everything of a node's description that counts; false: it cannot be written down. That no device is to be
// found under the id of another is checked here.
func writeInfo(b []byte, info *device.NodeInfo) ([]byte, bool) {
	links := false
	for i := range info.Len() {
		d := info.Device(i)
		if info.Find(d.Vendor, d.ID) != i {
			return b, false
		}
		links = links || len(d.LinkScores) > 0
		b = writeDevice(b, d)
	}
	const most = 256 // the number of links grows with the square
	if links && info.Len() > most {
		return b, false
	}
	for i := 0; links && i < info.Len(); i++ {
		for k := range info.Len() {
			b = binary.AppendVarint(b, info.Link(i, k))
		}
	}
	for _, v := range info.Described() {
		from, to := info.Range(v)
		b = writeText(b, string(v))
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(from)), uint64(to))
		if err := info.Unreadable(v); err != nil {
			b = writeText(append(b, 'e'), err.Error())
		}
		var ok bool
		if b, ok = writeAny(b, info.Extra(v)); !ok || len(b) > maxWritten {
			return b, false
		}
	}
	return b, true
}

func writeDevice(b []byte, d *device.DeviceInfo) []byte {
	for _, text := range [...]string{string(d.Vendor), d.Mode, d.Type, string(d.ScoredAs)} {
		b = writeText(b, text)
	}
	for _, n := range [...]int64{int64(d.Index), d.Slots, d.Memory, d.Cores, int64(d.NUMA)} {
		b = binary.AppendVarint(b, n)
	}
	b = append(b, bit(d.Healthy), bit(d.Cordoned))
	b = binary.AppendUvarint(b, uint64(len(d.MIGProfiles)))
	for i := range d.MIGProfiles {
		p := &d.MIGProfiles[i]
		b = writeText(b, p.Name)
		b = binary.AppendVarint(binary.AppendVarint(b, p.Memory), p.Cores)
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(p.Slices)), uint64(len(p.Placements)))
		for _, at := range p.Placements {
			b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(at.Start)), uint64(at.Size))
		}
	}
	b = binary.AppendUvarint(b, uint64(len(d.CustomInfo)))
	for _, key := range slices.Sorted(maps.Keys(d.CustomInfo)) {
		b = writeText(writeText(b, key), string(d.CustomInfo[key]))
	}
	return b
}

// writeUsage appends everything of what is taken of a node's devices; false: it cannot be written down.
func writeUsage(b []byte, u *device.NodeUsage) ([]byte, bool) {
	devices := u.Devices()
	for i := range devices {
		d := &devices[i]
		b = binary.AppendVarint(binary.AppendVarint(binary.AppendVarint(b, d.Slots), d.Memory), d.Cores)
		b = append(b, bit(d.Healthy))
		switch state := d.State.(type) {
		case nil:
			b = append(b, 'n')
		case device.MIGState:
			b = binary.AppendUvarint(append(b, 'm'), uint64(len(state)))
			for k := range state {
				b = writeText(b, state[k].Profile)
				b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(state[k].Placement.Start)), uint64(state[k].Placement.Size))
			}
		case device.TagState:
			b = binary.AppendUvarint(append(b, 't'), uint64(len(state)))
			for _, tag := range state {
				b = writeText(b, tag)
			}
		default:
			from := len(b)
			var ok bool
			if b, ok = writeAny(append(b, 'o'), state); !ok || len(b)-from > maxWritten {
				return b, false
			}
		}
	}
	return b, true
}

func bit(b bool) byte {
	if b {
		return '1'
	}
	return '0'
}

// writeText appends a text so that it cannot be taken for two.
func writeText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}
