package session

import (
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/stacrun/stacrun/reporters/report"
)

// ThisMachine says what this process runs on. What only Linux tells is empty elsewhere.
func ThisMachine() report.Machine {
	m := report.Machine{
		OS: runtime.GOOS, Arch: runtime.GOARCH, Go: runtime.Version(), Processors: runtime.NumCPU(), Used: runtime.GOMAXPROCS(0),
		Kernel: strings.TrimSpace(fileText("/proc/sys/kernel/osrelease")), Model: after(fileText("/proc/cpuinfo"), "model name"),
	}
	m.Host, _ = os.Hostname() // a machine without a name has none
	if fields := strings.Fields(after(fileText("/proc/meminfo"), "MemTotal")); len(fields) > 0 {
		kibibytes, _ := strconv.ParseInt(fields[0], 10, 64) // 0: not known
		m.MemoryBytes = kibibytes << 10
	}
	if _, rest, found := strings.Cut(fileText("/proc/self/limits"), "Max open files"); found {
		if fields := strings.Fields(rest); len(fields) > 0 {
			m.Descriptors, _ = strconv.ParseInt(fields[0], 10, 64) // "unlimited": none to be told
		}
	}
	if fields := strings.Fields(fileText("/proc/sys/net/ipv4/ip_local_port_range")); len(fields) == 2 {
		low, err1 := strconv.ParseInt(fields[0], 10, 64)
		high, err2 := strconv.ParseInt(fields[1], 10, 64)
		if err1 == nil && err2 == nil {
			m.Ports = high - low + 1
		}
	}
	return m
}

// fileText is the content of a file of the system, "" where there is none.
func fileText(name string) string {
	text, err := os.ReadFile(name)
	if err != nil {
		return ""
	}
	return string(text)
}

// after finds the value of the first line "name : value".
func after(text, name string) string {
	for line := range strings.Lines(text) {
		if key, value, found := strings.Cut(line, ":"); found && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
