package engine

import (
	"time"
)

// runClosed keeps as many users alive as the shape asks for, until the plan is over or all of them have done their iterations.
func (x *running) runClosed() {
	e, p := x.engine, &x.plan.load
	end, _ := p.shape.Duration()
	at, want, more := p.shape.NextChange(-1)
	planned := 0
	var live []*user // those that were started and not sent home; nil: of another process
	own := 0         // of them
	loop := x.loop
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		now := time.Duration(e.clock.Now() - x.start)
		over := false
		for more && at <= now {
			planned, over = want, p.timed && at >= end
			e.late.Record(int64(now - at))
			at, want, more = p.shape.NextChange(at)
		}
		if over || !x.gate.open() {
			x.stop()
			return
		}
		target := planned
		users, _ := x.level.get()
		if users != nil {
			target = *users
		}
		finished := x.level.finished.Load()
		for len(live) < target && !finished {
			number := x.number.Add(1) - 1
			if !p.part.Owns(int64(number)) {
				live = append(live, nil)
				continue
			}
			u := x.newUser(number, x.gate)
			live, own = append(live, u), own+1
			x.spawn(u, loop)
		}
		for len(live) > target {
			if u := live[len(live)-1]; u != nil {
				u.retired.Store(true)
				own--
			}
			live = live[:len(live)-1]
		}
		// Nobody is left: is anybody still to come? Users that were set to 0 while running may be asked for again.
		awaited := users == nil && more && len(live) < p.users || users != nil && own == 0
		if x.population.Load() == 0 && (finished || !awaited) {
			return
		}
		wait := time.Duration(1<<62 - 1)
		if more {
			wait = at - time.Duration(e.clock.Now()-x.start)
		}
		timer.Reset(wait)
		select {
		case <-timer.C:
		case <-x.level.changed:
		case <-x.gate.closing:
		}
	}
}

// spawn starts the goroutine of a user.
func (x *running) spawn(u *user, iterations func(*user)) {
	x.users.Add(1)
	x.population.Add(1)
	go x.life(u, iterations)
}

// loop is the life of a user in the closed model: one iteration after the other.
func (x *running) loop(u *user) {
	p := &x.plan.load
	steps := u.gate
	if x.plan.finishStarted {
		steps = x.hard
	}
	if u.unfit {
		return
	}
	for n := int64(0); p.iterations == 0 || n < p.iterations; n++ {
		if u.retired.Load() || x.level.finished.Load() && !u.drawn || !x.wait(u) {
			return
		}
		who, ticket := uint64(u.number)+1, u.iteration
		if p.total > 0 {
			who, ticket = 0, p.part.Number(x.ticket.Add(1)-1)
			if ticket >= p.total {
				x.level.finish()
				return
			}
		}
		start := u.now()
		if start >= x.endAt || !u.draw() {
			return
		}
		u.gate = steps
		f := u.iterate(who, ticket, start, 0, start < x.warmUntil)
		u.gate = x.gate
		if !x.after(f) {
			return
		}
	}
}
