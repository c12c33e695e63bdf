package metax

import "github.com/accelfit/accelfit/device"

// Config is the section "metax".
type Config struct {
	ResourceCountName   string `json:"resourceCountName,omitempty"`
	ResourceVCountName  string `json:"resourceVCountName,omitempty"`
	ResourceVMemoryName string `json:"resourceVMemoryName,omitempty"`
	ResourceVCoreName   string `json:"resourceVCoreName,omitempty"`
	SGPUTopologyAware   bool   `json:"sgpuTopologyAware,omitempty"`
}

// Backends builds the device models of a configuration; the error names the key that is wrong.
func Backends(config Config) ([]device.Backend, error) { return nil, nil }
