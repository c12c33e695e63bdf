package device_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/accelfit/accelfit/device"
)

func (s *scenario) readRegister(t *testing.T, d *datadriven.TestData) string {
	devices, dropped, err := device.DecodeRegistration(text(t, d, d.Input), device.BadEntries(d.HasArg("skip")))
	return showRegistration(devices, dropped, err)
}

func (s *scenario) readLegacy(t *testing.T, d *datadriven.TestData) string {
	devices, dropped, err := device.DecodeLegacyRegistration(text(t, d, d.Input), device.BadEntries(d.HasArg("skip")))
	return showRegistration(devices, dropped, err)
}

func showRegistration(devices []device.DeviceInfo, dropped []error, err error) string {
	if err != nil {
		return failure(err)
	}
	var out []string
	for i := range devices {
		out = append(out, showDevice(&devices[i]))
	}
	for _, err := range dropped {
		out = append(out, fmt.Sprintf("dropped: %v", err))
	}
	return report(out, "no devices")
}

func showDevice(d *device.DeviceInfo) string {
	health := "unhealthy"
	if d.Healthy {
		health = "healthy"
	}
	line := fmt.Sprintf("%s: index=%d count=%d devmem=%d devcore=%d type=%s numa=%d mode=%s %s",
		word(d.ID), d.Index, d.Slots, d.Memory, d.Cores, word(d.Type), d.NUMA, word(d.Mode), health)
	for _, p := range d.MIGProfiles {
		line += fmt.Sprintf("\n  profile %s: memory=%d core=%d slices=%d placements=%s",
			word(p.Name), p.Memory, p.Cores, p.Slices, showPlacements(p.Placements))
	}
	for _, key := range slices.Sorted(maps.Keys(d.CustomInfo)) {
		line += fmt.Sprintf("\n  custominfo %s: %s", key, d.CustomInfo[key])
	}
	return line
}

func showPlacements(at []device.Placement) string {
	var out []string
	for _, p := range at {
		out = append(out, fmt.Sprintf("%d+%d", p.Start, p.Size))
	}
	return strings.Join(out, ",")
}

func (s *scenario) writeRegister(t *testing.T, d *datadriven.TestData) string {
	return written(device.EncodeRegistration(s.devices(t, d)))
}

func (s *scenario) writeLegacy(t *testing.T, d *datadriven.TestData) string {
	return written(device.EncodeLegacyRegistration(s.devices(t, d)))
}

func written(text string, err error) string {
	if err != nil {
		return failure(err)
	}
	return text
}

// devices reads one device a line, for example: a index=2 count=10 devmem=8000 type=T healthy.
func (s *scenario) devices(t *testing.T, d *datadriven.TestData) []device.DeviceInfo {
	var out []device.DeviceInfo
	for _, line := range lines(t, d) {
		id, rest, _ := strings.Cut(line, " ")
		if id == "" {
			continue
		}
		f := fields(rest)
		info := device.DeviceInfo{
			ID: id, Index: int(number(t, d, f["index"])), Vendor: device.Vendor(f["vendor"]), Type: f["type"], Mode: f["mode"],
			Slots: number(t, d, f["count"]), Memory: number(t, d, f["devmem"]), Cores: number(t, d, f["devcore"]),
			NUMA: int(number(t, d, f["numa"])), Healthy: f["healthy"] != "",
		}
		if f["custominfo"] != "" {
			info.CustomInfo = map[string]json.RawMessage{"NetworkID": json.RawMessage(f["custominfo"])}
		}
		for _, link := range strings.FieldsFunc(f["links"], func(r rune) bool { return r == ',' }) {
			other, score, _ := strings.Cut(link, ":")
			if info.LinkScores == nil {
				info.LinkScores = map[string]int64{}
			}
			info.LinkScores[other] = number(t, d, score)
		}
		out = append(out, info)
	}
	return out
}

func (s *scenario) readLinks(t *testing.T, d *datadriven.TestData) string {
	scores, err := device.DecodeLinkScores(text(t, d, d.Input))
	if err != nil {
		return failure(err)
	}
	var out []string
	for _, id := range slices.Sorted(maps.Keys(scores)) {
		line := word(id) + ":"
		for _, other := range slices.Sorted(maps.Keys(scores[id])) {
			line += fmt.Sprintf(" %s=%d", word(other), scores[id][other])
		}
		out = append(out, line)
	}
	return report(out, "no scores")
}

func (s *scenario) writeLinks(t *testing.T, d *datadriven.TestData) string {
	return written(device.EncodeLinkScores(s.devices(t, d)))
}
