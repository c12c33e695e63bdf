package kit

import (
	"fmt"

	"github.com/accelfit/accelfit/device"
)

// Expressible says whether a vendor's node agent can tell of the devices by their number alone: told is how the device i then
// reads. The error names the first device and field that are otherwise.
func Expressible(devices []device.DeviceInfo, told func(i int) device.DeviceInfo) error {
	for i := range devices {
		read := told(i)
		if field := unread(&devices[i], &read); field != "" {
			return fmt.Errorf("device %s: %s: not what is read of a node with so many devices", devices[i].ID, field)
		}
	}
	return nil
}
