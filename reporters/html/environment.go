package html

import (
	"os"
	"runtime"
	"strconv"
)

// Fact is a line about the run or its machine.
type Fact struct{ Name, Value string }

// Environment says what this process runs on.
func Environment() []Fact {
	facts := []Fact{
		{"generator", runtime.GOOS + "/" + runtime.GOARCH + ", " + runtime.Version()},
		{"processors", strconv.Itoa(runtime.GOMAXPROCS(0)) + " used of " + strconv.Itoa(runtime.NumCPU())},
	}
	if host, err := os.Hostname(); err == nil {
		facts = append(facts, Fact{"host", host})
	}
	return facts
}
