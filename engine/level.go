package engine

import (
	"sync"
	"sync/atomic"
)

// level is the load as it is set while the plan runs. Until it is set the plan's shape holds.
type level struct {
	changed  chan struct{} // poked whenever something changed or a user ended
	special  atomic.Bool   // something below is not as the plan says: the quick look of every iteration
	finished atomic.Bool   // no new iteration begins, those that have begun go on

	mu     sync.Mutex // guards what follows
	users  *int       // as it was set; nil: the plan's
	rate   *float64
	resume chan struct{} // not nil: paused until it is closed
	since  int64         // when that began
	pauses int64         // how long the pauses before were, together

	stopped atomic.Bool // there has been a pause: the quick look of every arrival
}

// poke wakes the scheduler without waiting for it.
func (l *level) poke() {
	select {
	case l.changed <- struct{}{}:
	default:
	}
}

func (l *level) finish() {
	l.finished.Store(true)
	l.poke()
}

// paused returns the channel to wait on, nil when iterations may begin.
func (l *level) paused() <-chan struct{} {
	if !l.special.Load() {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.resume
}

// pausedAt reports whether it is paused, and was at a moment that lies before or little behind.
func (l *level) pausedAt(at int64) bool {
	if !l.special.Load() {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.resume != nil && at >= l.since
}

// setPaused begins or ends a pause.
func (l *level) setPaused(paused bool, now int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case paused && l.resume == nil:
		l.resume, l.since = make(chan struct{}), now
		l.stopped.Store(true)
		l.special.Store(true)
	case !paused && l.resume != nil:
		l.pauses += now - l.since
		close(l.resume)
		l.resume = nil
		l.special.Store(false)
	}
}

// stood is for how long the execution has been paused until now.
func (l *level) stood(now int64) int64 {
	if !l.stopped.Load() {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.resume == nil {
		return l.pauses
	}
	return l.pauses + max(now-l.since, 0)
}

func (l *level) set(users *int, rate *float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if users != nil {
		l.users = users
	}
	if rate != nil {
		l.rate = rate
	}
}

func (l *level) get() (users *int, rate *float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.users, l.rate
}

// mayTake holds a user that was given an arrival back while the execution is paused; false: the plan ended or was stopped meanwhile.
// That the plan's time is up by now keeps nobody from what was given in time.
func (x *running) mayTake(u *user) bool {
	return x.wait(u) || x.timeUp.Load() && x.level.paused() == nil
}

// wait holds a user back while the execution is paused; false: the plan ended meanwhile.
func (x *running) wait(u *user) bool {
	for {
		resume := x.level.paused()
		if resume == nil {
			return x.gate.open()
		}
		u.resp.Release()
		select {
		case <-resume:
		case <-x.gate.closing:
			return false
		}
	}
}
