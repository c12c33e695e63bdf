package autoscaler

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	schedulerv1 "k8s.io/kube-scheduler/config/v1"
	"sigs.k8s.io/yaml"

	"github.com/accelfit/accelfit/examples/schedulerplugin"
)

// SchedulerConfig is the configuration, as YAML, of the scheduler framework inside the autoscaler, with the plugin of package
// schedulerplugin (--scheduler-config-file; cluster-autoscaler reads the first profile). Arguments that the plugin would refuse
// are a [*schedulerplugin.ArgsError]; files that they name are read.
//
// The plugin comes before the built-in ones, so that what it refuses is not looked at further. The built-in check of
// resources leaves alone what the plugin decides about: without the plugin nobody would count it, and any number of pods would
// fit on one node. Never use one without the other.
func SchedulerConfig(args schedulerplugin.Args) ([]byte, error) {
	set, err := args.Set()
	if err != nil {
		return nil, err
	}
	theirs, err := json.Marshal(args)
	if err != nil {
		return nil, &schedulerplugin.ArgsError{Err: err}
	}
	fit, err := json.Marshal(schedulerv1.NodeResourcesFitArgs{
		TypeMeta:         metav1.TypeMeta{APIVersion: schedulerv1.SchemeGroupVersion.String(), Kind: "NodeResourcesFitArgs"},
		IgnoredResources: set.ManagedResources(),
	})
	if err != nil {
		return nil, err
	}
	ours := schedulerv1.PluginSet{Enabled: []schedulerv1.Plugin{{Name: schedulerplugin.Name}}}
	return yaml.Marshal(schedulerv1.KubeSchedulerConfiguration{
		TypeMeta: metav1.TypeMeta{APIVersion: schedulerv1.SchemeGroupVersion.String(), Kind: "KubeSchedulerConfiguration"},
		Profiles: []schedulerv1.KubeSchedulerProfile{{
			Plugins: &schedulerv1.Plugins{MultiPoint: ours, Filter: ours},
			PluginConfig: []schedulerv1.PluginConfig{
				{Name: schedulerplugin.Name, Args: runtime.RawExtension{Raw: theirs}},
				{Name: "NodeResourcesFit", Args: runtime.RawExtension{Raw: fit}},
			},
		}},
	})
}
