package testbed

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// BinariesVariable names the environment variable with the folder of the binaries.
const BinariesVariable = "K8S_BIN"

// Names of the binaries in their folder.
const (
	etcdBinary      = "etcd"
	apiServerBinary = "kube-apiserver"
	schedulerBinary = "kube-scheduler"
)

// ErrNoBinaries says that nobody told where the binaries are.
var ErrNoBinaries = errors.New("no binaries: " + BinariesVariable + " is not set")

// FindBinaries returns the folder that K8S_BIN names, which has all binaries. The error is ErrNoBinaries, or says which binary
// is missing.
func FindBinaries() (dir string, err error) {
	dir = os.Getenv(BinariesVariable)
	if dir == "" {
		return "", ErrNoBinaries
	}
	dir, err = filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for _, name := range []string{etcdBinary, apiServerBinary, schedulerBinary} {
		if err := executable(filepath.Join(dir, name)); err != nil {
			return "", fmt.Errorf("%s: %w", BinariesVariable, err)
		}
	}
	return dir, nil
}

// Binaries returns the folder that K8S_BIN names. Without it the test is skipped, or fails where CI=true.
func Binaries(tb testing.TB) string {
	tb.Helper()
	dir, err := FindBinaries()
	ci, _ := strconv.ParseBool(os.Getenv("CI"))
	switch {
	case errors.Is(err, ErrNoBinaries) && !ci:
		tb.Skip(err)
	case err != nil:
		tb.Fatal(err)
	}
	return dir
}

// executable says what is wrong with a binary.
func executable(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || info.Mode()&0o111 == 0 {
		return fmt.Errorf("%s is not executable", path)
	}
	return nil
}
