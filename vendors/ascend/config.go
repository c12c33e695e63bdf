package ascend

import "github.com/accelfit/accelfit/device"

// Config is the section "vnpus": Ascend chips.
type Config struct {
	HAMiVNPUCore bool   `json:"hamiVnpuCore,omitempty"`
	Configs      []Chip `json:"configs,omitempty"`
}

// Chip is one Ascend chip.
type Chip struct {
	ChipName           string     `json:"chipName,omitempty"`
	CommonWord         string     `json:"commonWord,omitempty"` // vendor word
	ResourceName       string     `json:"resourceName,omitempty"`
	ResourceMemoryName string     `json:"resourceMemoryName,omitempty"`
	ResourceCoreName   string     `json:"resourceCoreName,omitempty"`
	MemoryAllocatable  int64      `json:"memoryAllocatable,omitempty"` // MiB
	MemoryCapacity     int64      `json:"memoryCapacity,omitempty"`    // MiB
	MemoryFactor       int32      `json:"memoryFactor,omitempty"`      // MiB of one unit; up to 1: 1
	AICore             int32      `json:"aiCore,omitempty"`
	AICPU              int32      `json:"aiCPU,omitempty"`
	RuntimeClassName   string     `json:"runtimeClassName,omitempty"`
	OverwriteEnv       bool       `json:"overwriteEnv,omitempty"`
	SuperPod           bool       `json:"superPod,omitempty"`
	Templates          []Template `json:"templates,omitempty"`
}

// Template is one way to split an Ascend chip.
type Template struct {
	Name   string `json:"name,omitempty"`
	Memory int64  `json:"memory,omitempty"` // MiB
	AICore int32  `json:"aiCore,omitempty"`
	AICPU  int32  `json:"aiCPU,omitempty"`
}

// Backends builds the device models of a configuration; the error names the key that is wrong.
func Backends(config Config) ([]device.Backend, error) { return nil, nil }
