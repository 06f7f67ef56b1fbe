//go:build !linux

package main

import (
	"errors"
	"os"
	"syscall"
)

func terminal(uint16, uint16) (screen, program *os.File, err error) {
	return nil, nil, errors.New("pseudo-terminals are only known on Linux here")
}

func seated() *syscall.SysProcAttr { return nil }
