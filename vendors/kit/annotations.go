package kit

import (
	"encoding/json"
	"iter"
	"strconv"
	"time"

	"github.com/accelfit/accelfit/device"
)

// JSON is a value of texts, numbers and lists of them as JSON.
func JSON(value any) json.RawMessage {
	text, err := json.Marshal(value)
	if err != nil {
		panic("kit: texts and numbers are no JSON: " + err.Error()) // our own broken invariant
	}
	return text
}

// Stamp sets an annotation to a time in nanoseconds since 1970; a zero time leaves it out.
func Stamp(annotations map[string]string, key string, now time.Time) {
	if !now.IsZero() {
		annotations[key] = strconv.FormatInt(now.UnixNano(), 10)
	}
}

// PerContainer goes through the devices of an allocation container by container, those without devices left out.
func PerContainer(devices []device.ContainerDevice) iter.Seq[[]device.ContainerDevice] {
	return func(yield func([]device.ContainerDevice) bool) {
		for rest := devices; len(rest) > 0; {
			n := 1
			for n < len(rest) && rest[n].Container == rest[0].Container {
				n++
			}
			if !yield(rest[:n]) {
				return
			}
			rest = rest[n:]
		}
	}
}
