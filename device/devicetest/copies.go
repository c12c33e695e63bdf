package devicetest

import (
	"errors"
	"reflect"

	"github.com/accelfit/accelfit/device"
)

func copies(x *exam, c *Case) error {
	s := c.play(x.set)
	first, other := x.Backend.Inventory(s.Node), x.Backend.Inventory(s.Node)
	before := device.Inventory{Vendor: first.Vendor, Devices: deepCopies(first.Devices)}
	if share(first.Devices, other.Devices) {
		return errors.New("two inventories share memory: who changes one changes the other")
	}
	for i := range first.Devices {
		spoil(&first.Devices[i])
	}
	if again := x.Backend.Inventory(s.Node); !reflect.DeepEqual(deepCopies(again.Devices), before.Devices) {
		return errors.New("an inventory that its owner changes is changed in later answers too")
	}
	if share(s.usage.DeepCopy().Devices(), s.usage.Devices()) {
		return errors.New("a deep copy of the usage shares memory with it")
	}
	if !s.fits() {
		return nil
	}
	if share(s.fit.Allocation.DeepCopy(), s.fit.Allocation) {
		return errors.New("a deep copy of the allocation shares memory with it")
	}
	return x.annotationsAreCopies(s)
}

func (x *exam) annotationsAreCopies(s *scene) error {
	a, ok := x.Backend.(device.Annotator)
	if !ok {
		return nil
	}
	annotate := func() map[string]string { return a.Annotate(s.Pod, s.usage.Info(), s.fit.Allocation, sometime) }
	written := x.set.Annotations(s.Pod, s.usage.Info(), s.fit.Allocation, sometime)
	if one, other := annotate(), annotate(); share(one, other) {
		return errors.New("annotations that are handed out twice are one map")
	}
	clear(annotate())
	if again := x.set.Annotations(s.Pod, s.usage.Info(), s.fit.Allocation, sometime); !reflect.DeepEqual(again, written) {
		return errors.New("annotations that their owner changes are changed in later answers too")
	}
	return nil
}

// spoil writes to whatever a device's owner may write to.
func spoil(d *device.DeviceInfo) {
	clear(d.LinkScores)
	for _, text := range d.CustomInfo {
		clear(text)
	}
	clear(d.CustomInfo)
	for i := range d.MIGProfiles {
		clear(d.MIGProfiles[i].Placements)
	}
	clear(d.MIGProfiles)
	*d = device.DeviceInfo{}
}

// share says whether two values refer to the same memory anywhere. Texts are shared freely.
func share(a, b any) bool {
	seen := map[uintptr]bool{}
	refer(reflect.ValueOf(a), func(p uintptr) { seen[p] = true })
	shared := false
	refer(reflect.ValueOf(b), func(p uintptr) { shared = shared || seen[p] })
	return shared
}

// refer calls visit with the address of all memory that a value refers to.
func refer(v reflect.Value, visit func(uintptr)) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			if v.Kind() == reflect.Pointer && v.Elem().Type().Size() > 0 {
				visit(v.Pointer())
			}
			refer(v.Elem(), visit)
		}
	case reflect.Map:
		if v.Len() > 0 {
			visit(v.Pointer())
		}
		for _, key := range v.MapKeys() {
			refer(v.MapIndex(key), visit)
		}
	case reflect.Slice:
		for i := range v.Len() {
			if at := v.Index(i); at.Type().Size() > 0 {
				visit(at.Addr().Pointer())
			}
			refer(v.Index(i), visit)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			refer(v.Field(i), visit)
		}
	}
}
