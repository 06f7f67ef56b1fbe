//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package session

import (
	"os"
	"syscall"
)

// lock takes the folder until it is closed; false when somebody else has it.
func lock(folder *os.File) bool {
	for {
		switch err := syscall.Flock(int(folder.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err {
		case syscall.EINTR:
		case syscall.EWOULDBLOCK:
			return false
		default:
			return true // taken, or the file system has no locks
		}
	}
}
