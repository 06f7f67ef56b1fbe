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
		x.timeUp.Store(x.gate.open()) // not where it was stopped meanwhile
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
	for {
		now := x.engine.clock.Now()
		if p.timed && now >= x.endAt {
			return false
		}
		c.limit(now)
		next := min(x.endAt, c.expire(now))
		c.mu.Lock()
		if x.level.finished.Load() {
			c.dropWaiting()
		}
		done := c.busy == 0 && c.waiting.len() == 0
		c.mu.Unlock()
		if done {
			return true
		}
		timer := newTimerAt(x.engine.clock, next)
		select {
		case <-timer.C:
		case <-c.idle:
		case <-x.level.changed:
		case <-x.gate.closing:
			timer.Stop()
			return false
		}
		timer.Stop()
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
	table := newTimetable(p.shape, schedule, x.start)
	end := x.endAt
	var rate *float64 // as it was set while running
	bell := e.newAlarm()
	defer bell.close()
	unhook := x.onChange(bell)
	defer unhook()
	stood := x.level.stood(x.start)
	begin := func(until, now int64) {
		for table.next <= until && table.next < end && !x.exhausted() {
			at := table.next
			if ticket := x.ticket.Add(1) - 1; p.part.Owns(ticket) {
				e.late.Record(now - at)
				c.arrive(arrival{ticket: ticket, at: at, stood: stood}, now)
			}
			table.advance()
		}
	}
	pace := catchUp{reached: x.start, looked: x.start}
	for {
		now := e.clock.Now()
		if !x.gate.open() || x.level.finished.Load() || x.exhausted() || now >= end && table.next >= end {
			return
		}
		// What would have fallen due during a pause moves on, before a rate that was set in it.
		if took := x.level.stood(now) - stood; took > 0 {
			stood += took
			table.move(took)
			pace.move(took)
		}
		if _, set := x.level.get(); set != rate {
			rate = set
			if shape, err := load.Constant(true, *rate); err != nil {
				e.warnOnce("arrival rate: " + err.Error())
			} else {
				var random *uint64
				if p.poisson {
					seed := mix(e.plan.seed ^ uint64(x.ticket.Load()))
					random = &seed
				}
				table.set(now, shape, random)
			}
		}
		c.limit(now)
		if x.level.paused() != nil && now < end {
			bell.wait(time.Duration(min(end-now, int64(time.Hour))))
			continue
		}
		latest := p.lateness()
		if now >= end {
			latest = int64(leastLateness)
		}
		pace.skip(now - latest) // older ones are dropped
		begin(pace.until(now), now)
		if table.next == noMoment && !p.timed && rate == nil {
			return
		}
		next := min(table.next, end, c.expire(now))
		if next > now {
			pace.sleep(next)
		}
		bell.wait(max(time.Duration(next-e.clock.Now()), wakeEvery))
	}
}
