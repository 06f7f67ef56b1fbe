//go:build !unix

package services

import (
	"errors"
	"os"
	"os/exec"
)

// shell returns a command that runs text through the shell.
func shell(text string) *exec.Cmd { return exec.Command("cmd", "/C", text) } //nolint:noctx // stopped by signalGroup

// ownGroup does nothing: there are no process groups to put a command into.
func ownGroup(*exec.Cmd) {}

// signalGroup ends the command by force; there is no way to ask.
func signalGroup(cmd *exec.Cmd, _ bool) error {
	err := cmd.Process.Kill()
	if errors.Is(err, os.ErrProcessDone) {
		return nil
	}
	return err
}
