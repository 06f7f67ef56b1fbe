package main

import (
	"syscall"
	"time"
)

// sleepUntil waits on the calling thread: the runtime's own timers are late by up to a millisecond when a process is idle.
func sleepUntil(due time.Time) {
	for d := time.Until(due); d > 0; d = time.Until(due) {
		left := syscall.NsecToTimespec(int64(d))
		_ = syscall.Nanosleep(&left, nil)
	}
}
