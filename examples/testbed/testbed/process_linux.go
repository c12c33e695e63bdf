package testbed

import "syscall"

// attributes keep a child out of the terminal's process group, so that Ctrl-C does not end all children at once, and let the
// kernel kill it when the thread that started it ends.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
