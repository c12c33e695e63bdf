package conformance

import (
	"encoding/json"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/device/devicetest"
	"github.com/accelfit/accelfit/internal/testkit"
	"github.com/accelfit/accelfit/vendors/awsneuron"
)

// AWSNeuron is the harness of AWS Neuron devices: Inferentia, whose devices are neighbours in any run, and Trainium, whose
// neighbours are 4, 8 or 16, with two cores and with four.
func AWSNeuron() devicetest.Harness {
	h := Usual(awsneuron.Vendor)
	models := testkit.ModelsOf(awsneuron.Vendor)
	for _, n := range []struct {
		instance string
		model    int
		devices  int
	}{{"inf1.24xlarge", 1, 16}, {"inf2.48xlarge", 0, 12}, {"trn1.32xlarge", 0, 16}, {"trn2.48xlarge", 1, 16}} {
		h.Nodes = append(h.Nodes, Node(h.Backend, edited(testkit.UsualDevices(h.Backend, &models[n.model], n.devices),
			func(_ int, d *device.DeviceInfo) {
				name, _ := json.Marshal(n.instance)
				d.CustomInfo = map[string]json.RawMessage{"AWSNodeType": name}
			})))
	}
	const whole, cores = "aws.amazon.com/neuron", "aws.amazon.com/neuroncore"
	const some = "n-AWSNeuron-0,n-AWSNeuron-1,n-AWSNeuron-2,n-AWSNeuron-3"
	for _, limits := range []Limits{{whole: 1}, {whole: 2}, {whole: 4}, {whole: 8}, {cores: 1}, {cores: 2}, {cores: 4}, {cores: 12}} {
		h.Pods = append(h.Pods, Pod(limits))
	}
	h.Pods = append(h.Pods,
		Pod(Limits{cores: 1}, awsneuron.AnnotationUseUUID, some),
		Pod(Limits{whole: 2}, awsneuron.AnnotationUseUUID, some),
		Pod(Limits{whole: 4}, awsneuron.AnnotationNoUseUUID, some),
		Pod(Limits{cores: 2}, device.AnnotationDevicePolicy, "mutex"),
	)
	h.Claims = devicetest.Claims{
		Modes:    []string{""},
		Policies: []string{"mutex"},
		Codes: []device.Code{
			device.NumaNotFit, device.CardUuidMismatch, device.CardInsufficientCore, device.ResourceQuotaNotFit, device.NodeInsufficientDevice,
		},
		Waived: map[string]string{
			"larger request": "several devices of instances other than Inferentia are 4, 8 or 16 (spec awsneuron §9.2), " +
				"and more cores than a device has are whole devices (nD1): 3 of two each fit nowhere, and 6 do",
		},
	}
	return h
}
