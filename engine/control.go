package engine

import (
	"errors"
	"fmt"
	"math"

	"github.com/stacrun/stacrun/engine/load"
)

// ErrEnded is what [Engine.Control] gives when the load of all executions that are meant has ended, or is ending.
var ErrEnded = errors.New("its load has ended")

// Control changes the load while the plan runs; the plan itself stays what it is. Each change is
// marked as an event. Of several executions those that have ended are left alone.
func (e *Engine) Control(c Command) error {
	if !e.begun.Load() {
		return errors.New("the run has not begun")
	}
	var found, alive bool
	for _, x := range e.running {
		if c.Execution != "" && c.Execution != x.plan.name {
			continue
		}
		found = true
		if !x.gate.open() {
			continue
		}
		alive = true
		if err := x.control(c); err != nil {
			return err
		}
	}
	switch {
	case !found:
		return fmt.Errorf("there is no execution %q", c.Execution)
	case !alive && c.Execution != "":
		return fmt.Errorf("execution %q: %w", c.Execution, ErrEnded)
	case !alive:
		return fmt.Errorf("the run: %w", ErrEnded)
	}
	return nil
}

func (x *running) control(c Command) error {
	e, name := x.engine, x.plan.name
	if c.Users != nil && (*c.Users < 0 || *c.Users > load.MaxUsers) {
		return fmt.Errorf("%d users are not between 0 and %d", *c.Users, load.MaxUsers)
	}
	if c.Rate != nil && (*c.Rate < 0 || *c.Rate > load.MaxRate || math.IsNaN(*c.Rate)) {
		return fmt.Errorf("%v per second are not between 0 and %d", *c.Rate, load.MaxRate)
	}
	if c.Users != nil {
		users := *c.Users
		x.level.set(&users, nil)
		e.event("load", fmt.Sprintf("%s: %s", name, plural(users, "user")))
	}
	if c.Rate != nil {
		rate := *c.Rate
		x.level.set(nil, &rate)
		if !x.plan.load.open && e.opts.Delegate == nil {
			arithmetic, err := load.NewThrottle(rate, 0, 0)
			if err != nil {
				return err
			}
			now := e.clock.Now()
			x.planRequests(now)
			x.throttle.Store(newThrottle(arithmetic.Part(x.plan.load.part), now))
		}
		e.event("load", fmt.Sprintf("%s: %v/s", name, rate))
	}
	if c.Pause || c.Resume {
		x.planRequests(e.clock.Now()) // what was due until now was due as things were
	}
	if c.Pause {
		x.level.setPaused(true, e.clock.Now())
		e.event("load", name+": paused")
	}
	if c.Resume {
		x.level.setPaused(false, e.clock.Now())
		e.event("load", name+": resumed")
	}
	if c.Stop {
		e.event("stop", name+": stopped by control")
		x.stop()
	}
	x.level.poke()
	return nil
}
