package engine

import (
	"time"

	"github.com/stacrun/stacrun/engine/template"
	"github.com/stacrun/stacrun/metrics"
)

// execution is one block of load, compiled.
type execution struct {
	index    int
	name     string
	scenario string
	executor string
	load     loadPlan
	delay    time.Duration
	startAt  time.Time

	names     *template.Names
	variables []assignment
	sources   []*source
	cookies   []firstCookie
	targets   []*target // that its requests name
	sample    labelRef  // of iterations

	prepare, setup, script, teardown, finish []step
	tasks                                    []task
	weights                                  float64 // of all tasks

	challenges  bool // some request answers the challenges of servers …
	clearAnswer bool // … and each iteration begins without the earlier answers

	caching bool // some request may find its answer in the user's cache

	thinkAfter    bool // apiritif and locust pause behind a request
	finishStarted bool // apiritif ends an iteration that has begun even when the plan is over
}

// task is one of several scripts, drawn by weight.
type task struct {
	upTo  float64 // sum of the weights up to this one
	steps []step
}

// labelRef is the label of a sample: a number of the plan, or made at run time.
type labelRef struct {
	kind    metrics.Kind
	text    string // as it is known before the run
	index   int    // in Plan.labels
	dynamic *template.Template
	ignored bool // left out of the results
}

func (x *execution) info() ExecutionInfo {
	measured := time.Duration(0)
	if d, ok := x.load.shape.Duration(); ok && x.load.timed {
		measured = max(0, d-x.load.warmUp)
	}
	return ExecutionInfo{
		Measured: measured,
		Name:     x.name, Scenario: x.scenario, Open: x.load.open, Capped: x.load.throttle != nil && !x.load.open, Ends: x.ends(),
		Planned:          func(t time.Duration) float64 { return x.load.level(t - x.delay) },
		ExpectedInterval: x.load.expected,
	}
}

// Duration is how long the plan runs at most, counted from the start of the run; false: unlimited, or
// not known before the run.
func (p *Plan) Duration() (d time.Duration, known bool) {
	if p.capacity > 0 {
		// Slots are filled in order: what a slot does adds up.
		slots := make([]time.Duration, p.capacity)
		for _, x := range p.executions {
			length, timed := x.load.shape.Duration()
			if !timed || !x.load.timed {
				return 0, false
			}
			first := 0
			for i := range slots {
				if slots[i] < slots[first] {
					first = i
				}
			}
			slots[first] = max(slots[first], x.delay) + length
			d = max(d, slots[first])
		}
		return d, true
	}
	for _, x := range p.executions {
		length, timed := x.load.shape.Duration()
		if !timed || !x.load.timed {
			return 0, false
		}
		d = max(d, x.delay+length)
	}
	return d, true
}
