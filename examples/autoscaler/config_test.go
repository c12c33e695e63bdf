package autoscaler_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	kubeschedulerconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"

	"github.com/accelfit/accelfit/examples/autoscaler"
	"github.com/accelfit/accelfit/examples/schedulerplugin"
)

// profile is the profile that the scheduler's own decoder finds in a configuration.
func profile(t testing.TB, args schedulerplugin.Args) kubeschedulerconfig.KubeSchedulerProfile {
	t.Helper()
	text, err := autoscaler.SchedulerConfig(args)
	require.NoError(t, err)
	object, _, err := scheme.Codecs.UniversalDecoder().Decode(text, nil, nil)
	require.NoError(t, err, string(text))
	return object.(*kubeschedulerconfig.KubeSchedulerConfiguration).Profiles[0]
}

// argsOf are the arguments of a plugin.
func argsOf(profile kubeschedulerconfig.KubeSchedulerProfile, plugin string) runtime.Object {
	for _, c := range profile.PluginConfig {
		if c.Name == plugin {
			return c.Args
		}
	}
	return nil
}

// TestSchedulerConfig: the scheduler's own decoder takes the configuration, and finds in it what was meant.
func TestSchedulerConfig(t *testing.T) {
	args := schedulerplugin.Args{NodePolicy: "spread", IgnoredResources: []string{"amd.com/gpu"}}
	p := profile(t, args)
	assert.Contains(t, p.Plugins.MultiPoint.Enabled, kubeschedulerconfig.Plugin{Name: schedulerplugin.Name})
	assert.Equal(t, schedulerplugin.Name, p.Plugins.Filter.Enabled[0].Name, "goes first")
	set, err := args.Set()
	require.NoError(t, err)
	assert.Equal(t, set.ManagedResources(), argsOf(p, "NodeResourcesFit").(*kubeschedulerconfig.NodeResourcesFitArgs).IgnoredResources)
	assert.NotContains(t, set.ManagedResources(), "amd.com/gpu", "somebody else decides")
	decoded, err := schedulerplugin.DecodeArgs(argsOf(p, schedulerplugin.Name))
	require.NoError(t, err)
	assert.Equal(t, args, decoded)

	for field, bad := range map[string]schedulerplugin.Args{
		"nodePolicy":   {NodePolicy: "best"},
		"deviceConfig": {DeviceConfig: json.RawMessage(`{`)},
	} {
		_, err := autoscaler.SchedulerConfig(bad)
		var wrong *schedulerplugin.ArgsError
		require.ErrorAs(t, err, &wrong)
		assert.Equal(t, field, wrong.Field)
	}
}
