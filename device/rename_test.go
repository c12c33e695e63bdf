package device_test

import (
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/accelfit/accelfit/device"
)

// TestRenamed: a renamed description reads as one that was made with the new ids, on small nodes and on large ones, and the
// old one is as it was.
func TestRenamed(t *testing.T) {
	for _, n := range []int{0, 1, 8, 40} {
		make := func(name, prefix string) *device.NodeInfo {
			var devices []device.DeviceInfo
			for i := range n {
				d := device.DeviceInfo{ID: prefix + strconv.Itoa(i), Index: i, Type: "T", Slots: 2, Memory: 10, Cores: 100, LinkScores: map[string]int64{}}
				for k := range n {
					d.LinkScores[prefix+strconv.Itoa(k)] = int64(i*n + k)
				}
				devices = append(devices, d)
			}
			return device.NewNodeInfo(name, device.Inventory{Vendor: "V", Devices: devices, Extra: new(int)})
		}
		old, want := make("a", "a/"), make("b", "b-")
		got := old.Renamed("b", func(i int) string { return "b-" + strconv.Itoa(i) })
		if got.Name() != "b" || got.Extra("V") != old.Extra("V") {
			t.Fatalf("name %s, extra %v", got.Name(), got.Extra("V"))
		}
		for i := range n {
			if diff := cmp.Diff(want.Device(i), got.Device(i)); diff != "" || got.Find("V", want.Device(i).ID) != i || got.Find("V", old.Device(i).ID) >= 0 {
				t.Fatalf("device %d of %d, found at %d:\n%s", i, n, got.Find("V", want.Device(i).ID), diff)
			}
			if got.Link(i, 0) != want.Link(i, 0) {
				t.Fatalf("link %d, want %d", got.Link(i, 0), want.Link(i, 0))
			}
		}
		used := device.NewNodeUsage(old).Update(func(d []device.DeviceUsage) {
			for i := range d {
				d[i].Memory = int64(i)
			}
		})
		if on := used.On(got); on.Info() != got || !cmp.Equal(on.Devices(), used.Devices()) || n > 0 && &on.Devices()[0] == &used.Devices()[0] {
			t.Fatal("the usage on the other node is another")
		}
		if diff := cmp.Diff(make("a", "a/").Inventory("V").Devices, old.Inventory("V").Devices); diff != "" || old.Name() != "a" {
			t.Fatalf("the old one changed:\n%s", diff)
		}
	}
}
