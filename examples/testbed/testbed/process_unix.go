//go:build unix && !linux

package testbed

import "syscall"

// attributes keep a child out of the terminal's process group, so that Ctrl-C does not end all children at once.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
