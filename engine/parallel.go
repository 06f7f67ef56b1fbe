package engine

import (
	"sync"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/engine/template"
	"github.com/stacrun/stacrun/metrics"
)

// parallelStep keeps several branches in flight at once. They share the user's variables and cookies and take
// turns in using them: only waiting, for answers and pauses, happens at the same time. Each branch has a random
// stream of its own, so that what is sent does not hang on which answer comes first.
type parallelStep struct {
	branches []step
	inFlight int
}

func (c *compiler) parallelStep(in *config.Parallel, sc *scope) step {
	s := &parallelStep{branches: c.steps(in.Branches, sc)}
	if s.inFlight = in.InFlight.Or(len(s.branches)); s.inFlight < 1 || s.inFlight > len(s.branches) {
		s.inFlight = len(s.branches)
	}
	return s
}

func (s *parallelStep) run(u *user) flow {
	if len(s.branches) == 0 {
		return flowNext
	}
	keys := make([]uint64, len(s.branches))
	for i := range keys {
		keys[i] = u.stream.rand.Uint64()
	}
	owned := u.turn == nil
	if owned {
		u.turn = new(sync.Mutex)
		u.turn.Lock()
	}
	if u.jar == nil {
		u.jar = new(jar)
	}
	for len(u.branches) < s.inFlight {
		u.branches = append(u.branches, u.branch())
	}
	scheduled := u.scheduled
	u.scheduled = -1
	var all sync.WaitGroup
	next, worst := 0, flowNext
	for i := range s.inFlight {
		b := u.branches[i]
		b.join(u)
		all.Go(func() {
			b.enter()
			defer b.leave()
			for next < len(s.branches) && worst == flowNext {
				number := next
				next++
				b.scheduled = scheduled
				b.stream.rekey(keys[number], u.run.plan.index, uint64(number), u.ticket)
				worst = max(worst, s.branches[number].run(b))
			}
		})
	}
	u.leave()
	all.Wait()
	u.enter()
	for _, b := range u.branches[:s.inFlight] {
		u.failed = u.failed || b.failed
		u.ctx.LastFailed = u.ctx.LastFailed || b.ctx.LastFailed
	}
	if owned {
		u.turn.Unlock()
		u.turn = nil
	}
	return worst
}

// branch makes a companion of the user, with connections of its own.
func (u *user) branch() *user {
	b := &user{run: u.run, number: u.number, vars: u.vars, stream: newStream(), conns: make([]Connection, len(u.conns)), background: u.background}
	b.ctx = template.Context{
		Vars: u.vars, Rand: b.stream.rand, User: u.number, Execution: u.ctx.Execution, Scenario: u.ctx.Scenario,
		Now: u.ctx.Now, Counters: u.ctx.Counters,
	}
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
