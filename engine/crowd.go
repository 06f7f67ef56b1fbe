package engine

import (
	"slices"
	"sync"

	"github.com/stacrun/stacrun/metrics"
)

// arrival is an iteration that fell due.
type arrival struct {
	ticket int64
	at     int64 // ns since the start of the run
	stood  int64 // for how long the execution had been paused when that was told
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

// arrive gives an arrival to a free user, to a new one, or lets it wait. One that the generator itself comes too late for
// is dropped as one that waited for a user is. Behind the end a generator that comes a little late still finds the users
// that were free, but what has to wait for one does so in vain.
func (c *crowd) arrive(a arrival, now int64) {
	counts := c.x.counts(a.at)
	counts.Scheduled.Add(1)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closed || now >= c.x.endAt && now-a.at > int64(leastLateness):
		counts.Dropped[metrics.DropEnded].Add(1)
	case now-a.at > c.x.plan.load.lateness():
		counts.Dropped[metrics.DropWaitedTooLong].Add(1)
	case now >= c.x.endAt && c.waiting.len() > 0: // behind those that were before it
		c.waiting.push(a)
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
	u := x.newUser(uint32(x.plan.load.part.Number(int64(x.number.Add(1)-1))), x.gate)
	u.assigned = make(chan arrival, 1)
	c.users++
	if first != nil {
		c.busy++
		u.assigned <- *first
	} else {
		c.free = append(c.free, u)
	}
	x.spawn(u, c.serve)
}

// serve is the life of a user in the open model. Whatever it was given in time it begins, however late it gets the processor.
func (c *crowd) serve(u *user) {
	x := c.x
	if u.unfit {
		c.turnAway(u)
		return
	}
	late := len(x.plan.setup) > 0 && u.now() >= x.endAt // what was to be its first has waited for its setup
	for {
		u.resp.Release()
		a, ok := <-u.assigned
		if !ok {
			return // sent home
		}
		if late || !x.mayTake(u) || !u.draw() {
			x.counts(a.at).Dropped[metrics.DropEnded].Add(1)
			c.leave()
			return
		}
		if x.plan.finishStarted {
			u.gate = x.hard
		}
		start := u.now()
		due := x.dueNow(a, start)
		u.moved = due - a.at
		f := u.iterate(0, a.ticket, start, due, a.at < x.warmUntil)
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
	for c.waiting.len() > 0 && now < c.x.endAt {
		a := c.waiting.pop()
		if c.x.expired(a, now) {
			c.x.counts(a.at).Dropped[metrics.DropWaitedTooLong].Add(1)
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
	case a, given := <-u.assigned:
		if given {
			c.x.counts(a.at).Dropped[metrics.DropEnded].Add(1)
			c.gone()
		}
	default:
	}
}

// gone counts a busy user out, and makes another one for an arrival that waits. The lock is held.
func (c *crowd) gone() {
	c.busy--
	c.users--
	x := c.x
	if now := x.engine.clock.Now(); !c.closed && now < x.endAt && x.gate.open() && !x.level.finished.Load() {
		c.dropExpired(now)
		c.startWaiting()
	}
	c.pokeIdle()
}

// startWaiting makes users for arrivals that wait, as many as may be. The lock is held.
func (c *crowd) startWaiting() {
	for c.users < c.most && c.waiting.len() > 0 {
		a := c.waiting.pop()
		c.start(&a)
	}
}

func (c *crowd) pokeIdle() {
	if c.busy == 0 {
		select {
		case c.idle <- struct{}{}:
		default:
		}
	}
}

// dueNow is when an arrival is due: pauses since it was told move it on.
func (x *running) dueNow(a arrival, now int64) int64 { return a.at + x.level.stood(now) - a.stood }

// expired reports whether an arrival has waited for too long.
func (x *running) expired(a arrival, now int64) bool {
	return now-x.dueNow(a, now) > int64(x.plan.load.maxWait)
}

// expire drops arrivals that have waited too long, and gives the moment from which on the next one has; noMoment when none waits.
func (c *crowd) expire(now int64) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.dropExpired(now)
}

// dropExpired is expire. The lock is held.
func (c *crowd) dropExpired(now int64) int64 {
	for c.waiting.len() > 0 {
		first := c.waiting.items[c.waiting.first]
		if !c.x.expired(first, now) {
			if c.x.level.paused() != nil {
				return noMoment
			}
			return c.x.dueNow(first, now) + int64(c.x.plan.load.maxWait) + 1
		}
		c.x.counts(c.waiting.pop().at).Dropped[metrics.DropWaitedTooLong].Add(1)
	}
	return noMoment
}

// limit takes over a number of users that was set while running.
func (c *crowd) limit(now int64) {
	users, _ := c.x.level.get()
	if users == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.most = int(c.x.plan.load.part.Count(int64(*users))); c.most == 0 && *users > 0 {
		c.most = 1 // of each process that has a share: its arrivals are nobody else's
	}
	if c.closed {
		return
	}
	c.dropExpired(now)
	for c.users > c.most && len(c.free) > 0 {
		u := c.free[0]
		c.free = append(c.free[:0], c.free[1:]...)
		c.users--
		close(u.assigned)
	}
	if now < c.x.endAt {
		c.startWaiting()
	}
}

// close sends free users home and drops what still waits.
func (c *crowd) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	c.dropWaiting()
	for _, u := range c.free {
		c.users--
		close(u.assigned)
	}
	c.free = nil
}

// dropWaiting drops what waits, as nothing begins any more. The lock is held.
func (c *crowd) dropWaiting() {
	for c.waiting.len() > 0 {
		c.x.counts(c.waiting.pop().at).Dropped[metrics.DropEnded].Add(1)
	}
}
