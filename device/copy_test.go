package device_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/accelfit/accelfit/device"
)

// scramble overwrites everything that v leads to: fields, elements and values of maps, however deep. What a copy shares
// with v changes with it.
func scramble(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			scramble(t, v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			scramble(t, v.Field(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			scramble(t, v.Index(i))
		}
	case reflect.Map:
		scrambleMap(t, v)
	case reflect.Bool:
		set(v, reflect.ValueOf(!v.Bool()))
	case reflect.String:
		set(v, reflect.ValueOf("scrambled"))
	case reflect.Int, reflect.Int64, reflect.Uint8, reflect.Uint32:
		set(v, reflect.ValueOf(99))
	default:
		t.Fatalf("do not know how to scramble %v", v.Type())
	}
}

// set assigns where that is possible: keys and values of maps, and what an interface holds, are not assignable themselves.
func set(v, to reflect.Value) {
	if v.CanSet() {
		v.Set(to.Convert(v.Type()))
	}
}

func scrambleMap(t *testing.T, v reflect.Value) {
	t.Helper()
	if v.IsNil() {
		return
	}
	for _, key := range v.MapKeys() {
		scramble(t, v.MapIndex(key)) // through slices and pointers
		v.SetMapIndex(key, reflect.Zero(v.Type().Elem()))
	}
	v.SetMapIndex(reflect.ValueOf("intruder"), reflect.Zero(v.Type().Elem()))
}

// allSet fails for a field that is zero: its copy could not be told from no copy. A field that is added to a type must be
// set in the test's value of it.
func allSet(t *testing.T, v reflect.Value) {
	t.Helper()
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			t.Errorf("%v: field %s is not set", v.Type(), v.Type().Field(i).Name)
		}
	}
}

func TestDeepCopiesShareNothing(t *testing.T) {
	info := fullDevice()
	checkCopy(t, &info, func(d *device.DeviceInfo) device.DeviceInfo { return d.DeepCopy() }, fullDevice)
	usage := fullUsage()
	checkCopy(t, &usage, func(u *device.DeviceUsage) device.DeviceUsage { return u.DeepCopy() }, fullUsage)
	allocation := fullAllocation()
	checkCopy(t, &allocation, func(a *device.Allocation) device.Allocation { return *a.DeepCopy() }, fullAllocation)
}

func checkCopy[T any](t *testing.T, original *T, deepCopy func(*T) T, fresh func() T) {
	t.Helper()
	allSet(t, reflect.ValueOf(original).Elem())
	copied := deepCopy(original)
	if diff := cmp.Diff(fresh(), copied); diff != "" {
		t.Errorf("%T is not copied as it is:\n%s", *original, diff)
	}
	scramble(t, reflect.ValueOf(original))
	if cmp.Equal(fresh(), *original) {
		t.Fatalf("%T was not scrambled", *original)
	}
	if diff := cmp.Diff(fresh(), copied); diff != "" {
		t.Errorf("%T: the copy changed with the original:\n%s", *original, diff)
	}
}

func fullUsage() device.DeviceUsage {
	return device.DeviceUsage{
		Slots: 1, Memory: 2, Cores: 3, Healthy: true,
		State: device.MIGState{{Profile: "1g.5gb", Placement: device.Placement{Start: 4, Size: 5}}},
	}
}

func fullAllocation() device.Allocation {
	return device.Allocation{
		Classes: []device.ContainerClass{device.Sidecar, device.App},
		Devices: []device.ContainerDevice{{
			Container: 1, Vendor: "NVIDIA", ID: "a", Index: 2, Memory: 3, Cores: 4, Tag: "t",
			MIG: device.MIGInstance{Profile: "1g.5gb", Placement: device.Placement{Start: 5, Size: 6}},
		}},
	}
}

func TestDeepCopyOfNothing(t *testing.T) {
	var a *device.Allocation
	if a.DeepCopy() != nil {
		t.Error("the copy of no allocation is one")
	}
	if diff := cmp.Diff(device.DeviceInfo{}, device.DeviceInfo{}.DeepCopy()); diff != "" {
		t.Errorf("empty device:\n%s", diff)
	}
	if diff := cmp.Diff(device.DeviceUsage{}, device.DeviceUsage{}.DeepCopy()); diff != "" {
		t.Errorf("empty usage:\n%s", diff)
	}
}

func TestReleasedSharesNothing(t *testing.T) {
	a := fullAllocation()
	released := a.Released()
	scramble(t, reflect.ValueOf(&a))
	if diff := cmp.Diff(fullAllocation(), *released); diff != "" {
		t.Errorf("what was released changed with the allocation:\n%s", diff)
	}
}

func TestNodeUsageDeepCopySharesNothing(t *testing.T) {
	n := device.NewNodeUsage(device.NewNodeInfo("n1", device.Inventory{Vendor: "NVIDIA", Devices: []device.DeviceInfo{{ID: "a"}}}))
	n = n.Update(func(devices []device.DeviceUsage) { devices[0] = fullUsage() })
	copied := n.DeepCopy()
	scramble(t, reflect.ValueOf(n.Devices())) // nobody may do this; it shows what is shared
	if diff := cmp.Diff([]device.DeviceUsage{fullUsage()}, copied.Devices()); diff != "" {
		t.Errorf("the copy changed with the original:\n%s", diff)
	}
	if copied.Info() != n.Info() {
		t.Error("the immutable description was copied")
	}
}

// TestNodeInfoKeepsToItself: neither the inventories it was made of nor those it hands out are a way into it.
func TestNodeInfoKeepsToItself(t *testing.T) {
	problem := device.Problem{Object: "node n1", Err: errors.New("dropped")}
	inv := device.Inventory{Vendor: "NVIDIA", Devices: []device.DeviceInfo{fullDevice()}, Problems: []device.Problem{problem}}
	n := device.NewNodeInfo("n1", inv)

	scramble(t, reflect.ValueOf(inv.Devices))
	inv.Problems[0] = device.Problem{}
	out := n.Inventory("NVIDIA")
	scramble(t, reflect.ValueOf(out.Devices))
	out.Problems[0] = device.Problem{}
	n.Problems()[0] = device.Problem{}

	if diff := cmp.Diff(fullDevice(), *n.Device(0)); diff != "" {
		t.Errorf("device:\n%s", diff)
	}
	if got := n.Problems(); len(got) != 1 || got[0] != problem {
		t.Errorf("problems: %v", got)
	}
	if got := n.Inventory("NVIDIA").Problems; len(got) != 1 || got[0] != problem {
		t.Errorf("problems of the inventory: %v", got)
	}
}

// TestStateIsReplacedNotWrittenTo: usages share a State with those they came from, so a change must make a new one.
func TestStateIsReplacedNotWrittenTo(t *testing.T) {
	backing := make(device.MIGState, 1, 8)
	backing[0] = device.MIGInstance{Profile: "first"}
	u := device.DeviceUsage{State: backing}
	one, two := u, u
	one.Take(device.Hold{MIG: []device.MIGInstance{{Profile: "one"}}})
	two.Take(device.Hold{MIG: []device.MIGInstance{{Profile: "two"}}})
	if got := one.MIG()[1].Profile; got != "one" {
		t.Errorf("the second taker overwrote the first: %s", got)
	}
	one.Give(device.Hold{MIG: []device.MIGInstance{{Profile: "first"}}})
	if got := u.MIG()[0].Profile; got != "first" {
		t.Errorf("giving back wrote into what others see: %s", got)
	}
}

// TestCustomInfoIsOwned: D27, custom information of a device is not shared with what is decoded from the same text.
func TestCustomInfoIsOwned(t *testing.T) {
	text := `[{"id":"a","custominfo":{"NetworkID":3}},{"id":"b","custominfo":{"NetworkID":3}}]`
	devices, _, err := device.DecodeRegistration(text, device.RefuseAll)
	if err != nil {
		t.Fatal(err)
	}
	scramble(t, reflect.ValueOf(&devices[0]))
	if diff := cmp.Diff(map[string]json.RawMessage{"NetworkID": json.RawMessage("3")}, devices[1].CustomInfo); diff != "" {
		t.Errorf("the other device changed too:\n%s", diff)
	}
}
