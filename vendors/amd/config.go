package amd

import "github.com/accelfit/accelfit/device"

// Config is the section "amd".
type Config struct {
	ResourceCountName  string `json:"resourceCountName,omitempty"`
	ResourceCoreName   string `json:"resourceCoreName,omitempty"`
	ResourceMemoryName string `json:"resourceMemoryName,omitempty"`
}

// Backends builds the device models of a configuration; the error names the key that is wrong.
func Backends(config Config) ([]device.Backend, error) { return nil, nil }
