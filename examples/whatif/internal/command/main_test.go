package command

import (
	"os"
	"path/filepath"
	"testing"
)

// TestMain keeps the tests off the kubeconfig and the cluster of whoever runs them.
func TestMain(m *testing.M) {
	os.Setenv("KUBECONFIG", filepath.Join(os.TempDir(), "no-such-folder", "config"))
	os.Unsetenv("KUBERNETES_SERVICE_HOST")
	os.Exit(m.Run())
}
