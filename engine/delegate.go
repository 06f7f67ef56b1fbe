package engine

import (
	"fmt"
	"time"
)

// Delegate has other processes carry out the load of executions. The engine that has one sends nothing of it itself: it does what is
// done once for all of them, which is the order of executions, prepare, finish, and the events of the plan.
type Delegate interface {
	// Notice is how long before a moment the others must hear of it.
	Notice() time.Duration
	// Carry has the load of an execution begin at start, in ns since the start of the run, with the variables that prepare left
	// ([Director.Await] gives them back). It returns when the load has ended everywhere. closing is closed when nothing
	// new shall begin any more.
	Carry(execution string, start int64, prepared []byte, closing <-chan struct{})
}

// Director tells an engine that carries out a share of a load when its executions begin: prepare and finish are done elsewhere.
type Director interface {
	// Await returns when the load of an execution begins, in ns since the start of the run, and what its prepare left; false when
	// it does not begin, at the latest when stopped is closed.
	Await(execution string, stopped <-chan struct{}) (start int64, prepared []byte, ok bool)
	// Ended says that this share of the execution is over.
	Ended(execution string)
}

// delegate has the load carried out by others.
func (x *running) delegate() {
	prepared, err := x.vars.Store()
	if err != nil {
		x.engine.fail(fmt.Errorf("variables of %s: %w", x.plan.scenario, err))
		return
	}
	x.engine.opts.Delegate.Carry(x.plan.name, x.start, prepared, x.gate.closing)
}

// follow carries out a share of the load.
func (x *running) follow() {
	director := x.engine.opts.Director
	defer director.Ended(x.plan.name)
	start, prepared, ok := director.Await(x.plan.name, x.gate.closing)
	if !ok {
		return
	}
	if err := x.vars.Restore(prepared); err != nil {
		x.engine.fail(fmt.Errorf("variables of %s: %w", x.plan.scenario, err))
		return
	}
	x.start = start
	timer := newTimerAt(x.engine.clock, start)
	defer timer.Stop()
	select {
	case <-timer.C:
		x.perform()
	case <-x.gate.closing:
	}
}

// shared reports whether the engine does only a part of the run, so that the plan is told by another.
func (e *Engine) shared() bool { return e.opts.Director != nil }

// notice is how long before it begins an execution must be looked at. What prepare does is not done ahead of its time.
func (x *running) notice() int64 {
	if x.engine.opts.Delegate == nil || len(x.plan.prepare) > 0 {
		return 0
	}
	return int64(x.engine.opts.Delegate.Notice())
}

// windowStart is when the load begins, once prepare is done: now, or as soon as all who carry it out can know.
func (x *running) windowStart(due int64) int64 {
	now := x.engine.clock.Now()
	if d := x.engine.opts.Delegate; d != nil {
		return max(due, now+int64(d.Notice()), 0)
	}
	return now
}
