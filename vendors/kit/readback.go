package kit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/accelfit/accelfit/device"
)

// reader is the part of [device.Backend] that reads a node.
type reader interface {
	Inventory(*corev1.Node) device.Inventory
}

// ReadsBack checks that a node which a model has described reads as the devices it was described with; the error names the
// first device and field that the description does not tell of.
func ReadsBack(b reader, node *corev1.Node, devices []device.DeviceInfo) error {
	inv := b.Inventory(node)
	switch {
	case inv.Err != nil && len(devices) > 0:
		return inv.Err
	case len(inv.Problems) > 0:
		return inv.Problems[0]
	case len(inv.Devices) != len(devices):
		return fmt.Errorf("%d devices are described as %d", len(devices), len(inv.Devices))
	}
	for i := range devices {
		if field := unread(&devices[i], &inv.Devices[i]); field != "" {
			return fmt.Errorf("device %s: %s: cannot be described", devices[i].ID, field)
		}
	}
	return nil
}

// unread names a field in which a device is not as it was described.
func unread(want, read *device.DeviceInfo) string {
	w, r := *want, *read
	switch {
	case w.Cores != r.Cores:
		return "cores"
	case !maps.EqualFunc(w.CustomInfo, r.CustomInfo, sameJSON):
		return "custom info"
	}
	w.CustomInfo, r.CustomInfo = nil, nil
	return firstDifference(&w, &r)
}

func sameJSON(a, b json.RawMessage) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}

func sameProfile(a, b device.MIGProfile) bool {
	same := slices.Equal(a.Placements, b.Placements)
	a.Placements, b.Placements = nil, nil
	return same && reflect.DeepEqual(a, b)
}

// linked says whether all scores of a are in b; a missing one is 0.
func linked(a, b map[string]int64) bool {
	for id, score := range a {
		if b[id] != score {
			return false
		}
	}
	return true
}

// firstDifference names a field in which a device is not as it would be read.
func firstDifference(want, read *device.DeviceInfo) string {
	for _, f := range []struct {
		name string
		same bool
	}{
		{"id", want.ID == read.ID},
		{"index", want.Index == read.Index},
		{"mode", want.Mode == read.Mode},
		{"type", want.Type == read.Type},
		{"slots", want.Slots == read.Slots},
		{"memory", want.Memory == read.Memory},
		{"NUMA node", want.NUMA == read.NUMA},
		{"vendor word of requests", want.ScoredAs == "" || want.ScoredAs == read.ScoredAs},
		{"health", want.Healthy == read.Healthy},
		{"cordon", want.Cordoned == read.Cordoned},
		{"MIG profiles", slices.EqualFunc(want.MIGProfiles, read.MIGProfiles, sameProfile)},
		{"link scores", linked(want.LinkScores, read.LinkScores) && linked(read.LinkScores, want.LinkScores)},
		{"custom info", len(want.CustomInfo) == 0},
	} {
		if !f.same {
			return f.name
		}
	}
	return ""
}
