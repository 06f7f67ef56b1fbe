package engine

import (
	"fmt"
	"sync"
	"time"
)

// stop closes the gate: no new request begins.
func (x *running) stop() {
	if x.gate.open() && x.engine.begun.Load() {
		now := x.engine.clock.Now()
		if x.window.Load() > 0 {
			now = min(now, x.endAt) // a generator that comes late does not make the plan longer
		}
		x.load.SetDrainFrom(now)
		x.drained.CompareAndSwap(0, max(now, 1))
	}
	x.gate.close()
	x.level.poke()
}

// drain waits for the users, for as long as graceful-stop allows.
func (x *running) drain() { x.bounded(x.users.Wait) }

// bounded runs f and, once the gate has closed, lets it go on for as long as graceful-stop allows; what is
// still under way then is cut.
func (x *running) bounded(f func()) {
	done := make(chan struct{})
	var watcher sync.WaitGroup
	watcher.Go(func() {
		select {
		case <-done:
			return
		case <-x.gate.closing:
		}
		timer := time.NewTimer(x.plan.load.graceful)
		defer timer.Stop()
		select {
		case <-done:
			return
		case <-timer.C:
			x.engine.event("stop", fmt.Sprintf("%s: what did not end within graceful-stop %s was cut", x.plan.name, short(x.plan.load.graceful)))
		case <-x.engine.hard.closing:
		}
		x.abort()
	})
	f()
	close(done)
	watcher.Wait()
}

// abort cuts what is under way.
func (x *running) abort() {
	x.gate.close()
	x.hard.close()
	x.mu.Lock()
	users := make([]*user, 0, len(x.alive))
	for u := range x.alive {
		users = append(users, u)
	}
	x.mu.Unlock()
	for _, u := range users {
		u.abort()
	}
}

// enlist makes a user known to abort.
func (x *running) enlist(u *user) {
	x.mu.Lock()
	x.alive[u] = struct{}{}
	x.mu.Unlock()
	if x.engine.hard.closed.Load() || x.hard.closed.Load() && u.gate != x.engine.hard {
		u.abort()
	}
}

func (x *running) dismiss(u *user) {
	x.mu.Lock()
	delete(x.alive, u)
	x.mu.Unlock()
}

// dataEnded ends the execution because a data source without loop has no more rows.
func (x *running) dataEnded(s *source) {
	text := fmt.Sprintf("%s ends: the rows of %s are used up", x.plan.name, s.name)
	if err := s.Err(); err != nil {
		x.engine.fail(fmt.Errorf("read %s: %w", s.name, err))
		return
	}
	x.mu.Lock()
	first := x.ended == ""
	x.ended = text
	x.mu.Unlock()
	if first {
		x.engine.event("stop", text)
		// Iterations that have begun go on to their end: the gate stays open for them.
		x.level.finish()
	}
}
