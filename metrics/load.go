package metrics

import (
	"math"
	"sync/atomic"
)

// LoadCounters are kept by the engine for one execution: what it wanted and did. All of it may be used from any goroutine;
// [Collector.Swap] moves the counters into the interval and leaves the gauges.
type LoadCounters struct {
	execution string
	open      bool

	PartCounters              // of what fell due behind the warm-up
	WarmUp       PartCounters // of what fell due within it

	users, peak atomic.Int64
	warmingUp   atomic.Bool
	planned     atomic.Uint64 // bits of a float64
	drain       atomic.Int64
}

// PartCounters are those that are kept apart for the warm-up, as criteria judge them and not what happened in it.
type PartCounters struct {
	Scheduled        atomic.Int64 // iterations that fell due
	Started          atomic.Int64 // iterations
	Finished         atomic.Int64 // iterations
	Interrupted      atomic.Int64 // iterations
	Dropped          [DropCount]atomic.Int64
	RequestsAdmitted atomic.Int64 // that began under a throughput cap
	RequestsPlanned  atomic.Int64 // that the cap let begin
	Throttled        atomic.Int64 // ns waited for the throughput cap

	requests [requestCounters]struct {
		atomic.Int64
		_ [56]byte // a cache line each: every request of every user counts here
	}
}

// Part gives the counters of the warm-up, or of what follows it.
func (l *LoadCounters) Part(warmUp bool) *PartCounters {
	if warmUp {
		return &l.WarmUp
	}
	return &l.PartCounters
}

// take returns the part and sets its counters to 0. What an iteration counts last is taken first, so that intervals never
// add up to more that ended than began, or to more that began or was dropped than fell due.
func (p *PartCounters) take() (out LoadPart) {
	out.Finished, out.Interrupted = p.Finished.Swap(0), p.Interrupted.Swap(0)
	for d := range out.Dropped {
		out.Dropped[d] = p.Dropped[d].Swap(0)
	}
	out.Started = p.Started.Swap(0)
	out.Scheduled = p.Scheduled.Swap(0)
	out.RequestsAdmitted, out.RequestsPlanned, out.Throttled = p.RequestsAdmitted.Swap(0), p.RequestsPlanned.Swap(0), p.Throttled.Swap(0)
	for i := range p.requests {
		out.RequestsStarted += p.requests[i].Swap(0)
	}
	return out
}

// requestCounters is a power of two.
const requestCounters = 8

// RequestStarted counts a request that a user begins. Each must end as a recorded sample, finished or interrupted.
func (p *PartCounters) RequestStarted(user uint32) {
	p.requests[user&(requestCounters-1)].Add(1)
}

// UserStarted counts a user as alive and returns how many are.
func (l *LoadCounters) UserStarted() int64 {
	n := l.users.Add(1)
	for {
		peak := l.peak.Load()
		if n <= peak || l.peak.CompareAndSwap(peak, n) {
			return n
		}
	}
}

// UserStopped counts a user as gone.
func (l *LoadCounters) UserStopped() { l.users.Add(-1) }

// Users is how many users are alive.
func (l *LoadCounters) Users() int64 { return l.users.Load() }

// SetPlanned sets the users, or iterations per second, that the plan asks for now.
func (l *LoadCounters) SetPlanned(level float64) { l.planned.Store(math.Float64bits(level)) }

// SetWarmingUp says whether the warm-up goes on.
func (l *LoadCounters) SetWarmingUp(on bool) { l.warmingUp.Store(on) }

// SetDrainFrom marks the moment, in ns since the start of the run, from which on no new request begins because the plan is over or
// the run is stopped: what still ends afterwards is counted, but the measured window ends here. It is not called where
// users end by themselves after their iterations.
func (l *LoadCounters) SetDrainFrom(at int64) { l.drain.Store(at) }

// take returns the load of the second and sets the counters to 0.
func (l *LoadCounters) take(second int64) Load {
	users := l.users.Load()
	out := Load{
		Execution: l.execution, Open: l.open, Second: second,
		Planned:   math.Float64frombits(l.planned.Load()),
		Users:     users,
		UsersPeak: max(l.peak.Swap(users), users),
		WarmingUp: l.warmingUp.Load(),
		DrainFrom: l.drain.Load(),
		WarmUp:    l.WarmUp.take(),
	}
	out.add(l.PartCounters.take(), 1)
	out.add(out.WarmUp, 1)
	return out
}
