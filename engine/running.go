package engine

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stacrun/stacrun/engine/template"
	"github.com/stacrun/stacrun/internal/dying"
	"github.com/stacrun/stacrun/metrics"
)

// running is one execution while it runs.
type running struct {
	engine         *Engine
	plan           *execution
	load           *metrics.LoadCounters
	place          *template.Place
	vars           *template.Vars // what every user begins with
	iterationLabel metrics.LabelID
	throttle       atomic.Pointer[throttle] // nil: no cap

	window    atomic.Int64 // start, once it is known to the collector, too
	drained   atomic.Int64 // when the gate was closed; 0: it is open
	over      atomic.Int64 // when the last user had ended; 0: before
	start     int64        // of the measured window; samples scheduled before warmUntil are warm-up
	warmUntil int64
	warmedUp  atomic.Bool // warmUntil is over: the quick look of every request
	timeUp    atomic.Bool // open model: that the plan has come to its end is why nothing more begins
	endAt     int64       // of the plan, in ns since the start of the run; the largest number when it has no end of its own

	gate   *gate // closed: no new request begins
	hard   *gate // closed: what is under way ends, too
	level  level // of control
	number atomic.Uint32
	ticket atomic.Int64 // of shared iterations
	budget atomic.Int64 // locust: requests that may still begin
	users  sync.WaitGroup

	rewrites   atomic.Pointer[[]rewrite] // of links, that were told of
	cut        cut                       // requests that were cut off
	population atomic.Int64              // users that were started and have not ended

	mu    sync.Mutex // guards what follows
	alive map[*user]struct{}
	ended string // why the data ended it
}

func newRunning(e *Engine, plan *execution) *running {
	x := &running{
		engine: e, plan: plan, gate: newGate(), hard: newGate(),
		load: e.collector.Load(plan.name, plan.load.open),
		place: &template.Place{
			Execution: plan.name, Scenario: plan.scenario, Counters: template.NewCounters(plan.names),
			Now: func() time.Time { return e.clock.Wall() }, // which there is once the run begins
		},
		vars:           template.NewVars(plan.names),
		iterationLabel: e.labelOf(plan.sample),
		alive:          map[*user]struct{}{},
	}
	x.level.changed = make(chan struct{}, 1)
	x.budget.Store(plan.load.part.Count(plan.load.requests))
	if part := plan.load.part; !part.Whole() {
		x.place.Counters.Number = part.Number
	}
	return x
}

// due is when the execution may begin, in ns since the start of the run.
func (x *running) due() int64 {
	due := int64(x.plan.delay)
	if !x.plan.startAt.IsZero() {
		now := x.engine.clock.Wall()
		due = max(due, x.engine.clock.Now()+int64(x.plan.startAt.Sub(now)))
	}
	if x.engine.opts.Once || x.engine.opts.Director != nil {
		return 0
	}
	return due - x.notice()
}

// run prepares, drives the users through the plan, and finishes.
func (x *running) run() {
	e := x.engine
	if e.opts.Director != nil {
		x.follow()
		return
	}
	x.start = e.clock.Now()
	due := x.start + x.notice()
	if !x.begin() {
		x.finish()
		return
	}
	x.start = x.windowStart(due)
	e.event("stage", x.plan.name+" begins")
	stages := x.announce()
	defer stages()
	x.perform()
	x.finish()
	e.event("stage", x.plan.name+" ends")
}

// perform carries out the load from start on.
func (x *running) perform() {
	e := x.engine
	x.warmUntil, x.endAt = x.start+int64(x.plan.load.warmUp), math.MaxInt64
	if d, ok := x.plan.load.shape.Duration(); ok && x.plan.load.timed {
		x.endAt = x.start + int64(d)
	}
	if e.opts.Once {
		x.warmUntil, x.endAt = x.start, math.MaxInt64
	}
	x.window.Store(max(x.start, 1))
	if err := x.capAt(x.start); err != nil {
		e.fail(err)
	}
	switch {
	case e.opts.Delegate != nil:
		x.delegate()
	case e.opts.Once:
		x.runOnce()
	case x.plan.load.open:
		x.runOpen()
	default:
		x.runClosed()
	}
	x.drain()
	x.over.Store(max(e.clock.Now(), 1))
	x.gate.close() // its load has ended here: a later stop of the run does not move that
	if text := x.cut.text(); text != "" {
		e.event("warning", x.plan.name+": "+text)
	}
}

// counts gives the counters of what fell due at a moment: those of the warm-up are apart.
func (x *running) counts(due int64) *metrics.PartCounters { return x.load.Part(due < x.warmUntil) }

// announce marks where each further stage begins, until the returned function is called.
func (x *running) announce() (stop func()) {
	stages := x.plan.load.written.Stages
	if len(stages) < 2 || x.engine.opts.Once {
		return func() {}
	}
	done := make(chan struct{})
	var teller sync.WaitGroup
	teller.Go(func() {
		at := x.start
		for i := range stages[:len(stages)-1] {
			at += int64(stages[i].Duration)
			timer := newTimerAt(x.engine.clock, at)
			select {
			case <-timer.C:
				next := &stages[i+1]
				level := fmt.Sprintf("%v/s", next.ArrivalRate.V)
				if !x.plan.load.open {
					level = plural(next.Concurrency.V, "user")
				}
				x.engine.event("stage", fmt.Sprintf("%s: stage %d of %d, to %s in %s", x.plan.name, i+2, len(stages), level, short(next.Duration)))
			case <-done:
				timer.Stop()
				return
			}
		}
	})
	return func() {
		close(done)
		teller.Wait()
	}
}

// begin gives the variables their first values and runs prepare, whose variables every user inherits.
func (x *running) begin() bool {
	u := x.newUser(0, x.gate)
	defer u.end()
	u.background, u.trace = true, x.tracer()
	u.stream.rekey(x.engine.plan.seed, x.plan.index, streamPrepare, 0)
	if err := assign(x.plan.variables, &u.ctx); err != nil {
		x.engine.fail(fmt.Errorf("variables of %s: %w", x.plan.scenario, err))
		return false
	}
	if len(x.plan.prepare) > 0 && x.gate.open() {
		x.bounded(func() { u.runSteps(x.plan.prepare) })
		x.vars.CopyFrom(u.vars) // also when it failed: finish may have to clear up what it made
		if u.failed && x.gate.open() {
			x.engine.fail(fmt.Errorf("prepare of %s failed; the load was not begun", x.plan.name))
			return false
		}
	}
	x.vars.CopyFrom(u.vars)
	return x.gate.open()
}

// finish runs the finish steps, also after a graceful stop.
func (x *running) finish() {
	if len(x.plan.finish) == 0 || x.engine.hard.closed.Load() {
		return
	}
	u := x.newUser(0, x.engine.hard)
	defer u.end()
	u.background, u.trace = true, x.tracer()
	u.stream.rekey(x.engine.plan.seed, x.plan.index, streamPrepare, 1)
	u.runSteps(x.plan.finish)
	if u.failed {
		x.engine.event("warning", "finish of "+x.plan.name+" failed")
	}
}

// runOnce is the whole run of a debugger: one user, one iteration.
func (x *running) runOnce() {
	x.users.Add(1)
	x.population.Add(1)
	u := x.newUser(0, x.gate)
	x.life(u, func(u *user) {
		if u.row() {
			x.after(u.iterate(0, 0, u.now(), u.now(), false))
		} else {
			x.engine.fail(fmt.Errorf("there is no row %d: %s", x.engine.opts.DataRow+1, x.ended))
		}
	})
}

// life is a user from birth to death. The caller has added to x.users.
func (x *running) life(u *user, iterations func(*user)) {
	defer x.bury(u)
	defer dying.Guard(x.engine.opts.Dying)
	x.load.UserStarted()
	u.trace = x.tracer()
	x.setUp(u)
	iterations(u)
	x.tearDown(u)
}

// bury counts out a user whose life has ended.
func (x *running) bury(u *user) {
	defer x.users.Done()
	u.end()
	x.load.UserStopped()
	x.population.Add(-1)
	x.level.poke()
}

// setUp runs the steps of a user's first moments, which may find it unfit. The row of the first iteration is drawn now, so that a user
// can sign in with its columns.
func (x *running) setUp(u *user) {
	if len(x.plan.setup) == 0 {
		return
	}
	if u.unfit = !u.row(); u.unfit {
		return
	}
	u.drawn, u.background = true, true
	u.stream.rekey(x.engine.plan.seed, x.plan.index, streamSetup^uint64(u.number), 0)
	u.unfit = !x.after(u.runSteps(x.plan.setup))
	u.background = false
}

// tearDown runs the last steps of a user, unless there was no row to begin with.
func (x *running) tearDown(u *user) {
	if len(x.plan.teardown) == 0 || u.unfit && !u.drawn {
		return
	}
	u.background, u.gate = true, x.hard
	u.stream.rekey(x.engine.plan.seed, x.plan.index, streamTeardown^uint64(u.number), 0)
	u.runSteps(x.plan.teardown)
}

// after obeys a script that stops more than its own user; it reports whether the user goes on.
func (x *running) after(f flow) bool {
	switch f {
	case flowNext, flowContinue:
		return true
	case flowStopAll:
		x.engine.Stop("an action of the scenario " + x.plan.scenario)
	case flowAbort:
		x.engine.Abort("an action of the scenario " + x.plan.scenario)
	}
	return false
}

// dynamicLabel makes a label from its template, and says whether results want it.
func (x *running) dynamicLabel(u *user, ref *labelRef) (metrics.LabelID, bool, error) {
	u.makes()
	text, err := ref.dynamic.Append(u.body[:0], &u.ctx)
	if err != nil {
		return x.engine.collector.Label(x.plan.name, ref.kind, ref.dynamic.Source()), true, fmt.Errorf("label: %w", err)
	}
	for _, prefix := range x.engine.plan.ignore {
		if len(text) >= len(prefix) && string(text[:len(prefix)]) == prefix {
			return 0, false, nil
		}
	}
	u.body = text[:0]
	return x.engine.collector.LabelBytes(x.plan.name, ref.kind, text), true, nil
}

func (x *running) tracer() *Trace {
	if x.engine.opts.Tracer == nil {
		return nil
	}
	return new(Trace)
}
