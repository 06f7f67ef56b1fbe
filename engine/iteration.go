package engine

import "github.com/stacrun/stacrun/metrics"

// iterate walks the script once, from now, which is start. ticket numbers the iteration in samples; scheduled is when it fell
// due in the open model, as pauses have moved it, and warm that it first fell due in the warm-up. It reports how the user goes on. The iteration is counted as started, and as finished or interrupted, here. Under a
// throughput it starts with its first permit: one that still waits for that when the run ends has begun nothing,
// and is none.
func (u *user) iterate(who uint64, ticket, start, scheduled int64, warm bool) flow {
	x := u.run
	u.stream.rekey(x.engine.plan.seed, x.plan.index, who, ticket)
	u.ctx.Iteration, u.ticket = u.iteration, ticket
	u.scheduled, u.failed = -1, false
	if u.cache != nil {
		u.cache.clear()
	}
	if x.plan.clearAnswer {
		*u.answers = answers{}
	}
	if x.plan.load.open {
		u.scheduled = scheduled
	}
	u.started, u.uncounted, u.warm = start, true, warm
	if x.throttle.Load() == nil {
		u.begun()
	}
	f := u.script()
	u.iterated(f, scheduled)
	return f
}

// iterated counts and records an iteration. It is a function of its own so that the sample is not made on the stack
// of a user who waits somewhere in the script.
func (u *user) iterated(f flow, scheduled int64) {
	x := u.run
	end := u.now()
	u.iteration++
	u.once = false
	if u.uncounted && f == flowEnd && !x.plan.load.open {
		u.uncounted = false
		return
	}
	u.begun()
	start := u.started
	if !x.plan.load.open {
		scheduled = start
	}

	s := &u.sample
	*s = metrics.Sample{
		Scheduled: scheduled, Start: start, DNS: start, Connected: start, TLS: start, Sent: start, FirstByte: start, End: end,
		Iteration: u.ticket, Label: x.iterationLabel, Execution: uint16(x.plan.index), User: u.number,
		Users: uint32(x.load.Users()), Kind: metrics.IterationKind,
	}
	s.Exchanges, u.unlisted = u.unlisted, 0
	if u.warm {
		s.Flags |= metrics.WarmUp
	}
	if u.failed {
		s.Flags |= metrics.Failed
	}
	if f == flowEnd || f == flowAbort {
		s.Flags |= metrics.Interrupted
		x.load.Part(u.warm).Interrupted.Add(1)
	} else {
		x.load.Part(u.warm).Finished.Add(1)
	}
	x.engine.recorder.Record(s)
}

// begun counts the iteration as started, unless it is already.
func (u *user) begun() {
	if !u.uncounted {
		return
	}
	u.uncounted = false
	c := u.run.load.Part(u.warm)
	if !u.run.plan.load.open {
		c.Scheduled.Add(1) // in an open model it was when it fell due
	}
	c.Started.Add(1)
}

// script runs the steps of one iteration: those of the scenario, or of the task that was drawn.
func (u *user) script() flow {
	x := u.run.plan
	if len(x.tasks) == 0 {
		return u.runSteps(x.script)
	}
	draw := u.stream.rand.Float64() * x.weights
	for i := range x.tasks {
		if draw < x.tasks[i].upTo {
			return u.runSteps(x.tasks[i].steps)
		}
	}
	return u.runSteps(x.tasks[len(x.tasks)-1].steps)
}

// draw takes the rows of an iteration. The one that takes the last row ends the execution: whatever fell due later would only
// find out that none is left, and count as dropped.
func (u *user) draw() bool {
	if !u.row() {
		return false
	}
	for _, s := range u.run.plan.sources {
		if s.Spent() {
			u.run.dataEnded(s)
		}
	}
	return true
}

// row takes the next row of each data source, unless setup has drawn it; false: the data has ended.
func (u *user) row() bool {
	if u.drawn {
		u.drawn = false
		return true
	}
	for _, s := range u.run.plan.sources {
		row, ok := s.Next()
		if !ok {
			u.run.dataEnded(s)
			return false
		}
		s.set(row, u.vars)
	}
	return true
}
