package load

import "time"

// catchUp is for how long a throughput cap remembers permits that nobody took: after a pause, requests may come closer than
// the rate says by what would have been due in that time.
const catchUp = 100 * time.Millisecond

// Throttle is the arithmetic of a throughput cap: permit k may be used from when the integral of the capped rate has reached
// k. The rate grows linearly from 0 over the ramp-up (or in steps, (j+1)/S of it in step j) and holds then for ever.
// It keeps no state: the caller keeps the number of the next permit, in one atomic integer if many goroutines draw.
type Throttle struct {
	shape Shape
	part  Part
}

// NewThrottle makes a cap of rate requests per second, > 0.
func NewThrottle(rate float64, rampUp time.Duration, steps int) (Throttle, error) {
	shape, err := New(Spec{Open: true, Level: rate, RampUp: rampUp, Steps: steps, Endless: true})
	return Throttle{shape: shape}, err
}

// Part is the share of the cap that one of several processes has: its permits are those of the whole cap that belong to it.
func (t Throttle) Part(p Part) Throttle {
	t.part = p
	return t
}

// Permit returns the permit that a request asking at now gets, when next is the first that was not given away, and when it may be
// used; a time that has passed means at once. The caller's next is then permit + 1. Permits that nobody took are forgotten
// except for those of the last 100 ms, and always except for one.
func (t Throttle) Permit(next int64, now time.Duration) (permit int64, due time.Duration) {
	permit = max(next, t.usable(now)-t.burst(now))
	due, ok := t.shape.ArrivalAt(t.part.Number(permit))
	if !ok {
		return permit, maxDuration // a rate of 0, or beyond all that can be reached
	}
	return permit, due
}

// burst is how many permits are remembered at now, at least 1.
func (t Throttle) burst(now time.Duration) int64 {
	return max(t.usable(now)-t.usable(now-catchUp), 1)
}

// usable is how many permits may be used at now or earlier.
func (t Throttle) usable(now time.Duration) int64 { return t.part.Count(t.shape.Arrivals(now)) }

// Permits is how many permits may be used before to: whole ones of the integral of the rate.
func (t Throttle) Permits(to time.Duration) int64 { return t.usable(to - 1) }

// Rate is the capped rate per second at t, of all parts together.
func (t Throttle) Rate(at time.Duration) float64 { return t.shape.Rate(at) }
