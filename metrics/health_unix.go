//go:build unix

package metrics

import (
	"bytes"
	"os"
	"strconv"
	"syscall"
	"time"
)

// processorTime is the user and system time of the process so far.
func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// descriptors returns how many are open and how many may be; 0 where the system does not say.
func descriptors() (open, limit int64) {
	var rlimit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &rlimit); err == nil {
		limit = int64(min(uint64(rlimit.Cur), 1<<62))
	}
	// Linux since 6.2 tells the number as the size of the folder; listing it, with thousands of connections, is not free.
	const folder = "/proc/self/fd"
	if info, err := os.Stat(folder); err == nil && info.Size() > 0 {
		return info.Size(), limit
	}
	dir, err := os.Open(folder)
	if err != nil {
		return 0, limit
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return 0, limit
	}
	return int64(len(names)) - 1, limit // without the one of the folder itself
}

// residentBytes is the memory that the process has in RAM, or otherwise what the runtime has from the system.
func residentBytes(otherwise int64) int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return otherwise
	}
	fields := bytes.Fields(text)
	if len(fields) < 2 {
		return otherwise
	}
	pages, err := strconv.ParseInt(string(fields[1]), 10, 64)
	if err != nil {
		return otherwise
	}
	return pages * int64(os.Getpagesize())
}
