package simulate

import (
	"fmt"

	"github.com/accelfit/accelfit/device"
)

// EditDevices changes what a node's devices are: one fails, is cordoned, has less memory than it said. edit is called for
// each device in turn and may change everything but its ID and Vendor, which are put back; what pods hold on the node stays.
// What it counts against quotas is counted anew, as the vendor charges the changed devices. The node's object is not changed,
// so that templates made of it know nothing of the change. The error wraps [ErrNoNode]. Cost: that of reading the node anew.
func (s *Snapshot) EditDevices(name string, edit func(d *device.DeviceInfo)) error {
	old, ok := s.nodes.Get(name)
	if !ok {
		return fmt.Errorf("node %s: %w", name, ErrNoNode)
	}
	was := old.usage.Info()
	var inventories []device.Inventory
	for _, v := range was.Described() {
		inv := was.Inventory(v)
		for i := range inv.Devices {
			d := &inv.Devices[i]
			id := d.ID
			edit(d)
			d.ID, d.Vendor = id, v
		}
		inventories = append(inventories, inv)
	}
	info := device.NewNodeInfo(name, inventories...)
	for i := range old.holdings {
		h := &old.holdings[i]
		s.quotas = s.quotas.Give(h.Namespace, h.Allocation, was)
	}
	s.addNode(newNode(old.object, info, old.holdings))
	return nil
}
