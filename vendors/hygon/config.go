package hygon

import "github.com/accelfit/accelfit/device"

// Config is the section "hygon".
type Config struct {
	ResourceCountName  string `json:"resourceCountName,omitempty"`
	ResourceMemoryName string `json:"resourceMemoryName,omitempty"`
	ResourceCoreName   string `json:"resourceCoreName,omitempty"`
	MemoryFactor       int32  `json:"memoryFactor,omitempty"` // MiB of one unit
}

// Backends builds the device models of a configuration; the error names the key that is wrong.
func Backends(config Config) ([]device.Backend, error) { return nil, nil }
