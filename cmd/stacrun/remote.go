package main

import (
	"errors"
	"sync"

	"github.com/stacrun/stacrun/engine"
	"github.com/stacrun/stacrun/session"
)

// remote is how keys and pages reach the run under way.
type remote struct {
	mu      sync.Mutex // guards what follows
	source  session.Source
	reasons chan string // of [session.RunOptions].Interrupts: the first stops gracefully, the second at once; nil: nothing to stop yet
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

// listen names where stops are sent.
func (r *remote) listen(reasons chan string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reasons = reasons
}

// stop ends the run as an interruption does.
func (r *remote) stop(reason string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case r.reasons <- reason:
	default: // it is stopping at once already
	}
}
