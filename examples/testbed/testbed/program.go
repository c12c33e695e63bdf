package testbed

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// Program is a command of the module that its tests are in, built by the first test that asks for it. It is safe for concurrent use.
type Program struct {
	Name string // of the file; empty: program
	Dir  string // with its package, from the test's folder

	once   sync.Once
	folder string
	err    error
}

// Path builds the command and returns where it is. Where it cannot be built, every test that asks fails.
func (p *Program) Path(tb testing.TB) string {
	tb.Helper()
	p.once.Do(func() { p.err = p.build() })
	if p.err != nil {
		tb.Fatal(p.err)
	}
	return p.path()
}

func (p *Program) path() string {
	name := p.Name
	if name == "" {
		name = "program"
	}
	return filepath.Join(p.folder, name)
}

func (p *Program) build() (err error) {
	if p.folder, err = os.MkdirTemp("", "testbed-program-"); err != nil {
		return err
	}
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", p.path(), ".")
	build.Dir = p.Dir
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go build in %s: %w: %s", p.Dir, err, out)
	}
	return nil
}

// Remove removes what was built: for TestMain.
func (p *Program) Remove() { _ = os.RemoveAll(p.folder) }
