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
}

func newThrottle(arithmetic load.Throttle, start int64) *throttle {
	t := new(throttle)
	t.set(arithmetic, start)
	return t
}

func (t *throttle) set(arithmetic load.Throttle, start int64) {
	t.state.Store(&capState{arithmetic: arithmetic, start: start})
}

// permit waits for the next permit; false: the plan ended before.
func (u *user) permit() bool {
	t := u.run.throttle.Load()
	if t == nil {
		return true
	}
	s := t.state.Load()
	for {
		now := u.now()
		next := s.next.Load()
		number, due := s.arithmetic.Permit(next, time.Duration(now-s.start))
		if !s.next.CompareAndSwap(next, number+1) {
			continue
		}
		at := s.start + int64(due)
		if at <= now {
			return true
		}
		u.resp.Release()
		if at >= u.run.endAt {
			at = u.run.endAt + int64(time.Second) // beyond the plan: the end comes first
		}
		ok := u.sleepUntil(at)
		u.run.load.Throttled.Add(u.now() - now)
		return ok
	}
}
