package engine

import (
	"github.com/stacrun/stacrun/config"
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
	u.begun() // its branches wait for permits of their own
	keys := make([]uint64, len(s.branches))
	for i := range keys {
		keys[i] = u.stream.rand.Uint64()
	}
	scheduled := u.scheduled
	u.scheduled = -1
	next, worst := 0, flowNext // whoever has the turn may touch them
	u.together(s.inFlight, func(b *user) {
		for next < len(s.branches) && worst == flowNext {
			number := next
			next++
			b.scheduled, b.moved = scheduled, u.moved
			b.stream.rekey(keys[number], u.run.plan.index, uint64(number), u.ticket)
			worst = max(worst, s.branches[number].run(b))
		}
	})
	for _, b := range u.branches[:s.inFlight] {
		u.failed = u.failed || b.failed
		u.unlisted, b.unlisted = u.unlisted+b.unlisted, 0
		u.ctx.LastFailed = u.ctx.LastFailed || b.ctx.LastFailed
	}
	return worst
}
