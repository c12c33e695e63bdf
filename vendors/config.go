package vendors

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/vendors/nvidia"
)

// Config is a HAMi device configuration (spec core §15.2).
type Config struct {
	NVIDIA    nvidia.Config    `json:"nvidia,omitempty"`
	Cambricon CambriconConfig  `json:"cambricon,omitempty"`
	Hygon     HygonConfig      `json:"hygon,omitempty"`
	Enflame   EnflameConfig    `json:"enflame,omitempty"`
	Metax     MetaxConfig      `json:"metax,omitempty"`
	Mthreads  MthreadsConfig   `json:"mthreads,omitempty"`
	Kunlun    KunlunConfig     `json:"kunlun,omitempty"`
	AWSNeuron AWSNeuronConfig  `json:"awsneuron,omitempty"`
	AMD       AMDConfig        `json:"amd,omitempty"`
	Vastai    VastaiConfig     `json:"vastai,omitempty"`
	Biren     BirenConfig      `json:"biren,omitempty"`
	Iluvatars []IluvatarConfig `json:"iluvatars,omitempty"`
	VNPUs     VNPUsConfig      `json:"vnpus,omitempty"`
}

// supported are the sections that a backend reads.
var supported = [...]string{"nvidia"}

var errEmptyConfig = errors.New("all configurations are empty")

// Load makes a set from a HAMi device configuration in YAML or JSON. Unknown keys and sections of vendors that have no
// backend yet are no errors; [Set.Problems] lists them. Values of the wrong type or range are errors that name the key, and
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
	s.problems = diagnose(doc, config)
	return s, nil
}

// empty says whether the sections, a list without entries among them, hold nothing.
func empty(c Config) bool {
	if len(c.Iluvatars) == 0 {
		c.Iluvatars = nil
	}
	return reflect.ValueOf(c).IsZero()
}

func fromConfig(config Config) (*Set, error) {
	n, err := nvidia.New(config.NVIDIA)
	if err != nil {
		return nil, err
	}
	s, err := New(n)
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

func diagnose(doc []byte, config Config) []device.Problem {
	var out []device.Problem
	note := func(format string, args ...any) {
		out = append(out, device.Problem{Object: "device configuration", Err: fmt.Errorf(format, args...)})
	}
	for _, key := range unknownKeys(doc, reflect.TypeFor[Config](), "") {
		note("%s: unknown key", key)
	}
	v := reflect.ValueOf(config)
	for i := range v.NumField() {
		name := jsonName(v.Type().Field(i))
		if !v.Field(i).IsZero() && !slices.Contains(supported[:], name) {
			note("%s: not supported yet", name)
		}
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
