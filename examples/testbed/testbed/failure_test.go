package testbed_test

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/accelfit/accelfit/examples/testbed/testbed"
)

// eventually asks for a few seconds.
func eventually(ask func() error) (err error) {
	for range 250 {
		if err = ask(); err == nil {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return err
}

// script is a folder of binaries that are shell scripts.
func script(t *testing.T, text string) (bin string) {
	t.Helper()
	bin = t.TempDir()
	for _, name := range []string{"etcd", "kube-apiserver"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return bin
}

func TestMissingBinary(t *testing.T) {
	dir := inTemp(t)
	_, err := testbed.Start(t.Context(), testbed.Options{Bin: filepath.Join(dir, "none")})
	if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "none/etcd") {
		t.Errorf("got %v", err)
	}
	empty(t, dir)
}

// A process that ends by itself, or never gets ready: the error names the log and says how it ends, and the log is there.
func TestStartFails(t *testing.T) {
	for _, bad := range []struct{ why, does, says string }{
		{"ends", "echo cannot go on; exit 3", "exit status 3"},
		{"ends well", "echo cannot go on", "ended by itself"},
		{"hangs", "echo cannot go on; exec sleep 60", "took more than"},
	} {
		t.Run(bad.why, func(t *testing.T) {
			dir := inTemp(t)
			_, err := testbed.Start(t.Context(), testbed.Options{Bin: script(t, bad.does), Limit: 2 * time.Second})
			var p *testbed.ProcessError
			if !errors.As(err, &p) || p.Process != "etcd" || p.Tail != "cannot go on" || !strings.Contains(err.Error(), bad.says) {
				t.Fatalf("got %v", err)
			}
			text, readErr := os.ReadFile(p.Log)
			if string(text) != "cannot go on\n" || !strings.Contains(err.Error(), p.Log) {
				t.Errorf("log %q, %v; error %v", text, readErr, err)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, "*", "*")); len(left) != 1 || left[0] != filepath.Dir(p.Log) {
				t.Errorf("left behind: %q", left)
			}
			if running := commands(t, dir); len(running) > 0 {
				t.Errorf("still running: %q", running)
			}
		})
	}
}

func TestPortTaken(t *testing.T) {
	bin, dir := testbed.Binaries(t), inTemp(t)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	_, err = testbed.Start(t.Context(), testbed.Options{Bin: bin, Port: taken.Addr().(*net.TCPAddr).Port})
	var p *testbed.ProcessError
	if !errors.Is(err, testbed.ErrPortTaken) || !errors.As(err, &p) || !strings.Contains(err.Error(), p.Log) {
		t.Errorf("got %v", err)
	}
	if running := commands(t, dir); len(running) > 0 {
		t.Errorf("still running: %q", running)
	}
}

// Whoever cancels the start does not want its logs.
func TestCancelledStart(t *testing.T) {
	bin := testbed.Binaries(t)
	for _, after := range []time.Duration{0, 50 * time.Millisecond, 500 * time.Millisecond, 1500 * time.Millisecond} {
		t.Run(after.String(), func(t *testing.T) {
			dir := inTemp(t)
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(after, cancel)
			c, err := testbed.Start(ctx, testbed.Options{Bin: bin})
			if err == nil { // it was faster
				err = errors.Join(c.Stop(), context.Canceled)
			}
			if !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
			if running := commands(t, dir); len(running) > 0 {
				t.Errorf("still running: %q", running)
			}
			empty(t, dir)
		})
	}
}

// A process that dies while the cluster runs is told, with its log, by Wait and by Stop.
func TestDeath(t *testing.T) {
	bin, dir := testbed.Binaries(t), inTemp(t)
	c, err := testbed.Start(t.Context(), testbed.Options{Bin: bin})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := c.Wait(ctx); err != nil {
		t.Errorf("all is well, but %v", err)
	}
	s, err := c.StartScheduler(t.Context(), testbed.SchedulerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(syscall.Kill(s.PID(), syscall.SIGKILL), syscall.Kill(c.APIServerPID(), syscall.SIGKILL)); err != nil {
		t.Fatal(err)
	}
	died := c.Wait(t.Context())
	var p *testbed.ProcessError
	if !errors.As(died, &p) || p.Process != "kube-apiserver" || !strings.Contains(died.Error(), "killed") {
		t.Errorf("Wait says %v", died)
	}
	if err := c.Stop(); err == nil || !strings.Contains(err.Error(), "kube-apiserver: signal: killed") {
		t.Errorf("Stop says %v", err)
	}
	if _, err := os.Stat(p.Log); err != nil {
		t.Error(err)
	}
	if running := commands(t, dir); len(running) > 0 {
		t.Errorf("still running: %q", running)
	}
}
