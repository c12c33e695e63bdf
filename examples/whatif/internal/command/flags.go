package command

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/accelfit/accelfit/device"
	"github.com/accelfit/accelfit/examples/whatif/internal/answer"
	"github.com/accelfit/accelfit/examples/whatif/internal/input"
	"github.com/accelfit/accelfit/examples/whatif/internal/render"
	"github.com/accelfit/accelfit/vendors"
)

// flags are those that every command has.
type flags struct {
	files        []string
	live         liveFlags
	config       string
	output       string
	nodePolicy   string
	devicePolicy string
	allQuirks    bool
	fail         bool
	noAdmission  bool
	fullIDs      bool
	colour       string
	changes      answer.Changes
	profiles     []string

	groupLabel      string // of scaleup and verify
	noInstanceTypes bool   // of scaleup

	terminal *Terminal
	progress progress
}

func (f *flags) register(set *pflag.FlagSet) {
	set.StringArrayVarP(&f.files, "file", "f", nil, "`file` with nodes, pods and resource quotas, JSON or YAML; - is standard input; repeatable; none: a live cluster")
	f.live.register(set)
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
	set.StringVar(&f.colour, "color", "auto", "`when` to colour tables: auto (on a terminal without NO_COLOR), always or never")
}

func outputs() []string { return []string{"table", "json", "yaml"} }

func nodePolicies() []string { return []string{"binpack", "spread"} }

func devicePolicies() []string {
	return []string{"binpack", "spread", "numa", "mutex", "topology-aware"}
}

// check refuses values that would otherwise be taken for something else.
func (f *flags) check() error {
	if !slices.Contains(outputs(), f.output) {
		return fmt.Errorf("-o %s: want table, json or yaml", f.output)
	}
	if !slices.Contains([]string{"auto", "always", "never"}, f.colour) {
		return fmt.Errorf("--color %s: want auto, always or never", f.colour)
	}
	if f.nodePolicy != "" && !slices.Contains(nodePolicies(), f.nodePolicy) {
		return fmt.Errorf("--node-policy %s: want binpack or spread", f.nodePolicy)
	}
	known := devicePolicies()
	for word := range strings.SplitSeq(f.devicePolicy, ",") {
		if f.devicePolicy != "" && !slices.Contains(known, strings.TrimSpace(word)) {
			return fmt.Errorf("--device-policy %s: want a list of %s", f.devicePolicy, strings.Join(known, ", "))
		}
	}
	return nil
}

// world reads the cluster and makes it ready.
func (f *flags) world(ctx context.Context) (*answer.World, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	cluster, err := f.cluster(ctx)
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
	colour := f.colour == "always" || f.colour == "auto" && f.terminal.Colour
	return render.Style{Colour: colour, FullIDs: f.fullIDs, Width: f.terminal.Width}
}

// print writes an answer in the form asked for; table writes it for people.
func (f *flags) print(value any, table func()) error {
	f.progress.clear()
	if f.output == "table" {
		render.Clean(value)
		table()
		return nil
	}
	text, err := encode(value, f.output == "yaml")
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
