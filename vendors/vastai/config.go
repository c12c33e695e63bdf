package vastai

import "github.com/accelfit/accelfit/device"

// Config is the section "vastai".
type Config struct {
	ResourceCountName string `json:"resourceCountName,omitempty"`
}

// Backends builds the device models of a configuration; the error names the key that is wrong.
func Backends(config Config) ([]device.Backend, error) { return nil, nil }
