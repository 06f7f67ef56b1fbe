package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"time"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/engine"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
)

// RunOptions say where and how a prepared file is run.
type RunOptions struct {
	Dir        string // artifacts folder; made if it is missing
	Overwrite  bool   // an earlier run in Dir is replaced instead of refused
	Version    string
	Started    time.Time        // zero: now
	Interrupts <-chan string    // each value is a reason; the first stops gracefully, the second at once
	Log        io.Writer        // the log besides its file; nil: nowhere
	Source     Source           // nil: an engine over the plan
	Agents     []string         // names of those that carry the load out where Source is a controller; nil: this process does
	Machines   []report.Machine // that make the load; nil: this one
	Attach     func(Source)     // told the source when the load begins, and nil when it has ended: for those who change it; nil: nobody
	Dying      func()           // called when the load panics, before the process ends by it: for who holds the terminal; nil: nobody
	Control    string           // loopback address that the control port listens on, such as 127.0.0.1:7070; "": none
}

// run is the state of one run; only the goroutine of Run touches it.
type run struct {
	*Prepared
	opts      RunOptions
	files     *artifacts
	logger    *slog.Logger
	info      report.Run
	snapshot  *metrics.Snapshot
	control   *control          // nil: there is no control port
	services  []Service         // whose Prepare was begun
	reporters []report.Reporter // whose Begin succeeded
	broken    map[any]bool      // what failed once and is not told again
	ending    ending
	outcome   report.Outcome
	secrets   *config.Secrets
}

// Run runs a prepared file, writes every report and returns how it ended. The diagnostics are what
// the preflight found. Whatever goes wrong stands in the outcome: its exit code is never 0 then.
func Run(ctx context.Context, p *Prepared, opts RunOptions) (*report.Outcome, diag.List) {
	if opts.Started.IsZero() {
		opts.Started = time.Now()
	}
	r := &run{Prepared: p, opts: opts, snapshot: metrics.NewSnapshot(), broken: map[any]bool{}, secrets: config.SecretsOf(p.File.Document)}
	r.info = describe(p, opts)

	var err error
	if r.files, err = openArtifacts(p, opts, r.info); err != nil {
		r.ending.fail(err)
		r.conclude()
		return &r.outcome, nil
	}
	defer r.files.close()
	r.logger = r.files.logger

	if opts.Control != "" {
		if r.control, err = listenControl(opts.Control); err != nil {
			r.ending.fail(err)
			r.conclude()
			r.endReporters(ctx, ctx)
			return &r.outcome, nil
		}
		defer r.control.close()
		r.logger.Info("control port", "address", r.control.address())
	}
	gentle, hard, release := watchInterrupts(ctx, opts.Interrupts)
	defer release()
	problems := r.begin(gentle)
	if r.ready(gentle) {
		r.load(gentle, hard)
	}
	r.judge()
	r.conclude()
	r.shutdown(gentle, hard)
	r.endReporters(gentle, hard)
	told := r.outcome
	r.postProcess(gentle, hard)
	r.revise(&told)
	return &r.outcome, problems
}

// ready reports whether the stages before the load all succeeded.
func (r *run) ready(gentle context.Context) bool {
	if reason, yes := interrupted(gentle); yes {
		// What a stage said while it was being cancelled is not the cause.
		r.ending = ending{interrupted: true, reason: reason}
		return false
	}
	return len(r.ending.errors) == 0
}

// begin readies services and reporters and looks whether the targets answer.
func (r *run) begin(ctx context.Context) diag.List {
	for _, service := range r.Prepared.Services {
		r.services = append(r.services, service)
		r.logger.Info("prepare service", "service", service.Name())
		if err := service.Prepare(ctx, r.opts.Dir); err != nil {
			r.ending.fail(fmt.Errorf("service %s: %w", service.Name(), err))
			return nil
		}
	}
	var problems diag.List
	if r.File.Settings.Preflight && r.opts.Source == nil {
		if problems = engine.Preflight(ctx, r.Plan); problems.HasErrors() {
			r.ending.fail(fmt.Errorf("nothing was sent: %s", firstError(problems)))
			return problems
		}
	}
	for _, reporter := range r.Prepared.Reporters {
		if err := reporter.Begin(r.info); err != nil {
			r.ending.fail(err)
			return problems
		}
		r.reporters = append(r.reporters, reporter)
	}
	for _, service := range r.services {
		if err := service.Startup(ctx); err != nil {
			r.ending.fail(fmt.Errorf("service %s: %w", service.Name(), err))
			return problems
		}
	}
	return problems
}

// firstError is what the first error of a list says, and how many more there are.
func firstError(list diag.List) string {
	text, more := "", 0
	for _, d := range list {
		switch {
		case d.Severity != diag.Error:
		case text == "":
			text = d.Message
		default:
			more++
		}
	}
	if more > 0 {
		text += fmt.Sprintf(" (and %d more)", more)
	}
	return text
}

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

// shutdown ends the services, the last one first. It has a deadline of its own: an interrupted run
// still shuts down what it started.
func (r *run) shutdown(gentle, hard context.Context) {
	ctx, release := lastly(hard)
	defer release()
	for _, service := range slices.Backward(r.services) {
		if told, ok := service.(endingService); ok {
			told.Ending(r.outcome.ExitCode, r.outcome.Reason)
		}
		r.serviceEnded(service, service.Shutdown(ctx), ctx, gentle)
	}
}

// serviceEnded notes how the last stages of a service went. One that was interrupted is no failure of the service; it leaves a run that
// has failed what it is.
func (r *run) serviceEnded(service Service, err error, ctx, gentle context.Context) {
	switch reason, yes := interrupted(gentle); {
	case err == nil:
		return
	case yes && errors.Is(ctx.Err(), context.Canceled):
		r.logger.Warn("service was interrupted", "service", service.Name(), "error", err)
		if r.outcome.ExitCode == ExitPassed {
			r.ending.interrupted, r.ending.reason = true, reason
		}
	default:
		r.ending.fail(fmt.Errorf("service %s: %w", service.Name(), err))
	}
	r.conclude()
}

// shutdownLimit bounds the shutdown and the post-processing of services each.
const shutdownLimit = time.Minute

// judge evaluates what can only be judged at the end.
func (r *run) judge() {
	if r.Judge == nil {
		return
	}
	r.ending.verdicts = r.Judge.End(r.snapshot, r.ending.interrupted)
	r.outcome.Notices = append(r.outcome.Notices, warnings(r.snapshot)...)
	r.ending.gate(r.File.Settings.Functional, r.File.Criteria, r.File.Settings.DefaultGate, r.snapshot)
	if len(r.ending.errors) == 0 && !r.ending.interrupted && r.snapshot.Total().Finished == 0 {
		r.ending.fail(errors.New(nothingToJudge(r.snapshot)))
	}
}

// nothingToJudge says why a run has no figure.
func nothingToJudge(snapshot *metrics.Snapshot) string {
	warm := int64(0)
	for _, row := range snapshot.WarmUpRows() {
		if row.Kind == metrics.RequestKind {
			warm += row.Finished
		}
	}
	if warm > 0 {
		return fmt.Sprintf("all %d requests that finished were warm-up, so there is nothing to judge", warm)
	}
	return "no request was finished, so there is nothing to judge"
}

// mostWarnings bounds what a run tells of itself beside its verdict; all of it stands in the log.
const mostWarnings = 10

// warnings are what the source found odd while it ran.
func warnings(snapshot *metrics.Snapshot) (texts []string) {
	for _, event := range snapshot.Events() {
		if event.Kind != "warning" || slices.Contains(texts, event.Text) {
			continue
		}
		if texts = append(texts, event.Text); len(texts) == mostWarnings {
			break
		}
	}
	return texts
}

// conclude brings the outcome up to date with the ending.
func (r *run) conclude() {
	o := &r.outcome
	o.Result, o.ExitCode, o.Reason = r.ending.conclude()
	o.Reason, o.Errors = r.secrets.Mask(o.Reason), r.masked(r.ending.errors)
	o.Verdicts, o.Snapshot = r.ending.verdicts, r.snapshot
	if o.Ended.IsZero() {
		o.Ended = time.Now()
		o.Duration = o.Ended.Sub(r.opts.Started)
		if start, end, ok := r.snapshot.Window(); ok {
			o.Duration = time.Duration(end - start)
		}
	}
}

// masked hides secrets in what was said by others: a receiver may answer with the token that it was sent.
func (r *run) masked(texts []string) []string {
	var out []string
	for _, text := range texts {
		out = append(out, r.secrets.Mask(text))
	}
	return out
}

// postProcess is the services' last stage; they may still look at the reports.
func (r *run) postProcess(gentle, hard context.Context) {
	ctx, release := lastly(hard)
	defer release()
	for _, service := range r.services {
		r.serviceEnded(service, service.PostProcess(ctx, r.outcome.ExitCode, r.outcome.Reason), ctx, gentle)
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

// failOnce notes an error of something that may fail again each second.
func (r *run) failOnce(who any, err error) {
	if r.broken[who] {
		return
	}
	r.broken[who] = true
	r.logger.Error("failed", "error", err)
	r.ending.fail(err)
}
