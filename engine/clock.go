package engine

import "time"

// Clock is the time that schedules and stamps are read from.
type Clock interface {
	// Now is nanoseconds since the start of the run, monotonic.
	Now() int64
	// Wall is the time of day.
	Wall() time.Time
}
