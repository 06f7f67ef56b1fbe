package engine

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/engine/load"
)

// ErrEnded is what [Engine.Control] gives when the load of all executions that are meant has ended, or is ending.
var ErrEnded = errors.New("its load has ended")

// ErrNoRoom is what [Engine.Control] gives for more users than this machine has room for.
var ErrNoRoom = errors.New("there is no room")

// Control changes the load while the plan runs; the plan itself stays what it is. Each change is
// marked as an event. Of several executions those that have ended are left alone.
func (e *Engine) Control(c Command) error {
	if !e.begun.Load() {
		return errors.New("the run has not begun")
	}
	found := false
	var alive []*running
	for _, x := range e.running {
		if c.Execution != "" && c.Execution != x.plan.name {
			continue
		}
		found = true
		if x.gate.open() {
			alive = append(alive, x)
		}
	}
	switch {
	case !found:
		return fmt.Errorf("there is no execution %q", c.Execution)
	case len(alive) == 0 && c.Execution != "":
		return fmt.Errorf("execution %q: %w", c.Execution, ErrEnded)
	case len(alive) == 0:
		return fmt.Errorf("the run: %w", ErrEnded)
	case c.Users != nil && (*c.Users < 0 || *c.Users > load.MaxUsers):
		return fmt.Errorf("%d users are not between 0 and %d", *c.Users, load.MaxUsers)
	case c.Rate != nil && (*c.Rate < 0 || *c.Rate > load.MaxRate || math.IsNaN(*c.Rate)):
		return fmt.Errorf("%v per second are not between 0 and %d", *c.Rate, load.MaxRate)
	}
	if c.Users != nil {
		if err := e.room(*c.Users, alive); err != nil {
			if e.opts.Director != nil { // who asked is told nothing by an agent: the run tells
				e.event("warning", err.Error())
			}
			return err
		}
	}
	for _, x := range alive {
		if err := x.control(c); err != nil {
			return err
		}
	}
	return nil
}

// room holds users that are asked for while running against the machine, as the preflight does with those of the plan. A
// controller has none itself: its agents look.
func (e *Engine) room(asked int, of []*running) error {
	p := e.plan
	if !p.preflight || e.opts.Delegate != nil {
		return nil
	}
	with := func(asked int64) []int64 {
		users := make([]int64, len(p.executions))
		for _, x := range e.running {
			set, _ := x.level.get()
			switch {
			case slices.Contains(of, x) && asked >= 0:
				users[x.plan.index] = x.plan.load.part.Count(asked)
			case !x.gate.open():
			case set != nil:
				users[x.plan.index] = x.plan.load.part.Count(int64(*set))
			default:
				users[x.plan.index] = x.plan.load.own()
			}
		}
		return users
	}
	users := with(int64(asked))
	need := p.connectionsOf(users)
	if need <= p.connectionsOf(with(-1)) {
		return nil // no more than there may be already
	}
	if have, ok := descriptorLimit(); ok && need+reserve > have {
		hint := fmt.Sprintf("raise the limit (ulimit -n %d) before the run", need+reserve)
		rest := p.connectionsOf(with(0))
		if each := p.connectionsOf(with(1)) - rest; each > 0 && have-reserve-rest >= each {
			hint += fmt.Sprintf(", or ask for at most %d", (have-reserve-rest)/each)
		}
		return fmt.Errorf("%w for %s: the run would need %d file descriptors, this process may open %d; %s",
			ErrNoRoom, plural(asked, "user"), need+reserve, have, hint)
	}
	var list diag.List
	p.checkPorts(&list, users)
	for _, d := range list {
		e.warnOnce(d.Message + "; " + d.Hint)
	}
	return nil
}

func (x *running) control(c Command) error {
	e, name := x.engine, x.plan.name
	if c.Users != nil {
		users := *c.Users
		x.level.set(&users, nil)
		e.event("load", fmt.Sprintf("%s: %s", name, plural(users, "user")))
	}
	if c.Rate != nil {
		rate := *c.Rate
		x.level.set(nil, &rate)
		if x.window.Load() > 0 { // else it is looked at when the load begins
			now := e.clock.Now()
			x.planRequests(now)
			if err := x.capAt(now); err != nil {
				return err
			}
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
		now := e.clock.Now()
		if t := x.throttle.Load(); t != nil && x.level.paused() != nil {
			t.forget(now)
		}
		x.level.setPaused(false, now)
		e.event("load", name+": resumed")
	}
	if c.Stop {
		e.event("stop", name+": stopped by control")
		x.stop()
	}
	x.level.poke()
	return nil
}
