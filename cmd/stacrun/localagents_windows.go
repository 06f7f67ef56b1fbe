package main

import (
	"os/exec"
	"syscall"
)

// separate keeps Ctrl-C from an agent: the controller tells it when to stop.
func separate(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
