package schedulerplugin

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/accelfit/accelfit/device"
)

func TestArgs(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(file, []byte("nvidia: {resourceCountName: acme.com/gpu}"), 0o600))
	for _, text := range []string{
		`{"deviceConfig":{"nvidia":{"resourceCountName":"acme.com/gpu"}}}`, `{"deviceConfigFile":"` + file + `"}`,
	} {
		assert.Contains(t, pluginOf(t, nil, text).set.ManagedResources(), "acme.com/gpu", text)
	}
	p := pluginOf(t, nil, `{"nodePolicy":"spread","devicePolicy":"binpack","quirks":["SidecarIsInit","EnflameByPercent"],
		"ignoredResources":["nvidia.com/gpumem","cambricon.com/vmlu"],"ignoreQuotas":true,
		"nodeLock":{"disabled":true,"timeout":"1m","wait":"3s"}}`)
	o := p.set.Options()
	assert.Equal(t, "spread", o.NodePolicy)
	assert.Equal(t, "binpack", o.DevicePolicy)
	assert.Equal(t, device.SidecarIsInit|device.EnflameByPercent, o.Quirks)
	assert.Nil(t, p.set.Backend("NVIDIA"))
	assert.Nil(t, p.set.Backend("MLU"))
	assert.NotNil(t, p.set.Backend("DCU"))
	assert.Nil(t, p.tenants)
	assert.True(t, p.lock.Disabled)

	none, err := New(ctx, nil, nil)
	require.NoError(t, err)
	assert.Equal(t, Name, none.Name())
}

func TestArgsErrors(t *testing.T) {
	for text, field := range map[string]string{
		`{`:                                  "",
		`{"unknown":1}`:                      "",
		`{"upcoming":"yes"}`:                 "",
		`{"upcoming":true,"upcoming":false}`: "",
		`{"deviceConfig":{"nvidia":{"deviceSplitCount":"many"}}}`: "deviceConfig",
		`{"deviceConfig":{},"deviceConfigFile":"x"}`:              "deviceConfigFile",
		`{"deviceConfigFile":"/no/such/file"}`:                    "deviceConfigFile",
		`{"nodePolicy":"best"}`:                                   "nodePolicy",
		`{"devicePolicy":"best"}`:                                 "devicePolicy",
		`{"quirks":["SidecarIsInit","Odd"]}`:                      "quirks[1]",
		`{"ignoredResources":["nvidia.com/gpu","acme.com/gpu"]}`:  "ignoredResources[1]",
		`{"ignoredResources":[""]}`:                               "ignoredResources[0]",
		`{"profiles":[{"kind":"Other"}]}`:                         "profiles[0]",
		`{"profileFiles":["/no/such/file"]}`:                      "profileFiles[0]",
		`{"nodeLock":{"timeout":"-1s"}}`:                          "nodeLock.timeout",
		`{"nodeLock":{"wait":"-1s"}}`:                             "nodeLock.wait",
	} {
		_, err := New(ctx, &runtime.Unknown{Raw: []byte(text)}, nil)
		var typed *ArgsError
		require.ErrorAs(t, err, &typed, text)
		assert.Equal(t, field, typed.Field, text)
		assert.ErrorContains(t, err, "Accelfit arguments: ")
	}
	bad := filepath.Join(t.TempDir(), "profile.yaml")
	require.NoError(t, os.WriteFile(bad, []byte("kind: Other"), 0o600))
	_, err := New(ctx, &runtime.Unknown{Raw: []byte(`{"profileFiles":["` + bad + `"]}`)}, nil)
	assert.ErrorContains(t, err, "profileFiles[0]")
	_, err = New(ctx, &corev1.Pod{}, nil)
	assert.ErrorContains(t, err, "want *runtime.Unknown, have *v1.Pod")
}

// Arguments can be written as well: zero ones are empty, others are read back.
func TestArgsRoundTrip(t *testing.T) {
	text, err := json.Marshal(Args{})
	require.NoError(t, err)
	assert.Equal(t, "{}", string(text))
	const full = `{"deviceConfig":{"nvidia":{}},"nodePolicy":"spread","nodeLock":{"timeout":"1m0s"}}`
	a, err := DecodeArgs(&runtime.Unknown{Raw: []byte(full)})
	require.NoError(t, err)
	text, err = json.Marshal(a)
	require.NoError(t, err)
	assert.JSONEq(t, full, string(text))
}
