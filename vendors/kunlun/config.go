package kunlun

import "github.com/accelfit/accelfit/device"

// Config is the section "kunlun".
type Config struct {
	ResourceCountName   string `json:"resourceCountName,omitempty"`
	ResourceVCountName  string `json:"resourceVCountName,omitempty"`
	ResourceVMemoryName string `json:"resourceVMemoryName,omitempty"`
}

// Backends builds the device models of a configuration; the error names the key that is wrong.
func Backends(config Config) ([]device.Backend, error) { return nil, nil }
