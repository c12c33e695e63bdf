package testbed_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/accelfit/accelfit/examples/testbed/testbed"
)

func TestVersion(t *testing.T) {
	version, err := bed.Cluster(t).Client().Discovery().ServerVersion()
	if err != nil {
		t.Fatal(err)
	}
	if version.GitVersion != testbed.Version {
		t.Errorf("kube-apiserver is %s, want %s", version.GitVersion, testbed.Version)
	}
}

// Two clusters side by side have nothing in common: neither nodes nor users.
func TestTwoClusters(t *testing.T) {
	one, other := bed.Cluster(t), start(t, testbed.Options{})
	if _, err := one.CreateNodes(t.Context(), nodeOf("only-one")); err != nil {
		t.Fatal(err)
	}
	defer clear(t, one)
	nodes, err := other.Client().CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	if err != nil || len(nodes.Items) != 0 {
		t.Errorf("the other cluster has %d nodes, error %v", len(nodes.Items), err)
	}
	stranger := other.Config()
	stranger.TLSClientConfig.CertData, stranger.TLSClientConfig.KeyData = one.Config().CertData, one.Config().KeyData
	client := clientOf(t, func() (*kubernetes.Clientset, error) { return kubernetes.NewForConfig(stranger) })
	if _, err := client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{}); !apierrors.IsUnauthorized(err) {
		t.Errorf("the other cluster's administrator gets %v", err)
	}
}

// clear takes all nodes and pods off a cluster.
func clear(t *testing.T, c *testbed.Cluster) {
	t.Helper()
	if err := c.DeleteAll(t.Context()); err != nil {
		t.Error(err)
	}
}

func clientOf(t *testing.T, make func() (*kubernetes.Clientset, error)) *kubernetes.Clientset {
	t.Helper()
	client, err := make()
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// A user has the rights that were granted, and no others. Service accounts are users like any other.
func TestRestrictedUser(t *testing.T) {
	c := bed.Cluster(t)
	read := rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"nodes", "pods"}, Verbs: []string{"get", "list", "watch"}}
	for _, user := range []string{"reader", "system:serviceaccount:default:reader"} {
		t.Run(strings.ReplaceAll(user, ":", "-"), func(t *testing.T) {
			client := clientOf(t, func() (*kubernetes.Clientset, error) {
				config, err := c.ConfigFor(user)
				if err != nil {
					return nil, err
				}
				return kubernetes.NewForConfig(config)
			})
			nodes := client.CoreV1().Nodes()
			if _, err := nodes.List(t.Context(), metav1.ListOptions{}); !apierrors.IsForbidden(err) {
				t.Errorf("without a role, listing nodes gets %v", err)
			}
			if err := c.Grant(t.Context(), user, read); err != nil {
				t.Fatal(err)
			}
			granted := func() error { _, err := nodes.List(t.Context(), metav1.ListOptions{}); return err }
			if err := eventually(granted); err != nil {
				t.Errorf("with a role, listing nodes gets %v", err)
			}
			if _, err := nodes.Create(t.Context(), nodeOf("refused"), metav1.CreateOptions{}); !apierrors.IsForbidden(err) {
				t.Errorf("creating a node gets %v", err)
			}
		})
	}
}

func TestKubeconfig(t *testing.T) {
	c := bed.Cluster(t)
	path, err := c.KubeconfigFile(testbed.Admin)
	if err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		t.Fatal(err)
	}
	client := clientOf(t, func() (*kubernetes.Clientset, error) { return kubernetes.NewForConfig(config) })
	if _, err := client.CoreV1().Namespaces().Get(t.Context(), metav1.NamespaceDefault, metav1.GetOptions{}); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v", info.Mode(), err)
	}
}

func TestStopLeavesNothing(t *testing.T) {
	dir := inTemp(t)
	c := start(t, testbed.Options{})
	if _, err := c.StartScheduler(t.Context(), testbed.SchedulerOptions{}); err != nil {
		t.Fatal(err)
	}
	if running := commands(t, dir); len(running) != 3 {
		t.Errorf("running: %q", running)
	}
	if err := c.Stop(); err != nil {
		t.Error(err)
	}
	if running := commands(t, dir); len(running) != 0 {
		t.Errorf("still running: %q", running)
	}
	empty(t, dir)
	if _, err := c.StartScheduler(t.Context(), testbed.SchedulerOptions{}); err == nil {
		t.Error("a scheduler starts in a cluster that has stopped")
	}
	if err := c.Stop(); err != nil {
		t.Errorf("stopping again: %v", err)
	}
	empty(t, dir)
}

// What is not to be removed: logs that were asked for, and those of something that failed. Keys never stay.
func TestLogsThatStay(t *testing.T) {
	dir, logs := inTemp(t), filepath.Join(t.TempDir(), "logs")
	c := start(t, testbed.Options{Logs: logs})
	if err := c.Stop(); err != nil {
		t.Error(err)
	}
	empty(t, dir)
	want := []string{filepath.Join(logs, "etcd.log"), filepath.Join(logs, "kube-apiserver.log")}
	if got, _ := filepath.Glob(filepath.Join(logs, "*")); strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("logs: %q", got)
	}
	c = start(t, testbed.Options{})
	kept := c.KeepLogs()
	if err := c.Stop(); err != nil {
		t.Error(err)
	}
	if got, _ := filepath.Glob(filepath.Join(filepath.Dir(kept), "*")); len(got) != 1 || got[0] != kept {
		t.Errorf("kept: %q", got)
	}
}
