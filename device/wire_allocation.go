package device

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// EncodeAllocation writes a vendor's part of an allocation as the text of its allocation annotations (spec core §2.4): one
// entry for each container of the pod, init containers first, each ended by a semicolon, also when it is empty. The type in
// it is the vendor word, or what typeOf says, if it is not nil.
func EncodeAllocation(a *Allocation, v Vendor, typeOf func(id string) string) string {
	devices := a.Of(v)
	var b strings.Builder
	for container := range a.Classes {
		for len(devices) > 0 && devices[0].Container <= container {
			d := &devices[0]
			b.WriteString(d.ID)
			b.WriteByte(',')
			if typeOf != nil {
				b.WriteString(typeOf(d.ID))
			} else {
				b.WriteString(string(v))
			}
			b.WriteByte(',')
			b.WriteString(strconv.FormatInt(d.Memory, 10))
			b.WriteByte(',')
			b.WriteString(strconv.FormatInt(d.Cores, 10))
			b.WriteByte(':')
			devices = devices[1:]
		}
		b.WriteByte(';')
	}
	return b.String()
}

// DecodeAllocation reads the text of an allocation annotation: the devices in order, each with the position of its
// container (spec core §2.4). It keeps every entry that can be read; err joins a [*DecodeError] for each that cannot, and
// blocked holds the device ids that such entries begin with, so that a caller can keep the devices from being given out
// again (deviation D15). containers is the number of container entries, the one behind the last semicolon counted too.
func DecodeAllocation(text string, v Vendor) (devices []ContainerDevice, containers int, blocked []string, err error) {
	var errs []error
	for entry := range strings.SplitSeq(text, ";") {
		for piece := range strings.SplitSeq(entry, ":") {
			if !strings.Contains(piece, ",") {
				continue
			}
			d, field, err := decodeDevice(piece)
			d.Container, d.Vendor = containers, v
			if err != nil {
				item := "container " + strconv.Itoa(containers) + " device " + d.ID
				errs = append(errs, &DecodeError{Item: item, Field: field, Err: err})
				blocked = append(blocked, d.ID)
				continue
			}
			devices = append(devices, d)
		}
		containers++
	}
	return devices, containers, blocked, errors.Join(errs...)
}

func decodeDevice(piece string) (d ContainerDevice, field string, err error) {
	f := strings.SplitN(piece, ",", 5)
	d.ID = f[0]
	if len(f) < 4 {
		return d, "", errors.New("pod annotation format error, missing fields, do not use nodeName in task spec")
	}
	p := fieldParser{}
	d.Memory = p.int32("memory", f[2])
	d.Cores = p.int32("core", f[3])
	switch {
	case p.err != nil:
		return d, p.field, p.err
	case d.Memory < 0:
		return d, "memory", fmt.Errorf("%w: %d", errNegative, d.Memory)
	case d.Cores < 0:
		return d, "core", fmt.Errorf("%w: %d", errNegative, d.Cores)
	}
	return d, "", nil
}
