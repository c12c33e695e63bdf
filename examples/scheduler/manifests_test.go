package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kubeschedulerconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/validation"
	"sigs.k8s.io/yaml"

	"github.com/accelfit/accelfit/examples/schedulerplugin"
	"github.com/accelfit/accelfit/vendors"
)

var update = flag.Bool("update", false, "write the list of managed resources into manifests/config.yaml")

// ignored is the line with the resources that NodeResourcesFit leaves alone.
var ignored = regexp.MustCompile(`ignoredResources: \[[^\]]*\]`)

// configText is manifests/config.yaml.
func configText(t testing.TB) []byte {
	t.Helper()
	text, err := os.ReadFile("manifests/config.yaml")
	require.NoError(t, err)
	return text
}

// config reads a configuration as kube-scheduler does: strictly, with its defaults.
func config(t testing.TB, text []byte) *kubeschedulerconfig.KubeSchedulerConfiguration {
	t.Helper()
	object, _, err := scheme.Codecs.UniversalDecoder().Decode(text, nil, nil)
	require.NoError(t, err)
	c, ok := object.(*kubeschedulerconfig.KubeSchedulerConfiguration)
	require.True(t, ok, "%T", object)
	return c
}

// kube-scheduler takes the configuration; the plugin goes first, and what it decides about nobody else counts.
func TestConfig(t *testing.T) {
	if *update {
		list := fmt.Sprintf("ignoredResources: [%s]", strings.Join(vendors.Default().ManagedResources(), ", "))
		require.NoError(t, os.WriteFile("manifests/config.yaml", ignored.ReplaceAll(configText(t), []byte(list)), 0o644))
	}
	c := config(t, configText(t))
	require.NoError(t, validation.ValidateKubeSchedulerConfiguration(c))
	profile := c.Profiles[0]
	assert.Equal(t, kubeschedulerconfig.Plugin{Name: schedulerplugin.Name}, profile.Plugins.Filter.Enabled[0])
	assert.Contains(t, profile.Plugins.MultiPoint.Enabled, kubeschedulerconfig.Plugin{Name: schedulerplugin.Name, Weight: 10})
	args := map[string]runtime.Object{}
	for _, a := range profile.PluginConfig {
		args[a.Name] = a.Args
	}
	a, err := schedulerplugin.DecodeArgs(args[schedulerplugin.Name])
	require.NoError(t, err)
	set, err := a.Set()
	require.NoError(t, err)
	fit := args["NodeResourcesFit"].(*kubeschedulerconfig.NodeResourcesFitArgs)
	assert.Equal(t, set.ManagedResources(), fit.IgnoredResources, "run this test with -update")
}

// documents reads the documents of a file strictly.
func documents(t *testing.T, file string) (out []any) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	types := map[string]any{
		"Namespace": &corev1.Namespace{}, "ServiceAccount": &corev1.ServiceAccount{}, "Deployment": &appsv1.Deployment{},
		"ClusterRole": &rbacv1.ClusterRole{}, "ClusterRoleBinding": &rbacv1.ClusterRoleBinding{},
		"Role": &rbacv1.Role{}, "RoleBinding": &rbacv1.RoleBinding{},
	}
	for _, doc := range bytes.Split(text, []byte("\n---\n")) {
		var head struct {
			Kind string `json:"kind"`
		}
		require.NoError(t, yaml.Unmarshal(doc, &head), file)
		require.Contains(t, types, head.Kind, file)
		object := types[head.Kind].(runtime.Object).DeepCopyObject()
		require.NoError(t, yaml.UnmarshalStrict(doc, object), "%s: %s", file, head.Kind)
		out = append(out, object)
	}
	return out
}

// The manifests fit each other: who runs the scheduler has the roles, and the flags name what is mounted.
func TestManifests(t *testing.T) {
	deployment := documents(t, "manifests/deployment.yaml")[0].(*appsv1.Deployment)
	namespace := documents(t, "manifests/namespace.yaml")[0].(*corev1.Namespace)
	assert.Equal(t, namespace.Name, deployment.Namespace)
	assert.Equal(t, deployment.Spec.Selector.MatchLabels, deployment.Spec.Template.Labels)
	spec := deployment.Spec.Template.Spec
	mount := spec.Containers[0].VolumeMounts[0]
	assert.Contains(t, spec.Containers[0].Args, "--config="+mount.MountPath+"/config.yaml")

	me := rbacv1.Subject{Kind: "ServiceAccount", Name: spec.ServiceAccountName, Namespace: deployment.Namespace}
	var bound []string
	for _, object := range documents(t, "manifests/rbac.yaml") {
		switch o := object.(type) {
		case *corev1.ServiceAccount:
			assert.Equal(t, me, rbacv1.Subject{Kind: "ServiceAccount", Name: o.Name, Namespace: o.Namespace})
		case *rbacv1.ClusterRoleBinding:
			assert.Equal(t, []rbacv1.Subject{me}, o.Subjects, o.Name)
			bound = append(bound, o.RoleRef.Name)
		case *rbacv1.RoleBinding:
			assert.Equal(t, []rbacv1.Subject{me}, o.Subjects, o.Name)
			bound = append(bound, o.RoleRef.Name)
		case *rbacv1.Role:
			lease := config(t, configText(t)).LeaderElection
			assert.Equal(t, []string{lease.ResourceName}, o.Rules[1].ResourceNames)
			assert.Equal(t, lease.ResourceNamespace, o.Namespace)
		}
	}
	slices.Sort(bound)
	assert.Equal(t, []string{
		"accelfit-scheduler", "accelfit-scheduler", "extension-apiserver-authentication-reader",
		"system:kube-scheduler", "system:volume-scheduler",
	}, bound)
}
