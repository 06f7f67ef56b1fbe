//go:build unix && !linux

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peak is the peak of a process' resident memory as the system reports it at the end.
type peak struct{}

func newPeak(int) *peak { return &peak{} }

func (*peak) look() {}

// end gives the peak in kB.
func (*peak) end(s *os.ProcessState) int64 {
	r, ok := s.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" || runtime.GOOS == "ios" { // bytes there
		return int64(r.Maxrss) / 1024
	}
	return int64(r.Maxrss)
}
