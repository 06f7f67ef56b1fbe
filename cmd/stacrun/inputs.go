package main

import (
	"io"
	"os"
	"sync"

	"github.com/stacrun/stacrun/internal/input"
)

// standardInput is the name of a scenario file that is read from there.
const standardInput = "-"

// inputs reads scenario files. One document is loaded more than once, such as for another folder, for agents and for each run of a
// study, so what can be read only once is kept: standard input, and pipes such as those that a shell makes of <(command).
type inputs struct {
	stdin io.Reader

	mu   sync.Mutex // guards kept; the page of ui loads beside its runs
	kept map[string]content
}

// content is what was read, or why not.
type content struct {
	text []byte
	err  error
}

func newInputs(stdin io.Reader) *inputs { return &inputs{stdin: stdin, kept: map[string]content{}} }

// streamed reports whether a file can be read only once.
func streamed(name string) bool {
	info, err := os.Stat(name)
	return name == standardInput || err == nil && info.Mode()&os.ModeNamedPipe != 0
}

// read reads a file of at most [input.MaxDocument]; see [config.Options].
func (i *inputs) read(name string) ([]byte, error) {
	if !streamed(name) {
		return input.File(name, input.MaxDocument)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	c, known := i.kept[name]
	switch {
	case known:
	case name == standardInput:
		c.text, c.err = input.Stream(i.stdin, input.MaxDocument)
	default:
		c.text, c.err = input.File(name, input.MaxDocument)
	}
	i.kept[name] = c
	return c.text, c.err
}
