package testbed_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/accelfit/accelfit/examples/testbed/testbed"
)

// bed is the cluster of all tests that do not need one of their own; roles say what its users may do.
var bed = testbed.Shared{Options: testbed.Options{RBAC: true}}

func TestMain(m *testing.M) {
	code := bed.Run(m)
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// start starts a cluster of the test's own, which the test stops.
func start(t *testing.T, o testbed.Options) *testbed.Cluster {
	t.Helper()
	testbed.Binaries(t)
	c, err := testbed.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// inTemp has clusters put their folders in one of the test's own, which must be empty in the end.
func inTemp(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	t.Setenv("TMPDIR", dir)
	return dir
}

// empty fails where a folder has anything in it.
func empty(t *testing.T, dir string) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	if len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// commands lists the command lines of running processes that mention a text: a cluster's processes mention its folder.
func commands(t *testing.T, text string) (out []string) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skip("processes cannot be listed here")
	}
	for _, file := range files {
		line, err := os.ReadFile(file)
		if err == nil && bytes.Contains(line, []byte(text)) {
			out = append(out, strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return out
}

// podOf is a pod for a scheduler, with limits, each written name=amount.
func podOf(scheduler, name string, limits ...string) *corev1.Pod {
	list := corev1.ResourceList{}
	for _, limit := range limits {
		key, amount, _ := strings.Cut(limit, "=")
		list[corev1.ResourceName(key)] = resource.MustParse(amount)
	}
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PodSpec{
			SchedulerName: scheduler,
			Containers:    []corev1.Container{{Name: "main", Resources: corev1.ResourceRequirements{Limits: list}}},
		},
	}
}

func nodeOf(name string) *corev1.Node { return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}} }
