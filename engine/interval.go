package engine

import (
	"time"

	"github.com/stacrun/stacrun/internal/dying"
	"github.com/stacrun/stacrun/metrics"
)

// second is the length of an interval, in ns.
const second = int64(time.Second)

// intervals closes each second of the run and hands it on; the last one holds what is left.
func (e *Engine) intervals(out chan<- *metrics.Interval) {
	defer close(out)
	defer dying.Guard(e.opts.Dying)
	probe := metrics.NewHealthProbe()
	overflowed := false
	current := max(e.clock.Now(), 0) / second // a clock that others keep may have run for a while
	due := (current + 1) * second             // the end of the first second that is not closed yet
	for {
		end := (current + 1) * second
		final, stall := e.sleep(end)
		if final && e.tap != nil {
			e.tap.close()
		}
		if !overflowed && e.collector.Overflowed() {
			overflowed = true
			e.event("warning", "too many labels: further ones are counted together as "+metrics.OtherLabel+"; give requests whose url holds variables a label")
		}
		now := e.clock.Now()
		last := min(now, end) - 1 // the last moment of the interval
		for _, x := range e.running {
			x.load.SetPlanned(x.asked(last))
			x.load.SetWarmingUp(x.window.Load() > 0 && last < x.warmUntil)
			x.planRequests(now)
		}
		iv := e.collector.Swap(current)
		iv.Health = probe.Read()
		iv.Health.PacerLateP99 = e.late.TakeP99()
		iv.Health.Stall = stall
		iv.Health.NoDescriptor, iv.Health.NoPort = e.short.take()
		if !final {
			iv.Health.CollectorLag = max(0, now-due)
		}
		iv.Final = final
		out <- iv
		if final {
			return
		}
		// When the receiver was slow, seconds may have passed: what was recorded in them comes with the next.
		current = max(current+1, e.clock.Now()/second)
		due = end + second
	}
}

// heartbeat is how often it is looked whether the generator stood still: a process that was stopped, or a machine that had
// others to serve, shows nowhere else when users wait for answers meanwhile.
const heartbeat = 100 * time.Millisecond

// sleep waits until a moment, or until the run is over (final), and tells by how much it was late to wake at most.
func (e *Engine) sleep(until int64) (final bool, late int64) {
	for {
		next := min(until, e.clock.Now()+int64(heartbeat))
		timer := newTimerAt(e.clock, next)
		select {
		case <-timer.C:
		case <-e.done:
			timer.Stop()
			return true, late
		}
		now := e.clock.Now()
		if late = max(late, now-next); now >= until {
			return false, late
		}
	}
}

// asked is the level that is asked for at a moment of the run: users, or iterations per second.
func (x *running) asked(at int64) float64 {
	window, drained := x.window.Load(), x.drained.Load()
	if x.engine.shared() || window == 0 || at < window || drained > 0 && drained <= at || x.level.finished.Load() {
		return 0
	}
	users, rate := x.level.get()
	switch {
	case x.plan.load.open && rate != nil:
		return *rate
	case !x.plan.load.open && users != nil:
		return float64(*users)
	}
	return x.plan.load.level(time.Duration(at - window))
}
