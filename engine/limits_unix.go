//go:build unix

package engine

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// descriptorLimit raises the soft limit of open files to the hard one and returns it; false: unlimited or unknown.
// Go's runtime does the same at its start; it is repeated for processes that lowered it since.
func descriptorLimit() (int64, bool) {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err != nil {
		return 0, false
	}
	if l.Cur < l.Max {
		raised := syscall.Rlimit{Cur: l.Max, Max: l.Max}
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &raised); err == nil {
			l = raised
		}
	}
	if l.Cur > 1<<40 {
		return 0, false
	}
	return int64(l.Cur), true
}

// ephemeralPorts is how many local ports the system gives out.
func ephemeralPorts() (int64, bool) {
	text, err := os.ReadFile("/proc/sys/net/ipv4/ip_local_port_range")
	if err != nil {
		return 0, false
	}
	fields := strings.Fields(string(text))
	if len(fields) != 2 {
		return 0, false
	}
	low, err1 := strconv.ParseInt(fields[0], 10, 64)
	high, err2 := strconv.ParseInt(fields[1], 10, 64)
	return high - low + 1, err1 == nil && err2 == nil && high >= low
}
