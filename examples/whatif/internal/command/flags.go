package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"sigs.k8s.io/yaml"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/examples/whatif/internal/answer"
	"github.com/accelfit/accelfit/examples/whatif/internal/input"
	"github.com/accelfit/accelfit/examples/whatif/internal/render"
	"github.com/accelfit/accelfit/vendors"
)

// flags are those that every command has.
type flags struct {
	files        []string
	config       string
	output       string
	nodePolicy   string
	devicePolicy string
	allQuirks    bool
	fail         bool
	noAdmission  bool
	fullIDs      bool
	changes      answer.Changes
	profiles     []string

	groupLabel      string // of scaleup and verify
	noInstanceTypes bool   // of scaleup

	terminal *Terminal
	progress progress
}

func (f *flags) register(set *pflag.FlagSet) {
	set.StringArrayVarP(&f.files, "file", "f", nil, "file with nodes, pods and resource quotas, JSON or YAML; - is standard input; repeatable")
	set.StringVar(&f.config, "config", "", "HAMi device configuration `file`; none: that of HAMi's chart")
	set.StringVarP(&f.output, "output", "o", "table", "table, json or yaml")
	set.StringVar(&f.nodePolicy, "node-policy", "", "node policy of pods that name none: binpack or spread (default binpack)")
	set.StringVar(&f.devicePolicy, "device-policy", "", "device policy of pods that name none, for example binpack (default spread)")
	set.BoolVar(&f.allQuirks, "all-quirks", false, "decide as an unpatched HAMi does where accelfit decides better")
	set.BoolVar(&f.fail, "fail", false, "exit with 1 if something does not fit, is wrong (lint) or differs (diff)")
	set.BoolVar(&f.noAdmission, "no-admission", false, "take pending pods as they are, without the defaults that admission adds")
	c := &f.changes
	set.StringArrayVar(&c.FailDevices, "fail-device", nil, "`NODE/ID` of a device that is unhealthy; repeatable, as the following; not on new nodes")
	set.StringArrayVar(&c.CordonDevices, "cordon-device", nil, "`NODE/ID` of a device that takes no new work; not on new nodes")
	set.StringArrayVar(&c.CordonNodes, "cordon-node", nil, "`NODE` that is unschedulable; new nodes are not")
	set.StringArrayVar(&c.OnlyDevices, "only-device", nil, "`NODE/ID` of a device to place pods on, and on no others of live nodes")
	set.StringArrayVar(&c.Reserve, "reserve", nil, "`MiB` of every device that no pod may have, also of new nodes; or NODE/ID=MiB of one")
	set.BoolVar(&c.ExactModel, "exact-model", false, "models in pods' lists are whole names, not parts of names")
	set.StringArrayVar(&f.profiles, "profiles", nil, "`file` with device profiles, for node groups and nodes that have registered no devices; repeatable")
	set.BoolVar(&f.fullIDs, "full-ids", false, "device ids in full")
}

// check refuses values that would otherwise be taken for something else.
func (f *flags) check() error {
	if !slices.Contains([]string{"table", "json", "yaml"}, f.output) {
		return fmt.Errorf("-o %s: want table, json or yaml", f.output)
	}
	if !slices.Contains([]string{"", "binpack", "spread"}, f.nodePolicy) {
		return fmt.Errorf("--node-policy %s: want binpack or spread", f.nodePolicy)
	}
	known := []string{"binpack", "spread", "numa", "mutex", "topology-aware"}
	for word := range strings.SplitSeq(f.devicePolicy, ",") {
		if f.devicePolicy != "" && !slices.Contains(known, strings.TrimSpace(word)) {
			return fmt.Errorf("--device-policy %s: want a list of %s", f.devicePolicy, strings.Join(known, ", "))
		}
	}
	return nil
}

var errNoFile = errors.New(`no input: give -f FILE, made by "kubectl get nodes,pods,resourcequotas -A -o json > FILE"; ` +
	`or try "whatif demo"`)

// world reads the files and makes them ready.
func (f *flags) world() (*answer.World, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	if len(f.files) == 0 {
		return nil, errNoFile
	}
	cluster, err := input.Read(f.files, f.terminal.In)
	if err != nil {
		return nil, err
	}
	return f.worldOf(cluster)
}

func (f *flags) worldOf(cluster *input.Cluster) (*answer.World, error) {
	set, err := f.set()
	if err != nil {
		return nil, err
	}
	o := answer.Options{NoAdmission: f.noAdmission, GroupLabel: f.groupLabel, NoInstanceTypes: f.noInstanceTypes}
	for _, file := range f.profiles {
		text, label, err := input.Text(file, f.terminal.In)
		if err != nil {
			return nil, err
		}
		if err := o.Profiles.Add(set, label, text); err != nil {
			return nil, err
		}
	}
	if f.terminal.ShowProgress {
		f.progress.out = f.terminal.Err
		o.Progress = f.progress.tell
	}
	return answer.NewWorldWith(set, cluster, o, f.changes)
}

func (f *flags) set() (*vendors.Set, error) {
	set := vendors.Default()
	if f.config != "" {
		text, err := os.ReadFile(f.config)
		if err != nil {
			return nil, err
		}
		if set, err = vendors.Load(text); err != nil {
			return nil, fmt.Errorf("%s: %w", f.config, err)
		}
	}
	o := vendors.Options{NodePolicy: f.nodePolicy, DevicePolicy: f.devicePolicy}
	if f.allQuirks {
		o.Quirks = device.AllQuirks
	}
	return set.With(o), nil
}

func (f *flags) style() render.Style {
	return render.Style{Colour: f.terminal.Colour, FullIDs: f.fullIDs}
}

// print writes an answer in the form asked for; table writes it for people.
func (f *flags) print(value any, table func()) error {
	f.progress.clear()
	if f.output == "table" {
		render.Clean(value)
		table()
		return nil
	}
	text, err := json.MarshalIndent(value, "", "  ")
	if err == nil && f.output == "yaml" {
		text, err = yaml.JSONToYAML(text)
	} else {
		text = append(text, '\n')
	}
	if err != nil {
		return err
	}
	_, err = f.terminal.Out.Write(text)
	return err
}

// judge is the error of a command that was answered.
func (f *flags) judge(fits bool) error {
	if f.fail && !fits {
		return errNoFit
	}
	return nil
}
