package mthreads

import "github.com/accelfit/accelfit/device"

// Models lists the device models of this vendor, all under the one type that nodes have (spec mthreads §5): the MTT S4000 with
// 48 GB and the MTT S3000 with 32 GB (Moore Threads, data sheets of both).
func Models() []device.Model {
	return []device.Model{model(49152), model(32768)}
}

func model(memory int64) device.Model {
	return device.Model{Vendor: Vendor, Name: string(Vendor), Slots: slots, Memory: memory, Cores: cores}
}
