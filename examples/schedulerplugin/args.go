package schedulerplugin

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/score"
	"github.com/accelfit/accelfit/simulate"
	"github.com/accelfit/accelfit/vendors"
)

// Args are the arguments of the plugin in a scheduler's configuration. The zero value decides about all vendors with the
// settings of HAMi's chart, under the lock of nodes and under quotas.
type Args struct {
	// DeviceConfig is a HAMi device configuration, in place; DeviceConfigFile is a file with one. At most one may be given;
	// neither: that of HAMi's chart.
	DeviceConfig     json.RawMessage `json:"deviceConfig,omitempty"`
	DeviceConfigFile string          `json:"deviceConfigFile,omitempty"`

	// IgnoredResources are resources that somebody else decides about: vendors that have one of these names are left out.
	IgnoredResources []string `json:"ignoredResources,omitempty"`

	NodePolicy   string `json:"nodePolicy,omitempty"`   // of pods that name none: binpack (default) or spread
	DevicePolicy string `json:"devicePolicy,omitempty"` // of pods that name none: spread (default), binpack, numa, mutex, topology-aware

	// Quirks are behaviours of an unpatched HAMi that are turned back on, by the names of the constants in package device;
	// AllQuirks is every one.
	Quirks []string `json:"quirks,omitempty"`

	// Profiles are device profiles, in place; ProfileFiles are files with some. They say what nodes have that a host has
	// made up ([UsageOptions]).
	Profiles     []json.RawMessage `json:"profiles,omitempty"`
	ProfileFiles []string          `json:"profileFiles,omitempty"`

	// Upcoming is UsageOptions.Upcoming.
	Upcoming bool `json:"upcoming,omitempty"`

	// NodeLock says how the lock is held that HAMi's node agents expect.
	NodeLock NodeLockArgs `json:"nodeLock,omitzero"`

	// IgnoreQuotas leaves resource quotas alone; nobody then needs to read them.
	IgnoreQuotas bool `json:"ignoreQuotas,omitempty"`
}

// NodeLockArgs say how nodes are locked while pods are bound to them.
type NodeLockArgs struct {
	// Disabled: nodes are not locked. HAMi's node agents need the lock, and two schedulers that share nodes do.
	Disabled bool `json:"disabled,omitempty"`

	// Timeout is how old a lock may be before it is taken over (0: five minutes), Wait how long members of a pod group wait for
	// one (0: no time).
	Timeout metav1.Duration `json:"timeout,omitzero"`
	Wait    metav1.Duration `json:"wait,omitzero"`
}

// ArgsError is an argument that cannot be used.
type ArgsError struct {
	Field string // empty: the arguments as a whole
	Err   error
}

// Error names the field.
func (e *ArgsError) Error() string {
	if e.Field == "" {
		return fmt.Sprintf("%s arguments: %v", Name, e.Err)
	}
	return fmt.Sprintf("%s arguments: %s: %v", Name, e.Field, e.Err)
}

// Unwrap returns the cause.
func (e *ArgsError) Unwrap() error { return e.Err }

// DecodeArgs reads arguments as the framework hands them to plugins it does not know: none, or a text in JSON or YAML. Unknown
// and repeated fields are errors. The error is an [*ArgsError].
func DecodeArgs(object runtime.Object) (Args, error) {
	var a Args
	switch o := object.(type) {
	case nil:
		return a, nil
	case *runtime.Unknown:
		if err := yaml.UnmarshalStrict(o.Raw, &a); err != nil {
			return Args{}, &ArgsError{Err: err}
		}
		return a, nil
	}
	return a, &ArgsError{Err: fmt.Errorf("want *runtime.Unknown, have %T", object)}
}

// Set is the vendors that decide under the arguments. It reads the file with the device configuration, if one is named. The error
// is an [*ArgsError].
func (a *Args) Set() (*vendors.Set, error) {
	set, err := a.load()
	if err != nil {
		return nil, err
	}
	if set, err = without(set, a.IgnoredResources); err != nil {
		return nil, err
	}
	options, err := a.options()
	if err != nil {
		return nil, err
	}
	return set.With(options), nil
}

func (a *Args) load() (*vendors.Set, error) {
	field, text := "deviceConfig", []byte(a.DeviceConfig)
	switch {
	case a.DeviceConfigFile != "" && len(a.DeviceConfig) > 0:
		return nil, &ArgsError{"deviceConfigFile", fmt.Errorf("not beside deviceConfig")}
	case a.DeviceConfigFile != "":
		var err error
		if field, text, err = readFile("deviceConfigFile", a.DeviceConfigFile); err != nil {
			return nil, err
		}
	case len(a.DeviceConfig) == 0:
		return vendors.Default(), nil
	}
	set, err := vendors.Load(text)
	if err != nil {
		return nil, &ArgsError{field, err}
	}
	return set, nil
}

func readFile(field, path string) (string, []byte, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", nil, &ArgsError{field, err}
	}
	return field, text, nil
}

// without is the set but for the vendors that have one of the names.
func without(set *vendors.Set, names []string) (*vendors.Set, error) {
	if len(names) == 0 {
		return set, nil
	}
	var kept []device.Backend
	found := map[string]bool{}
	for _, b := range set.Backends() {
		n := b.Names()
		theirs := append([]string{n.Count, n.Memory, n.Percent, n.Cores}, n.Others...)
		left := false
		for _, name := range names {
			if name != "" && slices.Contains(theirs, name) {
				left, found[name] = true, true
			}
		}
		if !left {
			kept = append(kept, b)
		}
	}
	for i, name := range names {
		if !found[name] {
			return nil, &ArgsError{fmt.Sprintf("ignoredResources[%d]", i), fmt.Errorf("no vendor has a resource %q", name)}
		}
	}
	rest, err := vendors.New(kept...)
	if err != nil {
		return nil, &ArgsError{"ignoredResources", err}
	}
	return rest, nil
}

func (a *Args) options() (vendors.Options, error) {
	o := vendors.Options{NodePolicy: a.NodePolicy, DevicePolicy: a.DevicePolicy}
	if !slices.Contains([]string{"", score.Binpack, score.Spread}, a.NodePolicy) {
		return o, &ArgsError{"nodePolicy", fmt.Errorf("%q: want binpack or spread", a.NodePolicy)}
	}
	if !slices.Contains([]string{"", score.Binpack, score.Spread, score.NUMA, score.Mutex, score.TopologyAware}, a.DevicePolicy) {
		return o, &ArgsError{"devicePolicy", fmt.Errorf("%q: want binpack, spread, numa, mutex or topology-aware", a.DevicePolicy)}
	}
	for i, name := range a.Quirks {
		q, err := device.ParseQuirk(name)
		if err != nil {
			return o, &ArgsError{fmt.Sprintf("quirks[%d]", i), err}
		}
		o.Quirks |= q
	}
	return o, nil
}

// profiles reads all device profiles.
func (a *Args) profiles() (all []simulate.Profile, err error) {
	add := func(field string, text []byte) error {
		some, err := simulate.ParseProfiles(text)
		if err != nil {
			return &ArgsError{field, err}
		}
		all = append(all, some...)
		return nil
	}
	for i, text := range a.Profiles {
		if err := add(fmt.Sprintf("profiles[%d]", i), text); err != nil {
			return nil, err
		}
	}
	for i, path := range a.ProfileFiles {
		field, text, err := readFile(fmt.Sprintf("profileFiles[%d]", i), path)
		if err != nil {
			return nil, err
		}
		if err := add(field, text); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// check refuses amounts that make no sense.
func (l *NodeLockArgs) check() error {
	for field, d := range map[string]time.Duration{"nodeLock.timeout": l.Timeout.Duration, "nodeLock.wait": l.Wait.Duration} {
		if d < 0 {
			return &ArgsError{field, fmt.Errorf("%v is below 0", d)}
		}
	}
	return nil
}
