package testbed

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
)

// Shared is a cluster that the tests of a package share. The first test that asks for it starts it.
type Shared struct {
	// Options of the cluster. Where Bin is empty, tests without K8S_BIN are skipped, or fail with CI=true.
	Options Options

	once    sync.Once
	cluster *Cluster
	err     error
}

// Cluster returns the cluster, started if need be. Where it cannot be started, every test that asks fails.
func (s *Shared) Cluster(tb testing.TB) *Cluster {
	tb.Helper()
	if s.Options.Bin == "" {
		Binaries(tb)
	}
	s.once.Do(func() { s.cluster, s.err = Start(context.Background(), s.Options) })
	if s.err != nil {
		tb.Fatal(s.err)
	}
	return s.cluster
}

// Run runs the tests, stops the cluster, and returns the exit code: for TestMain. The logs are kept, and told, if a test failed.
func (s *Shared) Run(m interface{ Run() int }) (code int) {
	defer func() {
		if s.cluster == nil {
			return
		}
		if code != 0 {
			s.cluster.KeepLogs()
		}
		if err := s.cluster.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, "stopping the test bed:", err)
			code = max(code, 1)
		}
		if code != 0 {
			fmt.Fprintln(os.Stderr, "the test bed's logs:", s.cluster.Logs())
		}
	}()
	return m.Run()
}
