package autoscaler

import (
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	schedulerv1 "k8s.io/kube-scheduler/config/v1"
	"sigs.k8s.io/yaml"

	"github.com/accelfit/accelfit/vendors"
)

// SchedulerConfig is the configuration, as YAML, of a scheduler framework with a plugin that decides about the set's devices
// (cluster-autoscaler: --scheduler-config-file; it reads the first profile). args are the plugin's arguments, or nil.
//
// The plugin comes before the built-in ones, so that what it refuses is not looked at further. The built-in check of
// resources leaves alone what the set manages: without the plugin nobody would count it, and any number of pods would fit on one
// node. Never use one without the other.
func SchedulerConfig(set *vendors.Set, plugin string, args any) ([]byte, error) {
	fit, err := json.Marshal(schedulerv1.NodeResourcesFitArgs{
		TypeMeta:         metav1.TypeMeta{APIVersion: schedulerv1.SchemeGroupVersion.String(), Kind: "NodeResourcesFitArgs"},
		IgnoredResources: set.ManagedResources(),
	})
	if err != nil {
		return nil, err
	}
	configs := []schedulerv1.PluginConfig{{Name: "NodeResourcesFit", Args: runtime.RawExtension{Raw: fit}}}
	if args != nil {
		text, err := json.Marshal(args)
		if err != nil {
			return nil, fmt.Errorf("arguments of %s: %w", plugin, err)
		}
		configs = append(configs, schedulerv1.PluginConfig{Name: plugin, Args: runtime.RawExtension{Raw: text}})
	}
	ours := schedulerv1.PluginSet{Enabled: []schedulerv1.Plugin{{Name: plugin}}}
	return yaml.Marshal(schedulerv1.KubeSchedulerConfiguration{
		TypeMeta: metav1.TypeMeta{APIVersion: schedulerv1.SchemeGroupVersion.String(), Kind: "KubeSchedulerConfiguration"},
		Profiles: []schedulerv1.KubeSchedulerProfile{{
			Plugins:      &schedulerv1.Plugins{MultiPoint: ours, Filter: ours},
			PluginConfig: configs,
		}},
	})
}
