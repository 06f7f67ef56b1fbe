package engine

import "time"

// Clock is the time that schedules and stamps are read from. Waiting is done with the runtime's timers,
// so a clock must run at their pace; inside testing/synctest that is the bubble's time.
type Clock interface {
	// Now is nanoseconds since the start of the run, monotonic.
	Now() int64
	// Wall is the time of day.
	Wall() time.Time
}

// machineClock is the clock of real runs: one monotonic reading, and a time of day that follows it, so that corrections
// of the system's clock never show.
type machineClock struct{ start time.Time }

// NewClock starts a clock at zero.
func NewClock() Clock { return &machineClock{start: time.Now()} }

// NewClockAt makes a clock that is zero at a moment, which may lie ahead: until then it is negative. The moment must have come from
// [time.Now], so that corrections of the system's clock do not show.
func NewClockAt(start time.Time) Clock { return &machineClock{start: start} }

func (c *machineClock) Now() int64      { return int64(time.Since(c.start)) }
func (c *machineClock) Wall() time.Time { return c.start.Add(time.Since(c.start)) }

// newTimerAt makes a timer that fires at a moment of the run.
func newTimerAt(c Clock, at int64) *time.Timer {
	return time.NewTimer(time.Duration(max(at-c.Now(), 0)))
}
