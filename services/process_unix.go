//go:build unix

package services

import (
	"errors"
	"os/exec"
	"syscall"
)

// shell returns a command that runs text through the shell.
func shell(text string) *exec.Cmd { return exec.Command("/bin/sh", "-c", text) } //nolint:noctx // stopped by group

// ownGroup puts a command into a process group, so that its children end with it and Ctrl-C on the
// terminal reaches us alone.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// signalGroup sends SIGTERM, or SIGKILL by force, to the command's group.
func signalGroup(cmd *exec.Cmd, force bool) error {
	signal := syscall.SIGTERM
	if force {
		signal = syscall.SIGKILL
	}
	err := syscall.Kill(-cmd.Process.Pid, signal)
	if errors.Is(err, syscall.ESRCH) {
		return nil
	}
	return err
}
