package engine

import (
	"sync"
	"sync/atomic"
)

// gate tells users whether they may go on. It only ever closes.
type gate struct {
	closed  atomic.Bool
	once    sync.Once
	closing chan struct{}
}

func newGate() *gate { return &gate{closing: make(chan struct{})} }

// open reports whether a new request may begin.
func (g *gate) open() bool { return !g.closed.Load() }

func (g *gate) close() {
	g.once.Do(func() {
		g.closed.Store(true)
		close(g.closing)
	})
}
