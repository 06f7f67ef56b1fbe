package engine

import (
	"time"

	"github.com/stacrun/stacrun/engine/load"
)

// wakeEvery is how often the pacer may wake: each wake-up from idle costs tens of microseconds, so all that fell due
// meanwhile begins together.
const wakeEvery = 250 * time.Microsecond

// runOpen begins iterations when the schedule says so, whoever is free.
func (x *running) runOpen() {
	p := &x.plan.load
	c := &crowd{x: x, most: max(int(p.own()), 1), idle: make(chan struct{}, 1)}
	for range p.part.Count(int64(p.preStarted)) {
		c.mu.Lock()
		c.start(nil)
		c.mu.Unlock()
	}
	x.pace(c)
	if x.gate.open() && !x.settled(c) {
		x.stop()
	}
	c.close()
	if x.gate.open() {
		x.gate.close() // nobody has work any more
	}
}

// exhausted reports whether all shared iterations have fallen due.
func (x *running) exhausted() bool {
	return x.plan.load.total > 0 && x.ticket.Load() >= x.plan.load.total
}

// settled waits until what has fallen due is done, where the plan's last arrival is its end; false: its
// time is up, or it was stopped.
func (x *running) settled(c *crowd) bool {
	p := &x.plan.load
	if p.timed && !x.exhausted() && !x.level.finished.Load() {
		return false
	}
	var over <-chan time.Time
	if p.timed {
		timer := newTimerAt(x.engine.clock, x.endAt)
		defer timer.Stop()
		over = timer.C
	}
	for {
		c.mu.Lock()
		done := c.busy == 0 && c.waiting.len() == 0
		c.mu.Unlock()
		if done {
			return true
		}
		select {
		case <-c.idle:
		case <-x.level.changed:
			c.limit()
		case <-over:
			return false
		case <-x.gate.closing:
			return false
		}
	}
}

// pace walks through the schedule. It is absolute: a late wake-up never moves later arrivals, and none is early. What a
// stall of the generator left behind begins no faster than [catchUp] allows.
func (x *running) pace(c *crowd) {
	e, p := x.engine, &x.plan.load
	schedule := p.shape.Schedule()
	if p.poisson {
		schedule = p.shape.Poisson(mix(e.plan.seed^mix(uint64(x.plan.index)+1)), streamArrivals)
	}
	base := x.start // that the schedule counts from
	end := x.endAt
	var rate *float64 // as it was set while running
	bell := e.newAlarm()
	defer bell.close()
	unhook := x.onChange(bell)
	defer unhook()
	_, due, more := schedule.Next()
	begin := func(until, now int64) {
		for more && base+int64(due) <= until && base+int64(due) < end && !x.exhausted() {
			at := base + int64(due)
			if ticket := x.ticket.Add(1) - 1; p.part.Owns(ticket) {
				e.late.Record(now - at)
				c.arrive(arrival{ticket: ticket, at: at}, now)
			}
			_, due, more = schedule.Next()
		}
	}
	pace := catchUp{reached: base, looked: base}
	for {
		now := e.clock.Now()
		if !x.gate.open() || x.level.finished.Load() || x.exhausted() || now >= end && (!more || base+int64(due) >= end) {
			return
		}
		if _, set := x.level.get(); set != rate {
			// From now on this rate holds; the numbers of arrivals go on. What had fallen due before does so still.
			begin(now, now)
			rate = set
			if shape, err := load.Constant(true, *rate); err != nil {
				e.warnOnce("arrival rate: " + err.Error())
			} else {
				base, schedule = now, shape.Schedule()
				if p.poisson {
					schedule = shape.Poisson(mix(e.plan.seed^uint64(x.ticket.Load())), streamArrivals)
				}
				_, due, more = schedule.Next()
				pace.skip(base)
			}
		}
		c.limit()
		if x.level.paused() != nil {
			bell.wait(time.Duration(min(end-now, int64(time.Hour))))
			took := e.clock.Now() - now
			base += took // what would have fallen due meanwhile moves on
			pace.move(took)
			continue
		}
		pace.skip(now - int64(p.maxWait)) // older ones are dropped
		if until := pace.until(now); now < end {
			begin(until, now)
		} else {
			begin(end, now) // to be counted: nothing starts any more
		}
		if !more && !p.timed && rate == nil {
			return
		}
		c.expire(now)
		next := end
		if more {
			next = min(base+int64(due), end)
		}
		if next > now {
			pace.sleep(next)
		}
		bell.wait(max(time.Duration(next-e.clock.Now()), wakeEvery))
	}
}
