package vendors

// The sections of a HAMi device configuration that no backend reads yet (spec core §15.2). They are kept so that a
// configuration survives loading, and so that unknown keys in them are reported.

// CambriconConfig is the section "cambricon".
type CambriconConfig struct {
	ResourceCountName  string `json:"resourceCountName,omitempty"`
	ResourceMemoryName string `json:"resourceMemoryName,omitempty"`
	ResourceCoreName   string `json:"resourceCoreName,omitempty"`
}

// HygonConfig is the section "hygon".
type HygonConfig struct {
	ResourceCountName  string `json:"resourceCountName,omitempty"`
	ResourceMemoryName string `json:"resourceMemoryName,omitempty"`
	ResourceCoreName   string `json:"resourceCoreName,omitempty"`
	MemoryFactor       int32  `json:"memoryFactor,omitempty"` // MiB of one unit
}

// EnflameConfig is the section "enflame".
type EnflameConfig struct {
	ResourceNameGCU            string `json:"resourceNameGCU,omitempty"`
	ResourceNameDRSGCU         string `json:"resourceNameDRSGCU,omitempty"`
	ResourceNameGCUMemory      string `json:"resourceNameGCUMemory,omitempty"`
	ResourceNameGCUCore        string `json:"resourceNameGCUCore,omitempty"`
	ResourceNameVGCU           string `json:"resourceNameVGCU,omitempty"`
	ResourceNameVGCUPercentage string `json:"resourceNameVGCUPercentage,omitempty"`
}

// MetaxConfig is the section "metax".
type MetaxConfig struct {
	ResourceCountName   string `json:"resourceCountName,omitempty"`
	ResourceVCountName  string `json:"resourceVCountName,omitempty"`
	ResourceVMemoryName string `json:"resourceVMemoryName,omitempty"`
	ResourceVCoreName   string `json:"resourceVCoreName,omitempty"`
	SGPUTopologyAware   bool   `json:"sgpuTopologyAware,omitempty"`
}

// MthreadsConfig is the section "mthreads".
type MthreadsConfig struct {
	ResourceCountName  string `json:"resourceCountName,omitempty"`
	ResourceMemoryName string `json:"resourceMemoryName,omitempty"`
	ResourceCoreName   string `json:"resourceCoreName,omitempty"`
}

// KunlunConfig is the section "kunlun".
type KunlunConfig struct {
	ResourceCountName   string `json:"resourceCountName,omitempty"`
	ResourceVCountName  string `json:"resourceVCountName,omitempty"`
	ResourceVMemoryName string `json:"resourceVMemoryName,omitempty"`
}

// AWSNeuronConfig is the section "awsneuron".
type AWSNeuronConfig struct {
	ResourceCountName string `json:"resourceCountName,omitempty"`
	ResourceCoreName  string `json:"resourceCoreName,omitempty"`
}

// AMDConfig is the section "amd".
type AMDConfig struct {
	ResourceCountName  string `json:"resourceCountName,omitempty"`
	ResourceCoreName   string `json:"resourceCoreName,omitempty"`
	ResourceMemoryName string `json:"resourceMemoryName,omitempty"`
}

// VastaiConfig is the section "vastai".
type VastaiConfig struct {
	ResourceCountName string `json:"resourceCountName,omitempty"`
}

// BirenConfig is the section "biren".
type BirenConfig struct {
	ResourceCountName string `json:"resourceCountName,omitempty"`
}

// IluvatarConfig is an entry of the list "iluvatars".
type IluvatarConfig struct {
	ChipName           string `json:"chipName,omitempty"`
	CommonWord         string `json:"commonWord,omitempty"` // vendor word
	ResourceCountName  string `json:"resourceCountName,omitempty"`
	ResourceMemoryName string `json:"resourceMemoryName,omitempty"`
	ResourceCoreName   string `json:"resourceCoreName,omitempty"`
}

// VNPUsConfig is the section "vnpus": Ascend chips.
type VNPUsConfig struct {
	HAMiVNPUCore bool         `json:"hamiVnpuCore,omitempty"`
	Configs      []VNPUConfig `json:"configs,omitempty"`
}

// VNPUConfig is one Ascend chip.
type VNPUConfig struct {
	ChipName           string         `json:"chipName,omitempty"`
	CommonWord         string         `json:"commonWord,omitempty"` // vendor word
	ResourceName       string         `json:"resourceName,omitempty"`
	ResourceMemoryName string         `json:"resourceMemoryName,omitempty"`
	ResourceCoreName   string         `json:"resourceCoreName,omitempty"`
	MemoryAllocatable  int64          `json:"memoryAllocatable,omitempty"` // MiB
	MemoryCapacity     int64          `json:"memoryCapacity,omitempty"`    // MiB
	MemoryFactor       int32          `json:"memoryFactor,omitempty"`      // MiB of one unit; up to 1: 1
	AICore             int32          `json:"aiCore,omitempty"`
	AICPU              int32          `json:"aiCPU,omitempty"`
	RuntimeClassName   string         `json:"runtimeClassName,omitempty"`
	OverwriteEnv       bool           `json:"overwriteEnv,omitempty"`
	SuperPod           bool           `json:"superPod,omitempty"`
	Templates          []VNPUTemplate `json:"templates,omitempty"`
}

// VNPUTemplate is one way to split an Ascend chip.
type VNPUTemplate struct {
	Name   string `json:"name,omitempty"`
	Memory int64  `json:"memory,omitempty"` // MiB
	AICore int32  `json:"aiCore,omitempty"`
	AICPU  int32  `json:"aiCPU,omitempty"`
}
