package cluster

import (
	"sync"

	"github.com/stacrun/stacrun/engine"
)

// director tells the engine of an agent what the controller has ordered.
type director struct {
	ended func(execution string) // called when a share is over

	mu      sync.Mutex // guards what follows
	changed chan struct{}
	begun   map[string]beginning
	over    []string
	closed  bool
}

type beginning struct {
	start    int64
	prepared []byte
}

var _ engine.Director = (*director)(nil)

func newDirector(ended func(string)) *director {
	return &director{ended: ended, changed: make(chan struct{}), begun: map[string]beginning{}}
}

// begin lets an execution begin.
func (d *director) begin(execution string, b beginning) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.begun[execution] = b
	d.notify()
}

// close says that nothing more begins.
func (d *director) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	d.notify()
}

func (d *director) notify() {
	close(d.changed)
	d.changed = make(chan struct{})
}

// Await implements [engine.Director].
func (d *director) Await(execution string, stopped <-chan struct{}) (start int64, prepared []byte, ok bool) {
	for {
		d.mu.Lock()
		b, begun := d.begun[execution]
		closed, changed := d.closed, d.changed
		d.mu.Unlock()
		switch {
		case begun:
			return b.start, b.prepared, true
		case closed:
			return 0, nil, false
		}
		select {
		case <-changed:
		case <-stopped:
			return 0, nil, false
		}
	}
}

// Ended implements [engine.Director].
func (d *director) Ended(execution string) {
	d.mu.Lock()
	d.over = append(d.over, execution)
	d.mu.Unlock()
	d.ended(execution)
}

// finished lists the executions whose share is over.
func (d *director) finished() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]string(nil), d.over...)
}
