package main

import (
	"errors"
	"sync"

	"github.com/stacrun/stacrun/engine"
	"github.com/stacrun/stacrun/session"
)

// remote is how keys and pages reach the run under way.
type remote struct {
	reasons chan string // of [session.RunOptions].Interrupts: the first stops gracefully, the second at once

	mu     sync.Mutex // guards source
	source session.Source
}

// errNoLoad is said to who wants to change a load that is not there.
var errNoLoad = errors.New("no load is running")

// attach is for [session.RunOptions].Attach.
func (r *remote) attach(source session.Source) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.source = source
}

// control changes the load.
func (r *remote) control(command engine.Command) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.source == nil {
		return errNoLoad
	}
	return r.source.Control(command)
}

// stop ends the run as an interruption does.
func (r *remote) stop(reason string) {
	select {
	case r.reasons <- reason:
	default: // it is stopping at once already
	}
}
