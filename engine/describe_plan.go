package engine

import (
	"math"
	"slices"
	"time"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/metrics"
)

// Describe says what the plan will do.
func (p *Plan) Describe() Description {
	d := Description{Executions: []ExecutionDescription{}}
	for _, x := range p.executions {
		d.Executions = append(d.Executions, x.describe(p))
	}
	d.Limits = p.limits()
	return d
}

func (x *execution) describe(plan *Plan) ExecutionDescription {
	p, w := &x.load, &x.load.written
	d := ExecutionDescription{
		Name: x.name, Scenario: x.scenario, Model: "closed", Ends: x.ends(), GracefulStopS: p.graceful.Seconds(),
		RampUp: secondsOf(p.rampUp), HoldFor: valueSeconds(w.HoldFor), Iterations: positive(int(p.iterations)), Total: x.mostIterations(),
		TotalRequests: positive(int(p.requests)),
		Throughput:    valueOf(w.Throughput), Delay: secondsOf(x.delay), WarmUp: secondsOf(p.warmUp),
		Load: [][2]float64{}, Labels: []string{}, DataSources: []SourceInfo{}, Targets: []string{},
	}
	if !x.startAt.IsZero() {
		d.StartAt = &x.startAt
	}
	if x.executor != "" {
		d.Executor = &x.executor
	}
	if w.Steps.Set && w.Steps.V > 0 {
		d.Steps = &w.Steps.V
	}
	if p.open {
		d.Model = "open"
		if w.ArrivalRate.Set {
			d.ArrivalRate = &w.ArrivalRate.V
		} else if peak := p.shape.Peak(); true {
			d.ArrivalRate = &peak
		}
		if p.poisson {
			d.Distribution = &w.Distribution.V
		}
		d.MaxUsers, d.Concurrency = &p.users, &p.preStarted
	} else {
		d.Concurrency = &p.users
	}
	if length, ok := p.shape.Duration(); ok && p.timed {
		d.Duration = secondsOf(length)
		if d.Duration == nil {
			d.Duration = new(float64)
		}
	}
	for _, point := range p.shape.Points() {
		d.Load = append(d.Load, [2]float64{point.T.Seconds(), point.Level})
	}
	for _, l := range plan.Labels() {
		if l.Execution == x.name && l.Kind != metrics.IterationKind && !slices.Contains(d.Labels, l.Name) {
			d.Labels = append(d.Labels, l.Name)
		}
	}
	if n, known := x.perIteration(); known {
		d.Requests = &n
	}
	for _, s := range x.sources {
		info := SourceInfo{Path: s.written.Path, Loop: s.written.Loop}
		if rows := s.Rows(); rows >= 0 {
			info.Rows = &rows
		}
		d.DataSources = append(d.DataSources, info)
	}
	for _, t := range plan.targets {
		if slices.Contains(x.targets, t) {
			d.Targets = append(d.Targets, t.at.origin())
		}
	}
	return d
}

// mostIterations is how many iterations all users together do at most; nil: unlimited.
func (x *execution) mostIterations() *int {
	p := &x.load
	most := int64(math.MaxInt64)
	for _, s := range x.sources {
		// All users take their rows from the same source, one for each iteration.
		if rows := s.Rows(); rows >= 0 && !s.written.Loop {
			most = min(most, int64(rows))
		}
	}
	if p.total > 0 {
		most = p.total
	}
	if p.iterations > 0 {
		most = min(most, p.iterations*int64(p.users))
	}
	if arrivals, ok := p.shape.Total(); ok {
		most = min(most, arrivals)
	}
	if most == math.MaxInt64 {
		return nil
	}
	n := int(most)
	return &n
}

func secondsOf(d time.Duration) *float64 {
	if d == 0 {
		return nil
	}
	s := d.Seconds()
	return &s
}

func valueSeconds(v config.Value[time.Duration]) *float64 {
	if !v.Set || v.V >= endless {
		return nil
	}
	s := v.V.Seconds()
	return &s
}

func valueOf(v config.Value[float64]) *float64 {
	if !v.Set {
		return nil
	}
	return &v.V
}

func positive(n int) *int {
	if n <= 0 {
		return nil
	}
	return &n
}

// perIteration counts the requests of one iteration; false: that hangs on what happens at run time, or
// differs between iterations, as with once blocks.
func (x *execution) perIteration() (n float64, known bool) {
	if len(x.tasks) == 0 {
		return countRequests(x.script)
	}
	from := 0.0
	for i := range x.tasks {
		t := &x.tasks[i]
		one, ok := countRequests(t.steps)
		if !ok {
			return 0, false
		}
		n += one * (t.upTo - from) / x.weights
		from = t.upTo
	}
	return n, true
}

func countRequests(list []step) (n float64, known bool) {
	for _, s := range list {
		one, ok := 0.0, true
		switch s := s.(type) {
		case *request:
			one, ok = 1, s.condition == nil
		case *ifStep:
			then, ok1 := countRequests(s.then)
			other, ok2 := countRequests(s.other)
			one, ok = then, ok1 && ok2 && then == other
		case *loopStep:
			inner, known := countRequests(s.do)
			one, ok = inner*float64(s.count), known && s.text == nil && s.count < 1<<40
		case *whileStep:
			inner, known := countRequests(s.do)
			ok = known && inner == 0
		case *forEachStep:
			inner, known := countRequests(s.do)
			ok = known && inner == 0
		case *transactionStep:
			one, ok = countRequests(s.do)
			if s.forced {
				one = min(one, 1)
			}
		case *onceStep:
			inner, known := countRequests(s.do)
			ok = known && inner == 0
		case *parallelStep:
			one, ok = countRequests(s.branches)
		case *retryStep:
			one, ok = countRequests(s.do)
		case *includeStep:
			one, ok = countRequests(s.do)
		case *actionStep:
			ok = s.flow == flowNext
		}
		if !ok {
			return 0, false
		}
		n += one
	}
	return n, true
}
