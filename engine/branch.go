package engine

import (
	"sync"

	"github.com/stacrun/stacrun/engine/template"
	"github.com/stacrun/stacrun/internal/dying"
	"github.com/stacrun/stacrun/metrics"
)

// together lets n companions of the user work at the same time, each while it has the turn, and waits for them.
func (u *user) together(n int, work func(b *user)) {
	owned := u.turn == nil
	if owned {
		u.turn = new(sync.Mutex)
		u.turn.Lock()
	}
	if u.jar == nil {
		u.jar = new(jar)
	}
	for len(u.branches) < n {
		u.branches = append(u.branches, u.branch())
	}
	var all sync.WaitGroup
	for _, b := range u.branches[:n] {
		b.join(u)
		all.Go(func() {
			b.enter()
			defer b.leave()
			defer dying.Guard(u.run.engine.opts.Dying)
			work(b)
		})
	}
	u.leave()
	all.Wait()
	u.enter()
	if owned {
		u.turn.Unlock()
		u.turn = nil
	}
}

// branch makes a companion of the user, with connections of its own.
func (u *user) branch() *user {
	b := &user{run: u.run, number: u.number, vars: u.vars, stream: newStream(), conns: make([]Connection, len(u.conns)), background: u.background}
	b.ctx = template.Context{Place: u.ctx.Place, Vars: u.vars, Rand: b.stream.rand, User: u.number}
	if u.trace != nil {
		b.trace = new(Trace)
	}
	u.run.enlist(b)
	return b
}

// join brings a companion to where the user is.
func (b *user) join(u *user) {
	b.gate, b.turn, b.jar, b.answers, b.cache = u.gate, u.turn, u.jar, u.answers, u.cache
	b.sink, b.holding, b.once, b.heldTraces = u.sink, u.holding, u.once, u.heldTraces
	b.iteration, b.ticket, b.ctx.Iteration = u.iteration, u.ticket, u.ctx.Iteration
	b.failed, b.ctx.LastFailed = false, false
	b.sample = metrics.Sample{}
}
