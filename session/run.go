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

// failOnce notes an error of something that may fail again each second.
func (r *run) failOnce(who any, err error) {
	if r.broken[who] {
		return
	}
	r.broken[who] = true
	r.logger.Error("failed", "error", err)
	r.ending.fail(err)
}
