package iluvatar

import "github.com/accelfit/accelfit/device"

// Config is an entry of the list "iluvatars".
type Config struct {
	ChipName           string `json:"chipName,omitempty"`
	CommonWord         string `json:"commonWord,omitempty"` // vendor word
	ResourceCountName  string `json:"resourceCountName,omitempty"`
	ResourceMemoryName string `json:"resourceMemoryName,omitempty"`
	ResourceCoreName   string `json:"resourceCoreName,omitempty"`
}

// Backends builds the device models of a configuration; the error names the key that is wrong.
func Backends(configs []Config) ([]device.Backend, error) { return nil, nil }
