package vendors

import (
	_ "embed" // chart.yaml
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/amd"
	"github.com/accelfit/accelfit/vendors/ascend"
	"github.com/accelfit/accelfit/vendors/awsneuron"
	"github.com/accelfit/accelfit/vendors/biren"
	"github.com/accelfit/accelfit/vendors/cambricon"
	"github.com/accelfit/accelfit/vendors/enflame"
	"github.com/accelfit/accelfit/vendors/hygon"
	"github.com/accelfit/accelfit/vendors/iluvatar"
	"github.com/accelfit/accelfit/vendors/kunlun"
	"github.com/accelfit/accelfit/vendors/metax"
	"github.com/accelfit/accelfit/vendors/mthreads"
	"github.com/accelfit/accelfit/vendors/nvidia"
	"github.com/accelfit/accelfit/vendors/vastai"
)

// Config is a HAMi device configuration (spec core §15.2).
type Config struct {
	NVIDIA    nvidia.Config     `json:"nvidia,omitempty"`
	Cambricon cambricon.Config  `json:"cambricon,omitempty"`
	Hygon     hygon.Config      `json:"hygon,omitempty"`
	Enflame   enflame.Config    `json:"enflame,omitempty"`
	Metax     metax.Config      `json:"metax,omitempty"`
	Mthreads  mthreads.Config   `json:"mthreads,omitempty"`
	Kunlun    kunlun.Config     `json:"kunlun,omitempty"`
	AWSNeuron awsneuron.Config  `json:"awsneuron,omitempty"`
	AMD       amd.Config        `json:"amd,omitempty"`
	Vastai    vastai.Config     `json:"vastai,omitempty"`
	Biren     biren.Config      `json:"biren,omitempty"`
	Iluvatars []iluvatar.Config `json:"iluvatars,omitempty"`
	VNPUs     ascend.Config     `json:"vnpus,omitempty"`
}

var errEmptyConfig = errors.New("all configurations are empty")

// chart is the configuration that HAMi's chart renders with its default values.
//
//go:embed chart.yaml
var chart []byte

// Default is the set of all vendors with the resource names and settings of HAMi's chart.
func Default() *Set {
	s, err := Load(chart)
	if err != nil {
		panic("vendors: the built-in configuration is invalid: " + err.Error()) // our own broken invariant
	}
	return s
}

// Load makes a set from a HAMi device configuration in YAML or JSON. A vendor whose section is missing recognises no
// request. Unknown keys are no errors; [Set.Problems] lists them. Values of the wrong type or range are errors that name the key, and
// so is a configuration in which every section is empty.
func Load(text []byte) (*Set, error) {
	doc, err := yaml.YAMLToJSON(text)
	if err != nil {
		return nil, fmt.Errorf("device configuration: %w", err)
	}
	var config Config
	if err := json.Unmarshal(doc, &config); err != nil {
		return nil, fmt.Errorf("device configuration: %w", plain(err))
	}
	if empty(config) {
		return nil, fmt.Errorf("device configuration: %w", errEmptyConfig)
	}
	s, err := fromConfig(config)
	if err != nil {
		return nil, fmt.Errorf("device configuration: %w", err)
	}
	s.problems = diagnose(doc)
	return s, nil
}

// empty says whether the sections, a list without entries among them, hold nothing.
func empty(c Config) bool {
	if len(c.Iluvatars) == 0 {
		c.Iluvatars = nil
	}
	return reflect.ValueOf(c).IsZero()
}

// backends builds the device models of every section.
func (c *Config) backends() ([]device.Backend, error) {
	var all []device.Backend
	for _, build := range []func() ([]device.Backend, error){
		func() ([]device.Backend, error) { return nvidia.Backends(c.NVIDIA) },
		func() ([]device.Backend, error) { return cambricon.Backends(c.Cambricon) },
		func() ([]device.Backend, error) { return hygon.Backends(c.Hygon) },
		func() ([]device.Backend, error) { return enflame.Backends(c.Enflame) },
		func() ([]device.Backend, error) { return metax.Backends(c.Metax) },
		func() ([]device.Backend, error) { return mthreads.Backends(c.Mthreads) },
		func() ([]device.Backend, error) { return kunlun.Backends(c.Kunlun) },
		func() ([]device.Backend, error) { return awsneuron.Backends(c.AWSNeuron) },
		func() ([]device.Backend, error) { return amd.Backends(c.AMD) },
		func() ([]device.Backend, error) { return vastai.Backends(c.Vastai) },
		func() ([]device.Backend, error) { return biren.Backends(c.Biren) },
		func() ([]device.Backend, error) { return iluvatar.Backends(c.Iluvatars) },
		func() ([]device.Backend, error) { return ascend.Backends(c.VNPUs) },
	} {
		backends, err := build()
		if err != nil {
			return nil, err
		}
		all = append(all, backends...)
	}
	return all, nil
}

func fromConfig(config Config) (*Set, error) {
	backends, err := config.backends()
	if err != nil {
		return nil, err
	}
	s, err := New(backends...)
	if err != nil {
		return nil, err
	}
	s.config = config
	return s, nil
}

// Config returns the configuration the set was loaded from; zero for a set made by New.
func (s *Set) Config() Config { return s.config }

// plain says which key has a value of the wrong type, without naming Go types.
func plain(err error) error {
	if t := (*json.UnmarshalTypeError)(nil); errors.As(err, &t) {
		if t.Field == "" {
			return fmt.Errorf("%s is not %s", t.Value, kind(t.Type))
		}
		return fmt.Errorf("%s: %s is not %s", t.Field, t.Value, kind(t.Type))
	}
	return err
}

func kind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "a list"
	case reflect.Struct:
		return "a mapping"
	case reflect.Float64:
		return "a number"
	}
	return "a whole number in range"
}

func diagnose(doc []byte) []device.Problem {
	var out []device.Problem
	for _, key := range unknownKeys(doc, reflect.TypeFor[Config](), "") {
		out = append(out, device.Problem{Object: "device configuration", Err: fmt.Errorf("%s: unknown key", key)})
	}
	return out
}

// unknownKeys lists the keys of a JSON document that a type has no field for, with their path.
func unknownKeys(doc []byte, t reflect.Type, path string) []string {
	var out []string
	switch t.Kind() {
	case reflect.Struct:
		var object map[string]json.RawMessage
		if json.Unmarshal(doc, &object) != nil {
			return nil
		}
		for key, value := range object {
			at := strings.TrimPrefix(path+"."+key, ".")
			if f, ok := fieldNamed(t, key); ok {
				out = append(out, unknownKeys(value, f.Type, at)...)
			} else {
				out = append(out, at)
			}
		}
		slices.Sort(out)
	case reflect.Slice:
		var list []json.RawMessage
		if json.Unmarshal(doc, &list) != nil {
			return nil
		}
		for i, value := range list {
			out = append(out, unknownKeys(value, t.Elem(), path+"["+strconv.Itoa(i)+"]")...)
		}
	}
	return out
}

func fieldNamed(t reflect.Type, key string) (reflect.StructField, bool) {
	for i := range t.NumField() {
		if f := t.Field(i); strings.EqualFold(jsonName(f), key) {
			return f, true
		}
	}
	return reflect.StructField{}, false
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}
