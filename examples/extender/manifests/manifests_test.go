// Package manifests_test holds the manifests to the API's types, to each other, and to the program they deploy.
package manifests_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	schedulerv1 "k8s.io/kube-scheduler/config/v1"
	"sigs.k8s.io/yaml"

	"github.com/accelfit/accelfit/examples/extender/internal/command"
	"github.com/accelfit/accelfit/examples/extender/internal/service"
	"github.com/accelfit/accelfit/vendors"
)

var update = flag.Bool("update", false, "write the lists of managed resources into hosts/")

// types are what documents are read as, by kind; nil: a type that is not Kubernetes' own.
var types = map[string]func() any{
	"Namespace":                    func() any { return new(corev1.Namespace) },
	"ServiceAccount":               func() any { return new(corev1.ServiceAccount) },
	"Service":                      func() any { return new(corev1.Service) },
	"Deployment":                   func() any { return new(appsv1.Deployment) },
	"PodDisruptionBudget":          func() any { return new(policyv1.PodDisruptionBudget) },
	"NetworkPolicy":                func() any { return new(networkingv1.NetworkPolicy) },
	"MutatingWebhookConfiguration": func() any { return new(admissionv1.MutatingWebhookConfiguration) },
	"ClusterRole":                  func() any { return new(rbacv1.ClusterRole) },
	"ClusterRoleBinding":           func() any { return new(rbacv1.ClusterRoleBinding) },
	"Role":                         func() any { return new(rbacv1.Role) },
	"RoleBinding":                  func() any { return new(rbacv1.RoleBinding) },
	"KubeSchedulerConfiguration":   func() any { return new(schedulerv1.KubeSchedulerConfiguration) },
	"Issuer":                       nil,
	"Certificate":                  nil,
	"Kustomization":                nil,
}

// documents reads a file strictly: unknown and repeated fields fail.
func documents(t *testing.T, file string) (out []any) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	for _, doc := range bytes.Split(text, []byte("\n---\n")) {
		var meta metav1.TypeMeta
		require.NoError(t, yaml.Unmarshal(doc, &meta), file)
		typed, known := types[meta.Kind]
		require.True(t, known, "%s: kind %q", file, meta.Kind)
		if typed == nil {
			continue
		}
		object := typed()
		require.NoError(t, yaml.UnmarshalStrict(doc, object), "%s: %s", file, meta.Kind)
		out = append(out, object)
	}
	return out
}

// only returns the document of a type in a file, which must be the only one.
func only[T any](t *testing.T, file string) (found T) {
	t.Helper()
	n := 0
	for _, object := range documents(t, file) {
		if o, ok := object.(T); ok {
			found = o
			n++
		}
	}
	require.Equal(t, 1, n, file)
	return found
}

func TestKustomizationListsEveryFile(t *testing.T) {
	text, err := os.ReadFile("kustomization.yaml")
	require.NoError(t, err)
	var kustomization struct{ Resources []string }
	require.NoError(t, yaml.Unmarshal(text, &kustomization))
	files, err := filepath.Glob("*.yaml")
	require.NoError(t, err)
	files = slices.DeleteFunc(files, func(f string) bool { return f == "kustomization.yaml" })
	slices.Sort(kustomization.Resources)
	assert.Equal(t, files, kustomization.Resources)
	for _, f := range files {
		documents(t, f)
	}
}

func TestManifestsFitTogether(t *testing.T) {
	deployment := only[*appsv1.Deployment](t, "deployment.yaml")
	meet(t, deployment, only[*corev1.Service](t, "service.yaml"), only[*networkingv1.NetworkPolicy](t, "networkpolicy.yaml"))
	simulation := only[*appsv1.Deployment](t, "simulation.yaml")
	meet(t, simulation, only[*corev1.Service](t, "simulation.yaml"), only[*networkingv1.NetworkPolicy](t, "simulation.yaml"))
	budget := only[*policyv1.PodDisruptionBudget](t, "simulation.yaml")
	assert.Equal(t, simulation.Spec.Selector.MatchLabels, budget.Spec.Selector.MatchLabels)
	assert.False(t, *simulation.Spec.Template.Spec.AutomountServiceAccountToken)

	service := only[*corev1.Service](t, "service.yaml")
	webhook := only[*admissionv1.MutatingWebhookConfiguration](t, "webhook.yaml").Webhooks[0]
	assert.Equal(t, service.Name, webhook.ClientConfig.Service.Name)
	assert.Equal(t, service.Namespace, webhook.ClientConfig.Service.Namespace)
	assert.Equal(t, "/webhook", *webhook.ClientConfig.Service.Path)

	account := only[*corev1.ServiceAccount](t, "rbac.yaml")
	assert.Equal(t, account.Name, deployment.Spec.Template.Spec.ServiceAccountName)
	for _, subject := range only[*rbacv1.ClusterRoleBinding](t, "rbac.yaml").Subjects {
		assert.Equal(t, account.Name+"/"+account.Namespace, subject.Name+"/"+subject.Namespace)
	}
	assert.Equal(t, only[*rbacv1.ClusterRole](t, "rbac.yaml").Name, only[*rbacv1.ClusterRoleBinding](t, "rbac.yaml").RoleRef.Name)
	assert.Equal(t, only[*rbacv1.Role](t, "rbac.yaml").Name, only[*rbacv1.RoleBinding](t, "rbac.yaml").RoleRef.Name)
}

// meet checks that a service and a policy are those of a deployment.
func meet(t *testing.T, d *appsv1.Deployment, service *corev1.Service, policy *networkingv1.NetworkPolicy) {
	t.Helper()
	assert.Equal(t, d.Spec.Selector.MatchLabels, service.Spec.Selector)
	assert.True(t, labels.SelectorFromSet(service.Spec.Selector).Matches(labels.Set(d.Spec.Template.Labels)))
	assert.Equal(t, service.Spec.Selector, policy.Spec.PodSelector.MatchLabels)
	ports := map[string]bool{}
	for _, p := range d.Spec.Template.Spec.Containers[0].Ports {
		ports[p.Name] = true
	}
	assert.True(t, ports[service.Spec.Ports[0].TargetPort.StrVal])
	for _, rule := range policy.Spec.Ingress {
		for _, p := range rule.Ports {
			assert.True(t, ports[p.Port.StrVal], p.Port.StrVal)
		}
	}
}

// TestRolesAreNarrow: no wildcards, no secrets, nothing is deleted.
func TestRolesAreNarrow(t *testing.T) {
	rules := append(only[*rbacv1.ClusterRole](t, "rbac.yaml").Rules, only[*rbacv1.Role](t, "rbac.yaml").Rules...)
	for _, r := range rules {
		for _, words := range [][]string{r.APIGroups, r.Resources, r.Verbs} {
			assert.NotContains(t, words, "*")
		}
		assert.NotContains(t, r.Resources, "secrets")
		assert.NotContains(t, r.Verbs, "delete")
	}
}

// TestHosts: the configurations of the hosts leave to the extender exactly what it decides about.
func TestHosts(t *testing.T) {
	managed := vendors.Default().ManagedResources()
	for _, file := range []string{"hosts/scheduler.yaml", "hosts/autoscaler.yaml"} {
		if *update {
			writeManaged(t, file, managed)
		}
		c := only[*schedulerv1.KubeSchedulerConfiguration](t, file)
		require.Len(t, c.Extenders, 1)
		x := c.Extenders[0]
		var names []string
		for _, r := range x.ManagedResources {
			names = append(names, r.Name)
			assert.True(t, r.IgnoredByScheduler, r.Name)
		}
		assert.Equal(t, managed, names, "%s: go test ./manifests -update", file)
		assert.True(t, x.EnableHTTPS)
		assert.NotNil(t, x.TLSConfig)
		assert.False(t, x.TLSConfig.Insecure || x.Ignorable)
		simulates := file == "hosts/autoscaler.yaml"
		assert.Equal(t, simulates, x.FilterVerb == "filter-simulation")
		assert.Equal(t, simulates, x.BindVerb == "" && !x.NodeCacheCapable)
	}
}

// writeManaged replaces what follows "managedResources:" at the end of a file.
func writeManaged(t *testing.T, file string, managed []string) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	head, _, found := strings.Cut(string(text), "managedResources:\n")
	require.True(t, found)
	var b strings.Builder
	b.WriteString(head + "managedResources:\n")
	for _, name := range managed {
		b.WriteString("      - {name: " + name + ", ignoredByScheduler: true}\n")
	}
	require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o644))
}

// TestFlags: the program takes the flags that the deployment gives it.
func TestFlags(t *testing.T) {
	for _, file := range []string{"deployment.yaml", "simulation.yaml"} {
		container := only[*appsv1.Deployment](t, file).Spec.Template.Spec.Containers[0]
		require.NoError(t, command.New(service.New()).ParseFlags(container.Args), file)
	}
}
