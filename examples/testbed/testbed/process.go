package testbed

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	stopGrace = 5 * time.Second       // from SIGTERM to SIGKILL
	pollStep  = 20 * time.Millisecond // between two looks at something that is to become true
	pollLimit = 5 * time.Second       // for one look
	tailLines = 12                    // of a log, in an error
)

// ErrPortTaken says that a process could not listen on its port.
var ErrPortTaken = errors.New("the port is taken")

// errEnded is the error of a process that ended by itself, with success.
var errEnded = errors.New("ended by itself")

// ProcessError says that a process of the cluster could not be started, did not become ready, or ended by itself.
type ProcessError struct {
	Process string // etcd, kube-apiserver, kube-scheduler
	Log     string // path of its log
	Tail    string // how the log ends
	Err     error
}

// Error names the process and its log.
func (e *ProcessError) Error() string {
	text := fmt.Sprintf("%s: %v (log: %s)", e.Process, e.Err, e.Log)
	if e.Tail != "" {
		text += "; the log ends:\n" + e.Tail
	}
	return text
}

// Unwrap returns Err.
func (e *ProcessError) Unwrap() error { return e.Err }

// process is a child process.
type process struct {
	name, log string
	os        *os.Process
	ended     chan struct{} // closed when it has ended
	err       error         // why it ended; to be read once ended is closed
}

// launch starts a binary that writes to a log, which is emptied first. Of the environment it gets PATH, HOME and TMPDIR, so
// that it heeds nothing but its arguments, and what env adds.
func launch(name, binary, log string, args, env []string) (*process, error) {
	file, err := os.Create(log)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	defer file.Close()
	cmd := exec.Command(binary, args...)
	cmd.Stdout, cmd.Stderr = file, file
	cmd.SysProcAttr = attributes()
	for _, key := range []string{"PATH", "HOME", "TMPDIR"} {
		if value, ok := os.LookupEnv(key); ok {
			cmd.Env = append(cmd.Env, key+"="+value)
		}
	}
	cmd.Env = append(cmd.Env, env...)
	p := &process{name: name, log: log, ended: make(chan struct{})}
	started := make(chan error)
	go p.run(cmd, started)
	if err := <-started; err != nil {
		return nil, &ProcessError{Process: name, Log: log, Err: err}
	}
	return p, nil
}

// run starts a command and waits for its end. It keeps its thread: the kernel kills the child when the thread ends that started
// it, which must not be before the child ends.
func (p *process) run(cmd *exec.Cmd, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := cmd.Start()
	p.os = cmd.Process
	started <- err
	if err != nil {
		return
	}
	if p.err = cmd.Wait(); p.err == nil {
		p.err = errEnded
	}
	close(p.ended)
}

// await polls until the process is ready. The error is a *ProcessError: the process has ended, or ctx has, and then what the
// last look said.
func (p *process) await(ctx context.Context, ready func(context.Context) error) error {
	for {
		look, cancel := context.WithTimeout(ctx, pollLimit)
		last := ready(look)
		cancel()
		if last == nil {
			return nil
		}
		select {
		case <-p.ended:
			return p.fault(p.err)
		case <-ctx.Done():
			return p.fault(fmt.Errorf("not ready: %w: %w", context.Cause(ctx), last))
		case <-time.After(pollStep):
		}
	}
}

// fault is a *ProcessError of the process.
func (p *process) fault(err error) error {
	tail := tail(p.log)
	if strings.Contains(tail, "address already in use") {
		err = fmt.Errorf("%w: %w", ErrPortTaken, err)
	}
	return &ProcessError{Process: p.name, Log: p.log, Tail: tail, Err: err}
}

// stop ends the process: asks it to, and kills it after a while. The error says that it had ended before.
func (p *process) stop() error {
	if p == nil {
		return nil
	}
	select {
	case <-p.ended:
		return p.fault(p.err)
	default:
	}
	_ = p.os.Signal(syscall.SIGTERM) // fails only if it has ended
	select {
	case <-p.ended:
	case <-time.After(stopGrace):
		p.kill()
	}
	return nil
}

// kill ends the process at once.
func (p *process) kill() {
	_ = p.os.Kill() // fails only if it has ended
	<-p.ended
}

// tail is the end of a log.
func tail(log string) string {
	text, err := os.ReadFile(log)
	if err != nil {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-tailLines):], "\n")
}

// freePort is a port of loopback that nobody listened on a moment ago.
func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("a free port: %w", err)
	}
	defer l.Close()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port), nil
}

// onFreePorts calls start until it finds its ports free, a few times. Ports that the caller has chosen are tried once.
func onFreePorts(chosen bool, start func() error) error {
	for try := 0; ; try++ {
		if err := start(); !errors.Is(err, ErrPortTaken) || chosen || try == 4 {
			return err
		}
	}
}
