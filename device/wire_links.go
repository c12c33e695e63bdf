package device

import "encoding/json"

type wireLinks struct {
	UUID  string           `json:"uuid"`
	Score map[string]int64 `json:"score"`
}

// DecodeLinkScores reads an annotation with the scores of device pairs (spec core §2.3): an array of
// {"uuid": id, "score": {other id: integer}}. null and [] are no scores. Of several entries with one id the first stands.
// An entry that cannot be read makes the whole text a [*DecodeError].
func DecodeLinkScores(text string) (map[string]map[string]int64, error) {
	entries, err := decodeArray(text)
	if err != nil {
		return nil, err
	}
	out := make(map[string]map[string]int64, len(entries))
	for i, entry := range entries {
		var w wireLinks
		if err := decodeEntry(entry, &w); err != nil {
			return nil, deviceError(i, "", err)
		}
		if _, seen := out[w.UUID]; !seen {
			out[w.UUID] = w.Score
		}
	}
	return out, nil
}

// EncodeLinkScores writes the link scores of the devices that have some, in the order of the devices.
func EncodeLinkScores(devices []DeviceInfo) (string, error) {
	out := []wireLinks{}
	for i := range devices {
		if len(devices[i].LinkScores) > 0 {
			out = append(out, wireLinks{devices[i].ID, devices[i].LinkScores})
		}
	}
	text, err := json.Marshal(out)
	return string(text), err
}
