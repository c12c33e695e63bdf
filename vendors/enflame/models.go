package enflame

import "github.com/accelfit/accelfit/device"

// What a DRS card of the examples has (spec enflame §II.4).
const (
	drsSlices = 6
	drsGB     = 40
)

// Models lists the device models of this vendor, under the types that are read of nodes: a whole card, of which percent are counted
// (spec enflame §I.3), and the DRS card of the example in §II.4, with instances of 1, 2, 3 or 6 slices.
func Models() []device.Model {
	return []device.Model{
		{Vendor: VendorGCU, Name: string(VendorGCU), Slots: 1, Memory: whole, Cores: whole},
		{Vendor: Vendor, Name: string(Vendor), Slots: drsSlices, Memory: drsGB * 1024, Cores: whole},
	}
}
