package enflame

import "github.com/accelfit/accelfit/device"

// Config is the section "enflame".
type Config struct {
	ResourceNameGCU            string `json:"resourceNameGCU,omitempty"`
	ResourceNameDRSGCU         string `json:"resourceNameDRSGCU,omitempty"`
	ResourceNameGCUMemory      string `json:"resourceNameGCUMemory,omitempty"`
	ResourceNameGCUCore        string `json:"resourceNameGCUCore,omitempty"`
	ResourceNameVGCU           string `json:"resourceNameVGCU,omitempty"`
	ResourceNameVGCUPercentage string `json:"resourceNameVGCUPercentage,omitempty"`
}

// Backends builds the device models of a configuration; the error names the key that is wrong.
func Backends(config Config) ([]device.Backend, error) { return nil, nil }
