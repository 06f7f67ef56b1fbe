package main

import (
	"os"
	"strconv"
	"strings"
)

// peak follows the peak of a process' resident memory. What wait4 reports will not do: it begins with the memory of
// the parent, which the child shared until it became another program.
type peak struct {
	name string
	kb   int64
}

func newPeak(pid int) *peak { return &peak{name: "/proc/" + strconv.Itoa(pid) + "/status"} }

// look reads the peak so far; after the process has ended it changes nothing.
func (p *peak) look() { p.kb = max(p.kb, statusKB(p.name, "VmHWM:")) }

// residentKB gives the memory that a process holds now; 0: not known, or it has ended.
func residentKB(pid int) int64 { return statusKB(newPeak(pid).name, "VmRSS:") }

// statusKB reads a line of a process' status, 0 without it.
func statusKB(name, key string) int64 {
	text, err := os.ReadFile(name)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, key); ok {
			kb, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")), 10, 64)
			return kb
		}
	}
	return 0
}

// end gives the peak in kB.
func (p *peak) end(*os.ProcessState) int64 { return p.kb }
