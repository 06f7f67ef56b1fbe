//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// separate keeps signals of the terminal from an agent: the controller tells it when to stop.
func separate(command *exec.Cmd) { command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
