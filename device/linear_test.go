package device_test

import (
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/accelfit/accelfit/device"
)

// hostile are texts that make a decoder do as much as it can, repeated to any size. decode's result does not matter.
var hostile = []struct {
	name   string
	text   func(size int) string
	decode func(text string)
}{
	{"registration/devices", array(`{"id":"#"}`), registration},
	{"registration/same_id", array(`{"id":"a"}`), registration},
	{"registration/nulls", array(`{},null`), registration},
	{"registration/profiles", object(`[{"id":"a","migProfiles":[`, `{"name":"#","placements":[{"size":1}]}`, `]}]`), registration},
	{"registration/placements", object(`[{"migProfiles":[{"placements":[`, `{"size":#}`, `]}]}]`), registration},
	{"registration/custom_info", object(`[{"custominfo":{`, `"#":0`, `}}]`), registration},
	{"registration/unknown_keys", object(`[{`, `"k#":0`, `}]`), registration},
	{"registration/deep", nested(`[{"custominfo":{"a":`, "[", "]", `}}]`), registration},
	{"registration/unclosed", nested("", "[", "", ""), registration},
	{"registration/number", nested(`[{"count":`, "9", "", `}]`), registration},
	{"legacy/devices", list("#,1,1,1,T,0,true:"), legacy},
	{"legacy/same_id", list("a,1,1,1,T,0,true:"), legacy},
	{"legacy/fields", list(",") /* and no colon */, legacy},
	{"legacy/many_fields", func(n int) string { return ":" + list(",")(n) }, legacy},
	{"legacy/separators", list(":"), legacy},
	{"legacy/long_field", func(n int) string { return "a," + list("9")(n) + ",1,1,T,0,true:" }, legacy},
	{"links/devices", array(`{"uuid":"#","score":{"a":1}}`), links},
	{"links/scores", object(`[{"uuid":"a","score":{`, `"#":1`, `}}]`), links},
	{"allocation/devices", list("u#,N,1,1:"), allocation},
	{"allocation/unreadable", list("u#,:"), allocation},
	{"allocation/containers", list(";"), allocation},
	{"allocation/fields", list(","), allocation},
	{"reservations/entries", array(`{"deviceIndex":#,"gpuUUID":"g","profile":"p","placement":{"size":1}}`), reservations},
	{"lock/parts", list(","), func(text string) { _, _ = device.ParseLock(text) }},
	{"selection/ids", list("#,"), func(text string) { s := device.ParseIDs(text, text); s.AllowsID("x") }},
	{"selection/types", list("#,"), func(text string) { device.ParseTypes(text, text) }},
	{"reasons/parts", list("1/# CardCordoned, "), func(text string) { device.ParseReasons(text) }},
}

func registration(text string) { _, _, _ = device.DecodeRegistration(text, device.RefuseAll) }
func legacy(text string)       { _, _, _ = device.DecodeLegacyRegistration(text, device.RefuseAll) }
func links(text string)        { _, _ = device.DecodeLinkScores(text) }
func reservations(text string) { _, _ = device.DecodeMIGReservations(text) }

func allocation(text string) {
	if _, _, _, err := device.DecodeAllocation(text, "N"); err != nil {
		_ = device.In("key", err).Error() // as a report would
	}
}

// list repeats a piece, each # a number of its own, up to a size.
func list(piece string) func(size int) string {
	return func(size int) string {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			b.WriteString(strings.ReplaceAll(piece, "#", strconv.Itoa(i)))
		}
		return b.String()
	}
}

// object is a list between two texts, its pieces separated by commas.
func object(head, piece, tail string) func(size int) string {
	return func(size int) string { return head + strings.TrimSuffix(list(piece+",")(size), ",") + tail }
}

func array(piece string) func(size int) string { return object("[", piece, "]") }

// nested repeats an opening, then as many closings.
func nested(head, open, shut, tail string) func(size int) string {
	return func(size int) string {
		n := size / (len(open) + len(shut))
		return head + strings.Repeat(open, n) + strings.Repeat(shut, n) + tail
	}
}

// TestDecodersAreLinear measures what decoders allocate for hostile texts of 256 KiB and 1 MiB. Four times the text may
// cost four times as much, half as much on top for slices that grow in steps. With -short the texts are an eighth as long.
func TestDecodersAreLinear(t *testing.T) {
	size := 1 << 20
	if testing.Short() {
		size /= 8
	}
	for _, h := range hostile {
		t.Run(h.name, func(t *testing.T) {
			small, large := h.text(size/4), h.text(size)
			h.decode(h.text(100)) // what is made once and kept
			smallAllocs, smallBytes := cost(func() { h.decode(small) })
			largeAllocs, largeBytes := cost(func() { h.decode(large) })
			const some = 100 // that do not depend on the text
			if largeAllocs > 6*smallAllocs+some {
				t.Errorf("%d allocations for %d bytes, %d for four times as many", smallAllocs, size/4, largeAllocs)
			}
			if largeBytes > 6*smallBytes+some<<10 {
				t.Errorf("%d bytes allocated for %d bytes, %d for four times as many", smallBytes, size/4, largeBytes)
			}
			if limit := uint64(600 * size); largeBytes > limit {
				t.Errorf("%d bytes allocated for %d, more than %d", largeBytes, size, limit)
			}
		})
	}
}

// cost counts what f allocates. Nothing else runs meanwhile: tests of this package are not parallel.
func cost(f func()) (allocs, bytes uint64) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.Mallocs - before.Mallocs, after.TotalAlloc - before.TotalAlloc
}

// TestNodeInfoOfHostileRegistration: link scores between very many devices are not laid out as a square.
func TestNodeInfoOfHostileRegistration(t *testing.T) {
	node := func(devices int) *device.NodeInfo {
		inv := device.Inventory{Vendor: "N"}
		for i := range devices {
			inv.Devices = append(inv.Devices, device.DeviceInfo{ID: strconv.Itoa(i), LinkScores: map[string]int64{"0": 1}})
		}
		return device.NewNodeInfo("n1", inv)
	}
	smallAllocs, smallBytes := cost(func() { node(5000) })
	largeAllocs, largeBytes := cost(func() { node(20000) })
	if largeAllocs > 5*smallAllocs || largeBytes > 5*smallBytes {
		t.Errorf("5000 devices: %d allocations, %d bytes; 20000 devices: %d and %d", smallAllocs, smallBytes, largeAllocs, largeBytes)
	}
}

// BenchmarkDecode1MiB shows the time per byte of each hostile text.
func BenchmarkDecode1MiB(b *testing.B) {
	for _, h := range hostile {
		b.Run(h.name, func(b *testing.B) {
			text := h.text(1 << 20)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				h.decode(text)
			}
		})
	}
}
