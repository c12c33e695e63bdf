package awsneuron

import "github.com/accelfit/accelfit/device"

// Models lists the device models of this vendor, all under the one type that nodes have (spec awsneuron §1): devices of two
// cores, which are Inferentia2 and Trainium1, and of four, which are Inferentia1 and, with its cores joined in pairs as is
// usual, Trainium2 (AWS Neuron documentation, "Neuron hardware"). Cores are the mask of all; memory plays no part.
func Models() []device.Model {
	return []device.Model{model(2), model(4)}
}

func model(cores int64) device.Model {
	return device.Model{Vendor: Vendor, Name: string(Vendor), Slots: cores, Cores: all(cores)}
}
