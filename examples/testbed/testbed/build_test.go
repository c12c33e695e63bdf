package testbed

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// upToDate is a folder with binaries that look as if they had just been built.
func upToDate(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for _, target := range targets() {
		if err := os.WriteFile(filepath.Join(dir, target.binary), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	module, err := moduleFolder(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	in, err := inputs(t.Context(), module)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, stampFile), []byte(in+outputs(dir)), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// What is up to date is not built again: nothing is said.
func TestBuildSkips(t *testing.T) {
	var said strings.Builder
	if err := Build(t.Context(), upToDate(t), BuildOptions{Out: &said}); err != nil || said.Len() > 0 {
		t.Errorf("said %q, error %v", said.String(), err)
	}
}

// stopAtOnce cancels a build when it says what it builds.
type stopAtOnce struct {
	strings.Builder
	cancel context.CancelFunc
}

func (s *stopAtOnce) Write(p []byte) (int, error) {
	s.cancel()
	return s.Builder.Write(p)
}

// A binary that is not the one that was built, or is gone, is built again; the build ends with its context.
func TestBuildAgain(t *testing.T) {
	for why, change := range map[string]func(binary string) error{
		"another": func(binary string) error { return os.WriteFile(binary, []byte("another"), 0o755) },
		"gone":    os.Remove,
	} {
		dir := upToDate(t)
		if err := change(filepath.Join(dir, schedulerBinary)); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		said := stopAtOnce{cancel: cancel}
		err := Build(ctx, dir, BuildOptions{Out: &said})
		cancel()
		if !errors.Is(err, context.Canceled) || !strings.HasPrefix(said.String(), "building etcd") {
			t.Errorf("%s: said %q, error %v", why, said.String(), err)
		}
	}
}

func TestTargets(t *testing.T) {
	const want = "-s -w -X k8s.io/component-base/version.gitVersion=v1.37.2 " +
		"-X k8s.io/component-base/version.gitMajor=1 -X k8s.io/component-base/version.gitMinor=37"
	if got := targets()[1].flags; got != want {
		t.Errorf("flags: %s", got)
	}
}

// reporter is a test that only notes how it ends.
type reporter struct {
	testing.TB
	ended string
}

func (r *reporter) Helper()      {}
func (r *reporter) Skip(...any)  { r.ended = "skipped" }
func (r *reporter) Fatal(...any) { r.ended = "failed" }

// Without binaries tests are skipped, but in CI they fail; binaries that are not there are a failure everywhere.
func TestBinaries(t *testing.T) {
	for _, c := range []struct{ bin, ci, want string }{
		{"", "", "skipped"}, {"", "false", "skipped"}, {"", "true", "failed"}, {"", "1", "failed"},
		{"no/such", "", "failed"}, {upToDate(t), "true", ""},
	} {
		t.Setenv(BinariesVariable, c.bin)
		t.Setenv("CI", c.ci)
		r := &reporter{TB: t}
		dir := Binaries(r)
		if r.ended != c.want || (c.want == "" && dir != c.bin) {
			t.Errorf("%+v: %q, folder %q", c, r.ended, dir)
		}
	}
}
