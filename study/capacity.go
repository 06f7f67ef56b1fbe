package study

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"time"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
)

// Defaults of [CapacityOptions].
const (
	DefaultFrom      = 10.0 // iterations per second, or users
	DefaultTo        = 1e6
	DefaultStep      = 20 * time.Second
	DefaultStepWarm  = 3 * time.Second
	DefaultCoolDown  = 2 * time.Second
	DefaultPrecision = 0.05
	DefaultConfirm   = 2
)

// keepsUp is the share of the planned arrivals that must be done for a load to count as held.
const keepsUp = 0.95

// maxSteps bounds a search that noise keeps from settling.
const maxSteps = 60

// CapacityOptions say what must hold and where to look.
type CapacityOptions struct {
	Objectives []Objective
	Open       bool          // search the arrival rate; else the number of users
	From, To   float64       // first load, and the highest to try
	Step       time.Duration // measured part of a step
	WarmUp     time.Duration
	CoolDown   time.Duration
	Precision  float64 // 0…1: how close the two ends must be
	Confirm    int     // how often the answer is measured again
	Rest       Pause   // nil: real time

	Head     report.Head // of the document, for people
	Dir      string
	Save     func(*report.Capacity) error // after each step; nil: nowhere
	Progress func(Progress)
}

// search is a search under way.
type search struct {
	CapacityOptions
	ctx    context.Context
	load   Loader
	runner Runner
	out    *report.Capacity
	low    float64         // highest load that held; 0: none
	high   float64         // lowest load that did not; 0: none
	broken map[float64]int // how often a load was measured and did not hold
	held   map[float64]int
	last   report.CapacityStep // the last step that did not hold at high
}

// errEnough ends a search early: it was interrupted, or took too many steps.
var errEnough = errors.New("enough")

// RunCapacity searches for the highest load that holds the objectives: it doubles the load until they break, halves the
// gap between what holds and what does not, and measures both ends again. What it knows is returned also with an error and
// when the context was cancelled.
func RunCapacity(ctx context.Context, loader Loader, runner Runner, o CapacityOptions) (*report.Capacity, error) {
	s := &search{CapacityOptions: o, ctx: ctx, load: loader, runner: runner, out: &report.Capacity{Head: o.Head}, broken: map[float64]int{}, held: map[float64]int{}}
	s.out.Curve = []report.CapacityStep{}
	for _, objective := range o.Objectives {
		s.out.Objectives = append(s.out.Objectives, objective.Text)
	}
	file, err := load(loader, nil)
	if err != nil {
		return s.out, err
	}
	switch {
	case len(o.Objectives) == 0:
		return s.out, errors.New("no objective: say what must hold with --objective, such as 'p95<250ms'")
	case len(file.Executions) != 1:
		return s.out, fmt.Errorf("the search needs a document with one execution, and this one has %d", len(file.Executions))
	case o.From <= 0 || o.To < o.From:
		return s.out, fmt.Errorf("the search cannot go from %g to %g", o.From, o.To)
	}
	if !o.Open {
		s.From, s.To = math.Ceil(o.From), math.Floor(o.To)
	}
	if _, err := load(loader, s.overrides(s.From)); err != nil {
		return s.out, err
	}
	err = s.find()
	s.conclude()
	if errors.Is(err, errEnough) {
		err = nil
	}
	if saved := s.save(); err == nil {
		err = saved
	}
	return s.out, err
}

// find brackets and bisects until both ends of the gap are confirmed.
func (s *search) find() error {
	if err := s.bracket(s.From, 2); err != nil {
		return err
	}
	for {
		if err := s.bisect(); err != nil || s.low == 0 {
			return err
		}
		settled, err := s.confirm()
		if settled || err != nil {
			return err
		}
	}
}

// bracket raises the load by a factor, soon by doubling, until it breaks, or lowers it until it holds. A generator that was the
// limit may have had a hiccup, so such a step is made once more before it counts.
func (s *search) bracket(from, factor float64) error {
	level := min(from, s.To)
	for {
		held, err := s.measure(level)
		if err == nil && !held && s.last.Generator != "" {
			held, err = s.measure(level)
		}
		if err != nil {
			return err
		}
		if !held {
			break
		}
		if level >= s.To {
			return nil
		}
		level = min(max(s.round(level*factor), level+1), s.To)
		factor = min(1.5*factor, 2)
	}
	for s.low == 0 && s.high > 1 {
		held, err := s.measure(max(1, s.round(s.high/4)))
		if held || err != nil {
			return err
		}
	}
	return nil
}

// bisect narrows the gap to the precision.
func (s *search) bisect() error {
	for s.low > 0 && s.high > 0 && s.high/s.low > 1+s.Precision {
		middle := s.round(math.Sqrt(s.low * s.high))
		if middle <= s.low || middle >= s.high { // no whole number of users between them
			return nil
		}
		if _, err := s.measure(middle); err != nil {
			return err
		}
	}
	return nil
}

// confirm measures both ends again and reports whether they stayed what they were.
func (s *search) confirm() (settled bool, err error) {
	level := s.low
	for s.held[level] <= s.Confirm {
		held, err := s.measure(level)
		if err != nil {
			return false, err
		}
		if !held {
			return false, s.lower(level)
		}
	}
	if s.high == 0 || s.Confirm == 0 || s.broken[s.high] > 1 {
		return true, nil
	}
	// A hiccup may have broken the upper end.
	held, err := s.measure(s.high)
	if err != nil || !held {
		return err == nil, err
	}
	return false, s.bracket(s.round(s.low*(1+2*s.Precision)), 1+4*s.Precision)
}

// lower looks for a load that holds below one that did so once but not again.
func (s *search) lower(level float64) error {
	s.low, s.high = 0, level
	for s.low == 0 && s.high > 1 {
		next := s.round(s.high / (1 + s.Precision))
		if next >= s.high {
			next = s.high - 1
		}
		if _, err := s.measure(max(next, 1)); err != nil {
			return err
		}
	}
	return nil
}

// round keeps a load to what can be set: whole users, or three digits of a rate.
func (s *search) round(level float64) float64 {
	if !s.Open {
		return math.Round(level)
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(level, 'g', 3, 64), 64) // what was written can be read
	return rounded
}

// measure makes one step and moves the end of the gap that it speaks for.
func (s *search) measure(level float64) (held bool, err error) {
	if s.ctx.Err() != nil || len(s.out.Curve) >= maxSteps {
		return false, errEnough
	}
	if len(s.out.Curve) > 0 {
		s.Rest.wait(s.ctx, s.CoolDown)
		if s.ctx.Err() != nil {
			return false, errEnough
		}
	}
	file, err := load(s.load, s.overrides(level))
	if err != nil {
		return false, err
	}
	n := len(s.out.Curve) + 1
	if s.Progress != nil {
		s.Progress(Progress{Run: n, Name: s.name(level)})
	}
	dir := filepath.Join(s.Dir, fmt.Sprintf("step-%02d-%s", n, strconv.FormatFloat(level, 'g', 6, 64)))
	result, err := s.runner.Run(s.ctx, withoutCriteria(file), RunOptions{Dir: dir, Name: s.name(level)})
	if err != nil {
		return false, err
	}
	switch result.Outcome.Result {
	case report.ResultInterrupted:
		return false, errEnough
	case report.ResultError:
		if result.Outcome.Snapshot == nil || result.Outcome.Snapshot.Total().Finished == 0 {
			return false, fmt.Errorf("step at %s: %s", s.name(level), result.Outcome.Reason)
		}
	}
	step, err := s.judge(level, result)
	if err != nil {
		return false, err
	}
	step.Artifacts = dir
	s.out.Curve = append(s.out.Curve, step)
	if step.Held {
		s.held[level]++
		s.low = max(s.low, level)
		if s.high > 0 && level >= s.high {
			s.high = 0
		}
	} else {
		s.broken[level]++
		if s.high == 0 || level <= s.high {
			s.high, s.last = level, step
		}
	}
	return step.Held, s.save()
}

// judge makes a step of a result.
func (s *search) judge(level float64, result Result) (report.CapacityStep, error) {
	step := report.CapacityStep{Level: level}
	if s.Open {
		step.Rate = &step.Level
	} else {
		step.Users = &step.Level
	}
	t := report.NewTotals(result.Outcome.Snapshot)
	r := &t.Total.Response
	step.P50MS, step.P95MS, step.P99MS = r.Quantile(50)/1e6, r.Quantile(95)/1e6, r.Quantile(99)/1e6
	dropped := [metrics.DropCount]int64{}
	for _, l := range t.Loads() {
		for reason, n := range l.Measured().Dropped {
			dropped[reason] += n
			step.Dropped += n
		}
	}
	step.Failures = 100 * t.Total.FailRatio()
	step.Achieved = achieved(t)
	if t.Health.Bottleneck {
		step.Generator = t.Health.Reason
	}
	verdict := judgement{first: 0, broken: []string{"no request finished"}}
	if t.Total.Finished > 0 {
		var err error
		if verdict, err = judge(s.Objectives, result.Intervals, s.Open, len(s.out.Curve) == 0); err != nil {
			return step, err
		}
	}
	step.Held, step.Broken = verdict.held, verdict.broken
	if !verdict.held {
		step.LimitedBy = s.Objectives[verdict.first].limit()
	} else if s.Open && (step.Achieved < keepsUp*level || dropped[metrics.DropWaitedTooLong] > 0) {
		step.Held, step.LimitedBy = false, report.LimitedByDropped
		step.Broken = append(step.Broken, fmt.Sprintf("%.4g of %.4g iterations per second were done, %d dropped", step.Achieved, level, step.Dropped))
	}
	// A busy generator makes answers late, but no server refuse them.
	if !step.Held && step.Generator != "" && step.LimitedBy != report.LimitedByErrors {
		step.LimitedBy = report.LimitedByGenerator
	}
	return step, nil
}

// achieved is how many iterations finished per second of the measured time; requests where iterations are not counted apart.
func achieved(t *report.Totals) float64 {
	n := int64(0)
	for _, row := range t.Labels {
		if row.Kind == metrics.IterationKind {
			n += row.Finished
		}
	}
	if n == 0 {
		n = t.Total.Finished
	}
	rate, _ := t.PerSecond(n)
	return rate
}

// overrides are the values of one step.
func (s *search) overrides(level float64) (list []string) {
	for _, key := range []string{
		"concurrency", "ramp-up", "steps", "stages", "iterations", "total-iterations", "spawn-rate", "throughput", "arrival-rate",
	} {
		list = append(list, "execution.0.^"+key+"=")
	}
	if s.Open {
		return append(list,
			"execution.0.arrival-rate="+strconv.FormatFloat(level, 'f', -1, 64),
			"execution.0.hold-for="+milliseconds(s.WarmUp+s.Step), "execution.0.warm-up="+milliseconds(s.WarmUp))
	}
	for _, key := range []string{"max-concurrency", "max-wait", "distribution"} {
		list = append(list, "execution.0.^"+key+"=")
	}
	return append(list,
		"execution.0.concurrency="+strconv.Itoa(int(level)), "execution.0.ramp-up="+milliseconds(s.WarmUp),
		"execution.0.hold-for="+milliseconds(s.Step), "execution.0.warm-up="+milliseconds(s.WarmUp))
}

func (s *search) name(level float64) string {
	text := strconv.FormatFloat(level, 'g', 6, 64)
	if s.Open {
		return text + " iterations/s"
	}
	return text + " users"
}

func (s *search) save() error {
	if s.Save == nil {
		return nil
	}
	return s.Save(s.out)
}

// Searched tells what a document's execution is loaded by, which is what is searched for unless the user says otherwise.
func Searched(file *config.File) (open bool) {
	if len(file.Executions) == 0 {
		return true
	}
	l := file.Executions[0].Load
	return l.ArrivalRate.Set || len(l.Stages) > 0 && l.Stages[0].ArrivalRate.Set || !l.Concurrency.Set
}
