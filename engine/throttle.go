package engine

import (
	"sync/atomic"
	"time"

	"github.com/stacrun/stacrun/engine/load"
)

// throttle hands out the permits of a throughput cap to all users of an execution. It only delays.
type throttle struct{ state atomic.Pointer[capState] }

type capState struct {
	arithmetic load.Throttle
	start      int64 // ns since the start of the run, from which the arithmetic counts
	next       atomic.Int64
	counted    int64 // permits that were counted as planned; guarded by the mutex of running
}

func newThrottle(arithmetic load.Throttle, start int64) *throttle {
	t := new(throttle)
	t.set(arithmetic, start)
	return t
}

// forget passes over the permits that fell due before now: those of a pause are nobody's.
func (t *throttle) forget(now int64) {
	s := t.state.Load()
	due := s.arithmetic.Permits(time.Duration(now - s.start))
	for next := s.next.Load(); next < due && !s.next.CompareAndSwap(next, due); {
		next = s.next.Load()
	}
}

func (t *throttle) set(arithmetic load.Throttle, start int64) {
	t.state.Store(&capState{arithmetic: arithmetic, start: start})
}

// capAt has the throughput cap hold from a moment on: the plan's, unless a closed execution was given another while running.
func (x *running) capAt(from int64) error {
	p := &x.plan.load
	_, rate := x.level.get()
	switch {
	case x.engine.opts.Once || x.engine.opts.Delegate != nil:
	case rate != nil && !p.open:
		arithmetic, err := load.NewThrottle(*rate, 0, 0)
		if err != nil {
			return err
		}
		x.throttle.Store(newThrottle(arithmetic.Part(p.part), from))
	case p.throttle != nil:
		x.throttle.CompareAndSwap(nil, newThrottle(*p.throttle, from))
	}
	return nil
}

// permit waits for the next permit; false: the plan ended before. The first of an iteration begins it.
func (u *user) permit() bool {
	x := u.run
	t := x.throttle.Load()
	if t == nil {
		return true
	}
	s := t.state.Load()
	for {
		if u.uncounted && !x.mayBegin(u) {
			return false
		}
		now := u.now()
		next := s.next.Load()
		number, due := s.arithmetic.Permit(next, time.Duration(now-s.start))
		if !s.next.CompareAndSwap(next, number+1) {
			continue
		}
		at := s.start + int64(due)
		if at > now {
			u.resp.Release()
			if at >= x.endAt {
				at = x.endAt + int64(time.Second) // beyond the plan: the end comes first
			}
			ok := u.sleepUntil(at)
			x.counts(at).Throttled.Add(u.now() - now)
			if !ok {
				return false
			}
			if u.uncounted && (x.sentHome(u) || x.level.paused() != nil) {
				continue // the permit is given up
			}
		}
		x.admit(at)
		u.beginsNow()
		return true
	}
}

// mayBegin holds an iteration that has begun nothing back while the execution is paused; false: it is not to begin any more.
func (x *running) mayBegin(u *user) bool {
	return !x.sentHome(u) && (x.level.paused() == nil || x.wait(u))
}

// sentHome reports whether a user is to begin nothing any more. One that has taken what nobody else would make up for, a number
// of a total or a row, first uses it.
func (x *running) sentHome(u *user) bool {
	p := &x.plan.load
	return u.retired.Load() && p.total == 0 && p.requests == 0 && len(x.plan.sources) == 0
}

// beginsNow begins the iteration of a closed load with its first permit.
func (u *user) beginsNow() {
	if u.uncounted && !u.run.plan.load.open {
		u.started = u.now()
		u.warm = u.started < u.run.warmUntil
	}
	u.begun()
}

// admit counts a request that begins under the cap, by when its permit could be used. In an open model the plan is the arrivals, and the cap only a limit.
// What an iteration goes on with in a pause was not planned beforehand.
func (x *running) admit(due int64) {
	if x.plan.load.open {
		return
	}
	counts := x.counts(due)
	if x.level.pausedAt(due) {
		counts.RequestsPlanned.Add(1)
	}
	counts.RequestsAdmitted.Add(1)
}

// planRequests counts what the cap has let begin until now, in ns since the start of the run. A plan that its iterations end
// has no more to begin than it did: there the permits count that were drawn or passed over, so that the wait for the
// last answers is not a miss. What falls due while the execution is paused is not planned.
func (x *running) planRequests(now int64) {
	p := &x.plan.load
	t := x.throttle.Load()
	if t == nil || p.open {
		return
	}
	to := min(now, x.endAt)
	for _, end := range []int64{x.drained.Load(), x.over.Load()} {
		if end > 0 {
			to = min(to, end)
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	s := t.state.Load()
	permits := s.arithmetic.Permits(time.Duration(to - s.start))
	paused := x.level.paused() != nil
	if !paused && (!p.timed || p.iterations > 0 || p.total > 0 || p.requests > 0 || x.level.finished.Load()) {
		permits = min(permits, s.next.Load())
	}
	if permits <= s.counted {
		return
	}
	if !paused {
		warm := s.arithmetic.Permits(time.Duration(x.warmUntil - s.start))
		x.load.WarmUp.RequestsPlanned.Add(max(min(permits, warm)-s.counted, 0))
		x.load.RequestsPlanned.Add(permits - max(s.counted, min(permits, warm)))
	}
	s.counted = permits
}
