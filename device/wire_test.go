package device_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/internal/testkit"
)

// same compares what a codec was given with what it gave back: no list and an empty one are the same on the wire.
func same(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("%s changed on the way through its text (-before +after):\n%s", what, diff)
	}
}

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func TestRegistrationRoundTrip(t *testing.T) {
	r := testkit.Rand(t)
	for range rounds {
		devices := randomDevices(r)
		text := must[string](t)(device.EncodeRegistration(devices))
		got, dropped, err := device.DecodeRegistration(text, device.RefuseAll)
		if err != nil || len(dropped) > 0 {
			t.Fatalf("%s: dropped %v, error %v", text, dropped, err)
		}
		for i := range devices {
			devices[i].LinkScores = nil // an annotation of their own
		}
		same(t, "registration", devices, got)
	}
}

func TestLegacyRegistrationRoundTrip(t *testing.T) {
	r := testkit.Rand(t)
	for range rounds {
		devices := randomDevices(r)
		if len(devices) == 0 {
			continue // no device is written as an empty text, which is no registration: see register_legacy.txt
		}
		text := must[string](t)(device.EncodeLegacyRegistration(devices))
		got, dropped, err := device.DecodeLegacyRegistration(text, device.RefuseAll)
		if err != nil || len(dropped) > 0 {
			t.Fatalf("%s: dropped %v, error %v", text, dropped, err)
		}
		for i := range devices {
			devices[i].LinkScores, devices[i].MIGProfiles = nil, nil // not in this form
		}
		same(t, "registration", devices, got)
	}
}

func TestLinkScoresRoundTrip(t *testing.T) {
	r := testkit.Rand(t)
	for range rounds {
		devices := randomDevices(r)
		want := map[string]map[string]int64{}
		for i := range devices {
			if len(devices[i].LinkScores) > 0 {
				want[devices[i].ID] = devices[i].LinkScores
			}
		}
		text := must[string](t)(device.EncodeLinkScores(devices))
		same(t, "link scores", want, must[map[string]map[string]int64](t)(device.DecodeLinkScores(text)))
	}
}

func TestAllocationRoundTrip(t *testing.T) {
	r := testkit.Rand(t)
	for range rounds {
		a := randomAllocation(r)
		for _, vendor := range []device.Vendor{"MLU", "NVIDIA", "none"} {
			text := device.EncodeAllocation(a, vendor, nil)
			got, containers, blocked, err := device.DecodeAllocation(text, vendor)
			if err != nil || len(blocked) > 0 {
				t.Fatalf("%s: blocked %v, error %v", text, blocked, err)
			}
			if containers != len(a.Classes)+1 {
				t.Fatalf("%s: %d containers, want %d and the empty one behind the last semicolon", text, containers, len(a.Classes))
			}
			want := append([]device.ContainerDevice(nil), a.Of(vendor)...)
			for i := range want {
				want[i].MIG = device.MIGInstance{} // an annotation of their own
			}
			same(t, "allocation", want, got)
		}
	}
}

func TestReservationsRoundTrip(t *testing.T) {
	r := testkit.Rand(t)
	for range rounds {
		want := randomReservations(r)
		text := must[string](t)(device.EncodeMIGReservations(want))
		same(t, "reservations", want, must[[]device.MIGReservation](t)(device.DecodeMIGReservations(text)))
	}
}

// TestReservationsOfAllocation checks that reservations say, for every instance of an allocation, whose it is: the device
// at DeviceIndex of the container's entry.
func TestReservationsOfAllocation(t *testing.T) {
	r := testkit.Rand(t)
	for range rounds {
		a := randomAllocation(r)
		rs := a.Reservations("NVIDIA")
		must[string](t)(device.EncodeMIGReservations(rs))
		instances := 0
		byContainer := map[int][]device.ContainerDevice{}
		for _, d := range a.Of("NVIDIA") {
			byContainer[d.Container] = append(byContainer[d.Container], d)
			if !d.MIG.IsZero() {
				instances++
			}
		}
		if len(rs) != instances {
			t.Fatalf("%d reservations for %d instances", len(rs), instances)
		}
		for i := range rs {
			d := byContainer[rs[i].ContainerIndex][rs[i].DeviceIndex]
			if d.ID != rs[i].GPUUUID || d.MIG != rs[i].Instance() {
				t.Fatalf("reservation %+v is about %+v", rs[i], d)
			}
		}
	}
}

// TestWritersLeaveInputAlone: writing changes nothing of what is given.
func TestWritersLeaveInputAlone(t *testing.T) {
	devices := []device.DeviceInfo{fullDevice(), fullDevice()}
	before := []device.DeviceInfo{devices[0].DeepCopy(), devices[1].DeepCopy()}
	must[string](t)(device.EncodeRegistration(devices))
	must[string](t)(device.EncodeLegacyRegistration(devices))
	must[string](t)(device.EncodeLinkScores(devices))
	if diff := cmp.Diff(before, devices); diff != "" {
		t.Errorf("writing changed the devices:\n%s", diff)
	}
}

// TestWritersRefuseWhatDoesNotFit: the least that is out of range is refused by the writers, not cut.
func TestWritersRefuseWhatDoesNotFit(t *testing.T) {
	for _, d := range []device.DeviceInfo{
		{Slots: 1 << 31}, {Memory: 1 << 31}, {Cores: 1 << 31}, {Index: -1},
		{MIGProfiles: []device.MIGProfile{{Memory: 1 << 31}}}, {MIGProfiles: []device.MIGProfile{{Cores: 1 << 31}}},
	} {
		if text, err := device.EncodeRegistration([]device.DeviceInfo{d}); err == nil {
			t.Errorf("%+v was written as %s", d, text)
		}
	}
}
