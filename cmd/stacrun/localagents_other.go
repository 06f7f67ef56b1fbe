//go:build !unix && !windows

package main

import "os/exec"

// separate does nothing where there are no groups of processes.
func separate(*exec.Cmd) {}
