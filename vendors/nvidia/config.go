package nvidia

import (
	"errors"
	"fmt"
	"strings"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/kit"
)

// Vendor is the vendor word.
const Vendor device.Vendor = "NVIDIA"

// Annotation keys.
const (
	AnnotationRegister   = "hami.io/node-nvidia-register"     // node: devices, JSON form
	AnnotationLinkScores = "hami.io/node-nvidia-score"        // node: scores of device pairs
	AnnotationHandshake  = "hami.io/node-handshake"           // node
	AnnotationToAllocate = "hami.io/vgpu-devices-to-allocate" // pod
	AnnotationAllocated  = "hami.io/vgpu-devices-allocated"   // pod
	AnnotationMIG        = device.AnnotationMIGReservation    // pod: reserved instances
	AnnotationUseType    = "nvidia.com/use-gputype"           // pod: fragments of model names
	AnnotationNoUseType  = "nvidia.com/nouse-gputype"         // pod
	AnnotationUseUUID    = "nvidia.com/use-gpuuuid"           // pod: ids
	AnnotationNoUseUUID  = "nvidia.com/nouse-gpuuuid"         // pod
	AnnotationMode       = "nvidia.com/vgpu-mode"             // pod: modes, as a text that contains them
)

// Config is the section "nvidia" of a HAMi device configuration (spec core §15.2). Settings of the node agent are kept for
// callers; they change no decision here.
type Config struct {
	ResourceCountName            string `json:"resourceCountName,omitempty"`
	ResourceMemoryName           string `json:"resourceMemoryName,omitempty"`
	ResourceMemoryPercentageName string `json:"resourceMemoryPercentageName,omitempty"`
	ResourceCoreName             string `json:"resourceCoreName,omitempty"`
	ResourcePriorityName         string `json:"resourcePriorityName,omitempty"`

	OverwriteEnv     bool   `json:"overwriteEnv,omitempty"`     // hide all GPUs from containers that ask for none
	DefaultMemory    int32  `json:"defaultMemory,omitempty"`    // MiB where none is given; 0: the whole card
	DefaultCores     int32  `json:"defaultCores,omitempty"`     // percent where none is given
	DefaultGPUNum    int32  `json:"defaultGPUNum,omitempty"`    // cards where only memory or cores are given; 0: none
	MemoryFactor     int32  `json:"memoryFactor,omitempty"`     // MiB of one unit of the memory resource; below 1: 1
	DisableCoreLimit bool   `json:"disableCoreLimit,omitempty"` // kept, not used
	GPUCorePolicy    string `json:"gpuCorePolicy,omitempty"`    // default, force or disable
	RuntimeClassName string `json:"runtimeClassName,omitempty"` // set on pods that have none

	MIGProfileAllowlist []AllowedProfiles `json:"migProfileAllowlist,omitempty"`

	DeviceSplitCount          uint32  `json:"deviceSplitCount,omitempty"`
	DeviceMemoryScaling       float64 `json:"deviceMemoryScaling,omitempty"`
	DeviceCoreScaling         float64 `json:"deviceCoreScaling,omitempty"`
	PreConfiguredDeviceMemory int64   `json:"preConfiguredDeviceMemory,omitempty"`
	LibCudaLogLevel           string  `json:"libCudaLogLevel,omitempty"`
	EnableNumaTopology        bool    `json:"enableNumaTopology,omitempty"`
}

// AllowedProfiles lists the MIG profiles that the node agent offers on cards whose model name contains one of Models.
type AllowedProfiles struct {
	Models   []string `json:"models,omitempty"`
	Profiles []string `json:"profiles,omitempty"`
}

// DefaultConfig is HAMi's built-in configuration.
func DefaultConfig() Config {
	return Config{
		ResourceCountName:            "nvidia.com/gpu",
		ResourceMemoryName:           "nvidia.com/gpumem",
		ResourceMemoryPercentageName: "nvidia.com/gpumem-percentage",
		ResourceCoreName:             "nvidia.com/gpucores",
		ResourcePriorityName:         "nvidia.com/priority",
		DefaultGPUNum:                1,
	}
}

func (c *Config) validate() error {
	for _, f := range []struct {
		name  string
		value int32
	}{{"defaultMemory", c.DefaultMemory}, {"defaultCores", c.DefaultCores}, {"defaultGPUNum", c.DefaultGPUNum}} {
		if f.value < 0 {
			return fmt.Errorf("%s: must not be negative: %d", f.name, f.value)
		}
	}
	for i, a := range c.MIGProfileAllowlist {
		if len(a.Models) == 0 || len(a.Profiles) == 0 {
			return fmt.Errorf("migProfileAllowlist[%d]: %w", i, errAllowlist)
		}
		for _, p := range a.Profiles {
			if slice, _, ok := strings.Cut(p, "."); !ok || len(slice) < 2 || !strings.HasSuffix(slice, "g") {
				return fmt.Errorf("migProfileAllowlist[%d]: invalid MIG profile %q", i, p)
			}
		}
	}
	return nil
}

var errAllowlist = errors.New("MIG profile allowlist must define models and profiles")

type base = kit.Base[Config]

// Backend is the device model. It implements [device.Backend] and [device.Annotator].
type Backend struct {
	base
	config *Config // that of base, to be read without a copy
}

// New builds the device model from a configuration; the error names the key that is wrong.
func New(config Config) (*Backend, error) {
	if err := config.validate(); err != nil {
		return nil, fmt.Errorf("nvidia: %w", err)
	}
	names := device.Names{
		Count: config.ResourceCountName, Memory: config.ResourceMemoryName,
		Percent: config.ResourceMemoryPercentageName, Cores: config.ResourceCoreName,
		Others:       []string{config.ResourcePriorityName},
		MemoryFactor: config.factor(),
		Register:     AnnotationRegister, Handshake: AnnotationHandshake,
		ToAllocate: AnnotationToAllocate, Allocated: AnnotationAllocated,
		PodKeys: []string{AnnotationUseType, AnnotationNoUseType, AnnotationUseUUID, AnnotationNoUseUUID, AnnotationMode},
		Writes:  []string{AnnotationMIG},
		Lock:    device.AnnotationLock, CleanUp: AnnotationHandshake, Keeps: true,
	}
	return &Backend{kit.NewBase(config, Vendor, names), &config}, nil
}

// Backends builds the device models of a configuration: one.
func Backends(config Config) ([]device.Backend, error) {
	b, err := New(config)
	if err != nil {
		return nil, err
	}
	return []device.Backend{b}, nil
}

func (c *Config) factor() int64 { return max(1, int64(c.MemoryFactor)) }
