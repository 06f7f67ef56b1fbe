package engine

import (
	"slices"
	"sync"
	"time"

	"github.com/stacrun/stacrun/engine/load"
	"github.com/stacrun/stacrun/metrics"
)

// wakeEvery is how often the pacer may wake: each wake-up from idle costs tens of microseconds, so all that fell due
// meanwhile begins together.
const wakeEvery = 250 * time.Microsecond

// arrival is an iteration that fell due.
type arrival struct {
	ticket int64
	at     int64 // ns since the start of the run
}

// crowd is the users of an open plan and the arrivals that wait for one of them, in the order of the schedule.
type crowd struct {
	x *running

	mu      sync.Mutex // guards what follows
	free    []*user    // the one that became free last is taken first: its connection is warm
	waiting queue
	users   int // alive
	busy    int // with an iteration
	most    int
	closed  bool
	idle    chan struct{} // poked when the last busy user becomes free
}

// queue is a first-in-first-out of arrivals.
type queue struct {
	items []arrival
	first int
}

func (q *queue) len() int { return len(q.items) - q.first }

func (q *queue) push(a arrival) {
	if q.first > 1024 && q.first*2 > len(q.items) {
		q.items = append(q.items[:0], q.items[q.first:]...)
		q.first = 0
	}
	q.items = append(q.items, a)
}

func (q *queue) pop() arrival {
	a := q.items[q.first]
	if q.first++; q.first == len(q.items) {
		q.items, q.first = q.items[:0], 0
	}
	return a
}

// runOpen begins iterations when the schedule says so, whoever is free.
func (x *running) runOpen() {
	p := &x.plan.load
	c := &crowd{x: x, most: p.users, idle: make(chan struct{}, 1)}
	for range p.preStarted {
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

// pace walks through the schedule. It is absolute: a late wake-up never moves later arrivals, and none is early.
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
	for {
		now := e.clock.Now()
		if !x.gate.open() || x.level.finished.Load() || x.exhausted() || now >= end && (!more || base+int64(due) >= end) {
			return
		}
		if _, set := x.level.get(); set != rate {
			// From now on this rate holds; the numbers of arrivals go on.
			rate = set
			if shape, err := load.Constant(true, *rate); err != nil {
				e.warnOnce("arrival rate: " + err.Error())
			} else {
				base, schedule = now, shape.Schedule()
				if p.poisson {
					schedule = shape.Poisson(mix(e.plan.seed^uint64(x.ticket.Load())), streamArrivals)
				}
				_, due, more = schedule.Next()
			}
		}
		c.limit()
		if x.level.paused() != nil {
			bell.wait(time.Duration(min(end-now, int64(time.Hour))))
			base += e.clock.Now() - now // what would have fallen due meanwhile moves on
			continue
		}
		for more && base+int64(due) <= now && base+int64(due) < end && !x.exhausted() {
			at := base + int64(due)
			e.late.Record(now - at)
			c.arrive(arrival{ticket: x.ticket.Add(1) - 1, at: at})
			_, due, more = schedule.Next()
		}
		if !more && !p.timed && rate == nil {
			return
		}
		c.expire(now)
		next := end
		if more {
			next = min(base+int64(due), end)
		}
		bell.wait(max(time.Duration(next-e.clock.Now()), wakeEvery))
	}
}

// arrive gives an arrival to a free user, to a new one, or lets it wait.
func (c *crowd) arrive(a arrival) {
	c.x.load.Scheduled.Add(1)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closed:
		c.x.load.Dropped[metrics.DropEnded].Add(1)
	case len(c.free) > 0:
		u := c.free[len(c.free)-1]
		c.free = c.free[:len(c.free)-1]
		c.busy++
		u.assigned <- a // has room for one, and a free user has none
	case c.users < c.most:
		c.start(&a)
	default:
		c.waiting.push(a)
	}
}

// start makes a user. The lock is held.
func (c *crowd) start(first *arrival) {
	x := c.x
	u := x.newUser(x.number.Add(1)-1, x.gate)
	u.assigned = make(chan arrival, 1)
	c.users++
	if first != nil {
		c.busy++
		u.assigned <- *first
	} else {
		c.free = append(c.free, u)
	}
	x.spawn(u, func() { c.serve(u) })
}

// serve is the life of a user in the open model.
func (c *crowd) serve(u *user) {
	x := c.x
	if u.unfit {
		c.turnAway(u)
		return
	}
	for {
		u.resp.Release()
		a, ok := <-u.assigned
		if !ok {
			return // sent home
		}
		start := u.now()
		if !x.gate.open() || start >= x.endAt || !u.row() {
			x.load.Dropped[metrics.DropEnded].Add(1)
			c.leave()
			return
		}
		x.load.Started.Add(1)
		if x.plan.finishStarted {
			u.gate = x.hard
		}
		f := u.iterate(0, a.ticket, start, a.at)
		u.gate = x.gate
		if !x.after(f) {
			c.leave()
			return
		}
		if !c.next(u) {
			return
		}
	}
}

// next gives the user the arrival that has waited longest, or makes it free; false: it may go home.
func (c *crowd) next(u *user) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || c.users > c.most {
		c.gone()
		return false
	}
	now := c.x.engine.clock.Now()
	for c.waiting.len() > 0 {
		a := c.waiting.pop()
		if now-a.at > int64(c.x.plan.load.maxWait) {
			c.x.load.Dropped[metrics.DropWaitedTooLong].Add(1)
			continue
		}
		u.assigned <- a
		return true
	}
	c.busy--
	c.free = append(c.free, u)
	c.pokeIdle()
	return true
}

// leave counts a busy user out.
func (c *crowd) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gone()
}

// turnAway counts out a user whose setup said that it should not go on, with the arrival that it may have been given.
func (c *crowd) turnAway(u *user) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := slices.Index(c.free, u); i >= 0 {
		c.free = slices.Delete(c.free, i, i+1)
		c.users--
		return
	}
	select {
	case _, given := <-u.assigned:
		if given {
			c.x.load.Dropped[metrics.DropEnded].Add(1)
			c.gone()
		}
	default:
	}
}

// gone counts a busy user out. The lock is held.
func (c *crowd) gone() {
	c.busy--
	c.users--
	c.pokeIdle()
}

func (c *crowd) pokeIdle() {
	if c.busy == 0 {
		select {
		case c.idle <- struct{}{}:
		default:
		}
	}
}

// expire drops arrivals that have waited too long.
func (c *crowd) expire(now int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.waiting.len() > 0 && now-c.waiting.items[c.waiting.first].at > int64(c.x.plan.load.maxWait) {
		c.waiting.pop()
		c.x.load.Dropped[metrics.DropWaitedTooLong].Add(1)
	}
}

// limit takes over a number of users that was set while running.
func (c *crowd) limit() {
	users, _ := c.x.level.get()
	if users == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.most = max(*users, 1); c.closed {
		return
	}
	for c.users > c.most && len(c.free) > 0 {
		u := c.free[0]
		c.free = append(c.free[:0], c.free[1:]...)
		c.users--
		close(u.assigned)
	}
	for c.users < c.most && c.waiting.len() > 0 {
		a := c.waiting.pop()
		c.start(&a)
	}
}

// close sends free users home and drops what still waits.
func (c *crowd) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for c.waiting.len() > 0 {
		c.waiting.pop()
		c.x.load.Dropped[metrics.DropEnded].Add(1)
	}
	for _, u := range c.free {
		c.users--
		close(u.assigned)
	}
	c.free = nil
}
