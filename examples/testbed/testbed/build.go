package testbed

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Version is the version of Kubernetes that Build builds.
const Version = "v1.37.2"

// modulePath is the module that pins the versions of what is built, and packagePath a package of it.
const (
	modulePath  = "github.com/accelfit/accelfit/examples/testbed"
	packagePath = modulePath + "/testbed"
)

// stampFile holds what the binaries beside it were built from.
const stampFile = ".built"

// BuildOptions are what a build depends on besides its folder; the zero value says nothing and builds everything.
type BuildOptions struct {
	Out io.Writer // what is being built, and the compiler's output; nil: the compiler's output is part of the error
}

// target is a binary to build.
type target struct{ binary, pkg, flags string }

func targets() []target {
	const v = "-X k8s.io/component-base/version."
	major, minor, _ := strings.Cut(strings.TrimPrefix(Version, "v"), ".")
	minor, _, _ = strings.Cut(minor, ".")
	kube := "-s -w " + v + "gitVersion=" + Version + " " + v + "gitMajor=" + major + " " + v + "gitMinor=" + minor
	return []target{
		{etcdBinary, "go.etcd.io/etcd/server/v3", "-s -w"},
		{apiServerBinary, "k8s.io/kubernetes/cmd/kube-apiserver", kube},
		{schedulerBinary, "k8s.io/kubernetes/cmd/kube-scheduler", kube},
	}
}

// Build builds etcd, kube-apiserver and kube-scheduler into a folder, which it makes, with the go command. It must be called
// below a module that requires this one. The first time it takes about 8 minutes and 2.5 GiB of memory; a folder that is up to
// date is left alone at the cost of reading go.sum.
func Build(ctx context.Context, dir string, o BuildOptions) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	module, err := moduleFolder(ctx)
	if err != nil {
		return err
	}
	want, err := inputs(ctx, module)
	if err != nil {
		return err
	}
	if stamp, err := os.ReadFile(filepath.Join(dir, stampFile)); err == nil && string(stamp) == want+outputs(dir) {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, t := range targets() {
		if o.Out != nil {
			fmt.Fprintf(o.Out, "building %s (%s)\n", t.binary, t.pkg)
		}
		if err := t.build(ctx, module, dir, o.Out); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, stampFile), []byte(want+outputs(dir)), 0o644)
}

// build builds one binary.
func (t target) build(ctx context.Context, module, dir string, out io.Writer) error {
	args := []string{"build", "-ldflags=" + t.flags, "-o", filepath.Join(dir, t.binary), t.pkg}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = module
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = stopGrace
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said
	if out != nil {
		cmd.Stdout, cmd.Stderr = out, out
	}
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("building %s: %w\n%s", t.binary, errors.Join(err, context.Cause(ctx)), said.String())
	}
	return nil
}

// moduleFolder is where the sources of this module are.
func moduleFolder(ctx context.Context) (string, error) {
	out, err := goSays(ctx, "", "list", "-f", "{{.Module.Dir}}", packagePath)
	if err != nil {
		return "", fmt.Errorf("where module %s is: %w", modulePath, err)
	}
	return out, nil
}

// inputs is what the binaries are built from, as text.
func inputs(ctx context.Context, module string) (string, error) {
	version, err := goSays(ctx, module, "env", "GOVERSION", "GOOS", "GOARCH", "GOFLAGS", "CGO_ENABLED")
	if err != nil {
		return "", err
	}
	text := fmt.Sprintf("%s\n%v\n", strings.ReplaceAll(version, "\n", " "), targets())
	for _, name := range []string{"go.mod", "go.sum"} {
		content, err := os.ReadFile(filepath.Join(module, name))
		if err != nil {
			return "", err
		}
		text += fmt.Sprintf("%s %x\n", name, sha256.Sum256(content))
	}
	return text, nil
}

// outputs is the state of the binaries in a folder, as text, so that a binary that somebody else wrote there is noticed.
func outputs(dir string) string {
	var b strings.Builder
	for _, t := range targets() {
		info, err := os.Stat(filepath.Join(dir, t.binary))
		if err != nil {
			fmt.Fprintf(&b, "%s missing\n", t.binary)
			continue
		}
		fmt.Fprintf(&b, "%s %d %d\n", t.binary, info.Size(), info.ModTime().UnixNano())
	}
	return b.String()
}

// goSays runs the go command and returns what it prints.
func goSays(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, said.String())
	}
	return strings.TrimSpace(string(out)), nil
}
