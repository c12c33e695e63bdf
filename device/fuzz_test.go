package device_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/accelfit/accelfit/device"
)

// The seeds of the targets are under testdata/fuzz: for each decoder what agents write, and what was wrong once.

func FuzzDecodeRegistration(f *testing.F) {
	f.Fuzz(func(t *testing.T, text string) {
		devices, dropped, err := device.DecodeRegistration(text, device.RefuseAll)
		if err != nil {
			checkRefused(t, err, len(devices)+len(dropped))
			return
		}
		checkRegistration(t, devices, dropped)
		again, err := device.EncodeRegistration(devices)
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		back, dropped, err := device.DecodeRegistration(again, device.RefuseAll)
		if err != nil || len(dropped) > 0 {
			t.Fatalf("what was written cannot be read: dropped %v, error %v", dropped, err)
		}
		for i := range devices {
			devices[i].CustomInfo = nil // is not written
		}
		same(t, "registration", devices, back)
	})
}

func FuzzDecodeLegacyRegistration(f *testing.F) {
	f.Fuzz(func(t *testing.T, text string) {
		devices, dropped, err := device.DecodeLegacyRegistration(text, device.RefuseAll)
		if err != nil {
			checkRefused(t, err, len(devices)+len(dropped))
			return
		}
		checkRegistration(t, devices, dropped)
		if len(devices) == 0 {
			return
		}
		again, err := device.EncodeLegacyRegistration(devices)
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		back, dropped, err := device.DecodeLegacyRegistration(again, device.RefuseAll)
		if err != nil || len(dropped) > 0 {
			t.Fatalf("what was written cannot be read: dropped %v, error %v", dropped, err)
		}
		same(t, "registration", devices, back)
	})
}

// checkRefused: an error is about the text, and nothing else comes with it.
func checkRefused(t *testing.T, err error, rest int) {
	t.Helper()
	for _, d := range decodeErrors(t, err) {
		if d.Err == nil || d.Error() == "" {
			t.Errorf("%#v says nothing", d)
		}
	}
	if rest > 0 {
		t.Errorf("%d values beside the error %v", rest, err)
	}
}

// checkRegistration: ids are unique, amounts are not negative and fit the wire, placements occupy slices and end within
// 32 bits.
func checkRegistration(t *testing.T, devices []device.DeviceInfo, dropped []error) {
	t.Helper()
	seen := map[string]bool{}
	for _, d := range devices {
		if seen[d.ID] {
			t.Errorf("two devices with id %q", d.ID)
		}
		seen[d.ID] = true
		checkAmounts(t, d.Slots, d.Memory, d.Cores)
		if d.Index < 0 {
			t.Errorf("%q has index %d", d.ID, d.Index)
		}
		for _, p := range d.MIGProfiles {
			checkAmounts(t, p.Memory, p.Cores)
			for _, at := range p.Placements {
				if at.Size == 0 || at.End() > math.MaxUint32 {
					t.Errorf("%q: profile %q lies at %+v", d.ID, p.Name, at)
				}
			}
		}
	}
	for _, err := range dropped {
		decodeErrors(t, err)
	}
}

func checkAmounts(t *testing.T, amounts ...int64) {
	t.Helper()
	for _, n := range amounts {
		if n < 0 || n > math.MaxInt32 {
			t.Errorf("amount %d", n)
		}
	}
}

func FuzzDecodeLinkScores(f *testing.F) {
	f.Fuzz(func(t *testing.T, text string) {
		scores, err := device.DecodeLinkScores(text)
		if err != nil {
			checkRefused(t, err, len(scores))
			return
		}
		var devices []device.DeviceInfo
		for id, score := range scores {
			if len(score) > 0 {
				devices = append(devices, device.DeviceInfo{ID: id, LinkScores: score})
			} else {
				delete(scores, id) // says nothing, and is not written
			}
		}
		again, err := device.EncodeLinkScores(devices)
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		back, err := device.DecodeLinkScores(again)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		same(t, "link scores", scores, back)
	})
}

func FuzzDecodeAllocation(f *testing.F) {
	f.Fuzz(func(t *testing.T, text string) {
		devices, containers, blocked, err := device.DecodeAllocation(text, "NVIDIA")
		if err != nil {
			checkRefused(t, err, 0)
			if n := len(decodeErrors(t, err)); n != len(blocked) {
				t.Errorf("%d errors, but %d ids to keep", n, len(blocked))
			}
		} else if len(blocked) > 0 {
			t.Errorf("ids %q to keep without an error", blocked)
		}
		if containers != strings.Count(text, ";")+1 {
			t.Errorf("%d containers", containers)
		}
		checkDevices(t, devices, containers)
		checkEveryIDCounts(t, text, devices, blocked)

		a := &device.Allocation{Classes: make([]device.ContainerClass, containers), Devices: devices}
		back, _, blocked, err := device.DecodeAllocation(device.EncodeAllocation(a, "NVIDIA", nil), "NVIDIA")
		if err != nil || len(blocked) > 0 {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		same(t, "allocation", devices, back)
	})
}

func checkDevices(t *testing.T, devices []device.ContainerDevice, containers int) {
	t.Helper()
	last := 0
	for _, d := range devices {
		checkAmounts(t, d.Memory, d.Cores)
		if d.Container < last || d.Container >= containers || d.Vendor != "NVIDIA" {
			t.Errorf("%+v behind container %d of %d", d, last, containers)
		}
		last = d.Container
	}
}

// checkEveryIDCounts: D15, a device that the text speaks of is either taken or kept, never free.
func checkEveryIDCounts(t *testing.T, text string, devices []device.ContainerDevice, blocked []string) {
	t.Helper()
	known := map[string]bool{}
	for _, id := range blocked {
		known[id] = true
	}
	for _, d := range devices {
		known[d.ID] = true
	}
	for piece := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ';' || r == ':' }) {
		if id, _, ok := strings.Cut(piece, ","); ok && !known[id] {
			t.Errorf("device %q is free", id)
		}
	}
}

func FuzzDecodeMIGReservations(f *testing.F) {
	f.Fuzz(func(t *testing.T, text string) {
		rs, err := device.DecodeMIGReservations(text)
		if err != nil {
			checkRefused(t, err, len(rs))
			return
		}
		seen := map[[2]int]bool{}
		for _, r := range rs {
			at := [2]int{r.ContainerIndex, r.DeviceIndex}
			if seen[at] || at[0] < 0 || at[1] < 0 || r.GPUUUID == "" || r.Instance().IsZero() || r.Placement.Size == 0 {
				t.Errorf("reservation %+v", r)
			}
			seen[at] = true
			if created := r.MIGUUID != ""; created != (r.GPUInstanceID != nil) || created != (r.ComputeInstanceID != nil) {
				t.Errorf("reservation %+v is created in part", r)
			}
		}
		again, err := device.EncodeMIGReservations(rs)
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		back, err := device.DecodeMIGReservations(again)
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		same(t, "reservations", rs, back)
	})
}

func FuzzParseLock(f *testing.F) {
	f.Fuzz(func(t *testing.T, text string) {
		lock, err := device.ParseLock(text)
		if err != nil {
			checkRefused(t, err, 0)
			if lock != (device.Lock{}) {
				t.Errorf("%+v beside an error", lock)
			}
			return
		}
		back, err := device.ParseLock(lock.String())
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		if !back.At.Equal(lock.At.Truncate(time.Second)) || back.Namespace != lock.Namespace || back.Pod != lock.Pod {
			t.Errorf("%+v became %+v", lock, back)
		}
		if !lock.Releases(lock.String()) {
			t.Errorf("%+v does not release itself", lock)
		}
		alive := func(string, string) bool { return true }
		if held, err := lock.Take("n1", text, time.Minute, alive); held != (lock.Pod != "") || held == errors.Is(err, device.ErrLockContention) {
			t.Errorf("%+v taking itself: held %t, error %v", lock, held, err)
		}
	})
}

func FuzzHandshake(f *testing.F) {
	f.Fuzz(func(t *testing.T, value string, allocatable int64, unix int64) {
		now := time.Unix(unix%(1<<37), 0).UTC() // years that RFC 3339 can write
		if now.Year() < 0 || now.Year() > 9999 {
			return
		}
		pending := strings.Contains(value, "Requesting")
		got := device.Handshake(value, allocatable, now)
		if !got.Healthy && (!pending || allocatable > 0) {
			t.Errorf("unhealthy, but requested: %t, allocatable: %d", pending, allocatable)
		}
		if got.Renew == pending || (got.Announce == "") != pending {
			t.Errorf("requested: %t, renew: %t, announce: %q", pending, got.Renew, got.Announce)
		}
		if got != device.Handshake(value, allocatable, now) {
			t.Error("two answers")
		}
		if pending {
			return
		}
		for wait, want := range map[time.Duration]bool{0: true, 59 * time.Second: true, time.Minute: false} {
			if got := device.Handshake(got.Announce, 0, now.Add(wait)); got.Healthy != want || got.Renew {
				t.Errorf("%v after the request: %+v", wait, got)
			}
		}
	})
}

func FuzzParseIDs(f *testing.F) {
	f.Fuzz(func(t *testing.T, use, no, id string) {
		s := device.ParseIDs(use, no)
		mustMatch := strings.TrimSpace(use) != ""
		want := (!mustMatch || listed(use, id)) && !listed(no, id)
		if got := s.AllowsID(id); got != want {
			t.Errorf("use %q, not %q: %q allowed %t", use, no, id, got)
		}
		if s.Everything() && !s.AllowsID(id) {
			t.Errorf("use %q, not %q: everything but %q", use, no, id)
		}
		if s.Everything() != (s.String() == "") {
			t.Errorf("everything %t reads %q", s.Everything(), s.String())
		}
	})
}

func listed(list, id string) bool {
	return id != "" && slices.ContainsFunc(strings.Split(list, ","), func(part string) bool { return strings.TrimSpace(part) == id })
}

func FuzzParseTypes(f *testing.F) {
	f.Fuzz(func(t *testing.T, use, no, model string) {
		s := device.ParseTypes(use, no)
		n := device.NewNodeInfo("n1", device.Inventory{Vendor: "NVIDIA", Devices: []device.DeviceInfo{{Type: model}}})
		mustMatch := strings.TrimSpace(strings.ToLower(use)) != ""
		want := (!mustMatch || matched(use, model)) && !matched(no, model)
		if got := s.AllowsType(n, 0); got != want {
			t.Errorf("use %q, not %q: %q allowed %t", use, no, model, got)
		}
		if s.Everything() && !s.AllowsType(n, 0) {
			t.Errorf("use %q, not %q: everything but %q", use, no, model)
		}
	})
}

func matched(list, model string) bool {
	model = strings.ToLower(model)
	return slices.ContainsFunc(strings.Split(strings.ToLower(list), ","), func(part string) bool {
		part = strings.TrimSpace(part)
		return part != "" && strings.Contains(model, part)
	})
}

func FuzzParseReasons(f *testing.F) {
	f.Fuzz(func(t *testing.T, text string) {
		counts := device.ParseReasons(text)
		var r device.Reasons
		want := map[device.Code]int64{}
		for code, n := range counts {
			if !slices.Contains(device.Codes(), code) || !strings.Contains(text, code.String()) {
				t.Errorf("code %d (%v) is not in %q", code, code, text)
			}
			if code < device.NodeInsufficientDevice && n > 0 && n <= math.MaxInt32 {
				r.Set(code, int(n))
				want[code] = n
			}
		}
		if diff := cmp.Diff(want, device.ParseReasons(r.String()), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%q reads otherwise:\n%s", r.String(), diff)
		}
	})
}
