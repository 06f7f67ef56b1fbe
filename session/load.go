package session

import (
	"context"
	"fmt"
	"time"

	"github.com/stacrun/stacrun/engine"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
)

// load runs the source to its end and passes on what it gives.
func (r *run) load(gentle, hard context.Context) {
	source := r.opts.Source
	if source == nil {
		source = r.newEngine()
	}
	starting, cancel := context.WithCancelCause(hard)
	defer cancel(nil)
	unwatch := context.AfterFunc(gentle, func() { cancel(context.Cause(gentle)) }) // what has not begun need not finish
	intervals, err := source.Start(starting)
	unwatch()
	switch reason, yes := interrupted(gentle); {
	case err != nil && yes:
		r.ending.interrupted, r.ending.reason = true, reason
		return
	case err != nil:
		r.ending.fail(err)
		return
	}
	r.logger.Info("load started", "seed", r.Plan.Seed())
	check := time.NewTicker(time.Second)
	defer check.Stop()
	stop := gentle.Done()
	var asked <-chan string
	if r.control != nil {
		asked = r.control.stops
		r.control.attach(source, r.info.Executions)
		defer r.control.attach(nil, nil)
	}
	if r.opts.Attach != nil {
		r.opts.Attach(source)
		defer r.opts.Attach(nil)
	}
	for {
		select {
		case interval, open := <-intervals:
			if !open {
				if err := source.Err(); err != nil {
					r.ending.fail(err)
				}
				return
			}
			r.observe(interval, source)
		case <-stop:
			stop = nil
			reason, _ := interrupted(gentle)
			r.ending.interrupted, r.ending.reason = true, reason
			r.logger.Info("stopping", "reason", reason)
			source.Stop(reason)
		case reason := <-asked:
			r.ending.interrupted, r.ending.reason = true, reason
			r.logger.Info("stopping", "reason", reason)
			source.Stop(reason)
		case <-check.C:
			r.checkServices(hard, source)
		}
	}
}

// observe hands one interval to the log, the judge and the reporters, in this order: what the
// others make of it can be made again from the log.
func (r *run) observe(interval *metrics.Interval, source Source) {
	r.snapshot.Add(interval)
	if r.control != nil {
		r.control.observe(interval, r.snapshot)
	}
	if err := r.files.append(interval); err != nil {
		r.failOnce(r.files, fmt.Errorf("write the interval log: %w", err))
	}
	effect, triggered := r.Judge.Observe(interval, r.snapshot)
	for i := range triggered {
		r.logger.Warn("criterion triggered", "criterion", triggered[i].Text, "observed", triggered[i].Observed)
	}
	verdicts := r.Judge.State()
	for _, reporter := range r.reporters {
		if err := reporter.Observe(interval, r.snapshot, verdicts); err != nil {
			r.failOnce(reporter, err)
		}
	}
	if effect.Stop && len(triggered) > 0 && !interval.Final {
		text := sentence(&triggered[0])
		if r.ending.reason == "" {
			r.ending.reason = "stopped by the criterion " + text
		}
		source.Stop(text)
	}
}

// checkServices asks each service how it fares; one that has died ends the run with an error.
func (r *run) checkServices(ctx context.Context, source Source) {
	for _, service := range r.services {
		if err := service.Check(ctx); err != nil && !r.broken[service] {
			r.failOnce(service, fmt.Errorf("service %s: %w", service.Name(), err))
			source.Stop("service " + service.Name() + " failed")
		}
	}
}

// newEngine makes the engine of this run; it hands samples out only when a reporter wants them.
func (r *run) newEngine() *engine.Engine {
	opts := engine.RunOptions{Logger: r.logger, Dying: r.opts.Dying}
	var e *engine.Engine
	if tap := r.sampleTap(); tap != nil {
		opts.Samples = func(batch []metrics.Sample) { tap(batch, e.LabelName) }
	}
	if r.File.Settings.Functional {
		opts.Tracer = r.caseTracer()
	}
	e = engine.New(r.Plan, opts)
	return e
}

// sampleTap fans batches of samples out to the reporters that want them; nil when none does.
func (r *run) sampleTap() func([]metrics.Sample, func(metrics.LabelID) string) {
	var takers []report.SampleReporter
	for _, reporter := range r.reporters {
		if taker, ok := reporter.(report.SampleReporter); ok {
			takers = append(takers, taker)
		}
	}
	if takers == nil {
		return nil
	}
	return func(batch []metrics.Sample, labels func(metrics.LabelID) string) {
		for _, taker := range takers {
			// What a taker cannot write it tells again at its End.
			_ = taker.Samples(batch, labels)
		}
	}
}
