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
func (p *peak) look() {
	text, err := os.ReadFile(p.name)
	if err != nil {
		return
	}
	for line := range strings.Lines(string(text)) {
		value, ok := strings.CutPrefix(line, "VmHWM:")
		if !ok {
			continue
		}
		if kb, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")), 10, 64); err == nil {
			p.kb = max(p.kb, kb)
		}
	}
}

// end gives the peak in kB.
func (p *peak) end(*os.ProcessState) int64 { return p.kb }
