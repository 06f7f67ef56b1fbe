package engine

import (
	"fmt"
	"math"
	"time"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/engine/load"
)

// Defaults of a load.
const (
	defaultGraceful = 10 * time.Second
	defaultMaxWait  = 10 * time.Second
	leastMaxUsers   = 10
	mostMaxUsers    = 10_000
	endless         = 100 * 365 * 24 * time.Hour // hold-for: inf
)

// loadPlan is the resolved load of an execution. Its times count from the start of the execution's window.
type loadPlan struct {
	open       bool
	shape      load.Shape
	timed      bool // the shape's end ends the execution
	users      int  // closed: most users; open: most users at once; of all processes
	preStarted int  // open: users that are there from the start
	iterations int64
	total      int64
	requests   int64 // locust: requests in total
	throttle   *load.Throttle
	part       load.Part // what of it this process does
	poisson    bool
	maxWait    time.Duration
	warmUp     time.Duration
	graceful   time.Duration
	expected   time.Duration // expected-interval

	written config.LoadShape // for descriptions
	rampUp  time.Duration
	holdFor time.Duration
}

// loadOf resolves the load of an execution by the table of Taurus b.3.
func (c *compiler) loadOf(in *config.Execution) {
	l := &in.Load
	p := &c.x.load
	everyRow := false
	if c.file.Settings.Functional {
		l, everyRow = c.functionalLoad(l)
	}
	p.written = *l
	p.graceful = l.GracefulStop.Or(c.file.Settings.GracefulStop.Or(defaultGraceful))
	p.maxWait = l.MaxWait.Or(defaultMaxWait)
	p.warmUp = l.WarmUp.V
	p.rampUp, p.holdFor = l.RampUp.V, l.HoldFor.V
	p.iterations, p.total = int64(max(l.Iterations.V, 0)), int64(max(l.TotalIterations.V, 0))
	p.open = l.ArrivalRate.Set
	for _, s := range l.Stages {
		p.open = p.open || s.ArrivalRate.Set
	}
	if c.file.Settings.RampUpExclude {
		for i := range c.file.Executions {
			p.warmUp = max(p.warmUp, c.file.Executions[i].Load.RampUp.V)
		}
	}
	if p.expected = l.ExpectedInterval.V; l.ExpectedInterval.Set && p.open {
		c.list.Errorf("conflict", l.ExpectedInterval.Pos, in.Path+".expected-interval", "expected-interval corrects the times of a closed model, but arrival-rate makes it an open one").
			WithHint("remove it: response times count from the schedule already")
	}
	if p.open {
		c.openLoad(in, l, p)
	} else {
		c.closedLoad(in, l, p)
	}
	if everyRow {
		p.iterations = 0
	}
	round := p.users
	if p.open {
		round = min(p.users, c.opts.Share.Of)
	}
	p.part = c.opts.Share.part(c.x.index, round)
	if l.Throughput.Set && l.Throughput.V > 0 {
		t, err := load.NewThrottle(l.Throughput.V, p.rampUp, l.Steps.V)
		if err != nil {
			c.list.Errorf("bad-load", l.Throughput.Pos, in.Path+".throughput", "throughput: %s", err).WithHint(lessLoad)
		} else {
			t = t.Part(p.part)
			p.throttle = &t
		}
	}
}

func (c *compiler) closedLoad(in *config.Execution, l *config.LoadShape, p *loadPlan) {
	p.users = l.Concurrency.Or(1)
	if p.users == 0 {
		p.users = 1
		c.list.Warnf("no-users", l.Concurrency.Pos, in.Path+".concurrency", "concurrency 0 is taken as 1")
	}
	if l.SpawnRate.Set && l.SpawnRate.V > 0 {
		if l.RampUp.Set {
			c.list.Errorf("conflict", l.SpawnRate.Pos, in.Path+".spawn-rate", "spawn-rate and ramp-up say the same thing in two ways").WithHint("keep one of them")
		}
		took := float64(p.users) / l.SpawnRate.V * float64(time.Second)
		if took > float64(endless) {
			c.list.Errorf("bad-load", l.SpawnRate.Pos, in.Path+".spawn-rate", "at this rate %s take longer than 100 years to start", plural(p.users, "user")).
				WithHint("write users per second, such as 10")
		}
		p.rampUp = time.Duration(min(took, float64(endless)))
	}
	if l.TotalRequests.Set && l.TotalRequests.V > 0 { // as Locust counts
		p.requests, p.iterations = int64(l.TotalRequests.V), 0
	}
	limited := p.iterations > 0 || p.total > 0 || p.requests > 0
	p.timed = len(l.Stages) > 0 || p.holdFor > 0 && p.holdFor < endless || p.rampUp > 0 && !limited && p.holdFor == 0
	if p.holdFor == 0 && p.rampUp == 0 && len(l.Stages) == 0 && !limited {
		p.iterations = 1
	}
	spec := load.Spec{Level: float64(p.users), RampUp: p.rampUp, HoldFor: p.holdFor, Endless: !p.timed, Steps: l.Steps.V}
	if len(l.Stages) > 0 {
		spec.Stages, p.users = nil, 0
		for i, s := range l.Stages {
			spec.Stages = append(spec.Stages, load.Stage{Duration: s.Duration, Level: float64(s.Concurrency.V)})
			p.users = max(p.users, s.Concurrency.V)
			if !s.Concurrency.Set {
				c.list.Errorf("bad-stage", s.Pos, fmt.Sprintf("%s.stages.%d", in.Path, i), "stage has no concurrency").WithHint("write concurrency: N, the users at its end")
			}
		}
	}
	c.shape(in, spec, p)
}

func (c *compiler) openLoad(in *config.Execution, l *config.LoadShape, p *loadPlan) {
	limited := p.total > 0
	if p.iterations > 0 {
		c.list.Errorf("conflict", l.Iterations.Pos, in.Path+".iterations", "iterations are counted per user, but with arrival-rate there is no fixed number of users").
			WithHint("write total-iterations")
	}
	if l.SpawnRate.Set {
		c.list.Errorf("conflict", l.SpawnRate.Pos, in.Path+".spawn-rate", "spawn-rate has no meaning with arrival-rate").WithHint("use ramp-up")
	}
	p.poisson = l.Distribution.V == "poisson"
	p.timed = len(l.Stages) > 0 || p.holdFor > 0 && p.holdFor < endless || p.rampUp > 0 && !limited && p.holdFor == 0
	if !p.timed && !limited && p.holdFor < endless {
		c.list.Errorf("no-end", l.ArrivalRate.Pos, in.Path+".arrival-rate", "arrival-rate needs something that ends the run").
			WithHint("add hold-for: 1m, or total-iterations")
	}
	spec := load.Spec{Open: true, Level: l.ArrivalRate.V, RampUp: p.rampUp, HoldFor: p.holdFor, Endless: !p.timed, Steps: l.Steps.V}
	for i, s := range l.Stages {
		spec.Stages = append(spec.Stages, load.Stage{Duration: s.Duration, Level: s.ArrivalRate.V})
		if s.Concurrency.Set {
			c.list.Errorf("bad-stage", s.Pos, fmt.Sprintf("%s.stages.%d", in.Path, i), "a stage with concurrency among stages with arrival-rate").
				WithHint("all stages of an execution have the same kind of level")
		}
	}
	c.shape(in, spec, p)
	peak := p.shape.Peak()
	if !l.MaxConcurrency.Set {
		p.users = min(max(int(math.Ceil(peak*max(p.maxWait, defaultMaxWait).Seconds())), leastMaxUsers), mostMaxUsers)
	} else {
		p.users = max(l.MaxConcurrency.V, 1)
	}
	if l.Concurrency.V > load.MaxUsers {
		c.list.Errorf("bad-load", l.Concurrency.Pos, in.Path+".concurrency", "%d users are more than %d", l.Concurrency.V, load.MaxUsers).WithHint(lessLoad)
	}
	if l.Concurrency.Set {
		p.preStarted = min(l.Concurrency.V, p.users)
	} else {
		// A tenth of a second's arrivals: enough that fast answers never wait for a user's birth.
		p.preStarted = min(p.users, max(1, int(math.Ceil(peak/10))))
	}
}

func (c *compiler) shape(in *config.Execution, spec load.Spec, p *loadPlan) {
	shape, err := load.New(spec)
	if err != nil {
		pos, path, hint := beyondAll(in)
		c.list.Errorf("bad-load", pos, path, "load: %s", err).WithHint("%s", hint)
		return
	}
	if d, timed := shape.Duration(); timed && d == 0 {
		c.list.Errorf("bad-load", in.Pos, in.Path, "the load ends before it has begun").WithHint("give at least one stage a duration")
	}
	p.shape = shape
}

// lessLoad is the hint where a load is more than one execution can be.
const lessLoad = "write less; a load may be shared out among several executions"

// beyondAll finds the value that no load can have.
func beyondAll(in *config.Execution) (pos diag.Pos, path, hint string) {
	l := &in.Load
	switch {
	case l.Steps.V > load.MaxSteps:
		return l.Steps.Pos, in.Path + ".steps", "leave steps out: a ramp-up without them rises evenly"
	case l.ArrivalRate.V > load.MaxRate:
		return l.ArrivalRate.Pos, in.Path + ".arrival-rate", lessLoad
	case l.Concurrency.V > load.MaxUsers:
		return l.Concurrency.Pos, in.Path + ".concurrency", lessLoad
	}
	for i, s := range l.Stages {
		at := fmt.Sprintf("%s.stages.%d", in.Path, i)
		switch {
		case s.ArrivalRate.V > load.MaxRate:
			return s.ArrivalRate.Pos, at + ".arrival-rate", lessLoad
		case s.Concurrency.V > load.MaxUsers:
			return s.Concurrency.Pos, at + ".concurrency", lessLoad
		}
	}
	return in.Pos, in.Path, "write durations and levels that one run can have"
}

// leastLateness is how late the generator may always come for an arrival: that it did not run is no wait for a user.
const leastLateness = time.Second

// lateness is how late the generator may come for an arrival before it is dropped.
func (p *loadPlan) lateness() int64 { return int64(max(p.maxWait, leastLateness)) }

// own is how many of the users live in this process at most.
func (p *loadPlan) own() int64 { return p.part.Count(int64(p.users)) }

// level is the users, or iterations per second, that the plan asks for at t.
func (p *loadPlan) level(t time.Duration) float64 {
	if t < 0 {
		return 0
	}
	return p.shape.Level(t)
}
