package autoscaler_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	kubeschedulerconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"

	"github.com/accelfit/accelfit/examples/autoscaler"
	"github.com/accelfit/accelfit/vendors"
)

// TestSchedulerConfig: the scheduler's own decoder takes the configuration, and finds in it what was meant.
func TestSchedulerConfig(t *testing.T) {
	set := vendors.Default()
	text, err := autoscaler.SchedulerConfig(set, "Accelfit", map[string]any{"nodePolicy": "spread"})
	require.NoError(t, err)
	object, _, err := scheme.Codecs.UniversalDecoder().Decode(text, nil, nil)
	require.NoError(t, err, string(text))
	profile := object.(*kubeschedulerconfig.KubeSchedulerConfiguration).Profiles[0]
	assert.Contains(t, profile.Plugins.MultiPoint.Enabled, kubeschedulerconfig.Plugin{Name: "Accelfit"})
	assert.Equal(t, "Accelfit", profile.Plugins.Filter.Enabled[0].Name, "goes first")
	args := map[string]any{}
	for _, c := range profile.PluginConfig {
		args[c.Name] = c.Args
	}
	assert.Equal(t, set.ManagedResources(), args["NodeResourcesFit"].(*kubeschedulerconfig.NodeResourcesFitArgs).IgnoredResources)
	assert.Contains(t, args, "Accelfit")

	_, err = autoscaler.SchedulerConfig(set, "Accelfit", func() {})
	assert.ErrorContains(t, err, "arguments of Accelfit")
}
