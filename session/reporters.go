package session

import (
	"context"
	"slices"
	"sync"

	"github.com/stacrun/stacrun/internal/dying"
	"github.com/stacrun/stacrun/reporters/report"
)

// endReporters lets every reporter write what it has. One that fails does not keep the others from
// writing, and those after it already tell of the failure: first come those that write here, then those
// that wait for others, then those that stand behind them in the list and tell what they lost, the summary last.
func (r *run) endReporters(gentle, hard context.Context) {
	if len(r.reporters) == 0 && len(r.Prepared.Reporters) > 0 {
		// Nothing was sent, so there is nothing to tell but why: in the summary, which is always the last.
		summary := r.Prepared.Reporters[len(r.Prepared.Reporters)-1]
		if summary.Begin(r.info) == nil {
			r.reporters = []report.Reporter{summary}
		}
	}
	var before, after []report.Reporter
	var senders []report.Sender
	for _, reporter := range r.reporters {
		if sender, ok := reporter.(report.Sender); ok {
			senders = append(senders, sender)
			before, after = append(before, after...), nil
		} else {
			after = append(after, reporter)
		}
	}
	if len(senders) == 0 && len(after) > 1 { // notices are masked before the summary tells them
		before, after = after[:len(after)-1], after[len(after)-1:]
	}
	for _, reporter := range before {
		r.ended(reporter.End(&r.outcome))
	}
	r.endSenders(senders, gentle, hard)
	r.outcome.Notices = r.masked(r.outcome.Notices)
	for _, reporter := range after {
		r.ended(reporter.End(&r.outcome))
	}
	for _, text := range r.outcome.Notices {
		r.logger.Warn("notice", "text", text)
	}
}

// revise has the reports written again that tell of another end than the run had: they are made before post-process, which may look at them.
func (r *run) revise(told *report.Outcome) {
	o := &r.outcome
	if o.ExitCode == told.ExitCode && o.Reason == told.Reason && slices.Equal(o.Errors, told.Errors) {
		return
	}
	for _, reporter := range r.reporters {
		if reviser, ok := reporter.(report.Reviser); ok {
			r.ended(reviser.Revise(o))
		}
	}
}

func (r *run) ended(err error) {
	if err != nil {
		r.ending.fail(err)
		r.logger.Error("reporter failed", "error", err)
		r.conclude()
	}
}

// endSenders ends them all at once, so that several dead receivers do not take longer than one. Who interrupts meanwhile waits
// for none of them: once for a run that came to its end, a second time for one that was interrupted already.
func (r *run) endSenders(senders []report.Sender, gentle, hard context.Context) {
	outcomes := make([]report.Outcome, len(senders)) // of their own: they add notices and files
	errs := make([]error, len(senders))
	var ends sync.WaitGroup
	for i, sender := range senders {
		outcomes[i] = r.outcome
		outcomes[i].Notices, outcomes[i].Files = slices.Clip(r.outcome.Notices), slices.Clip(r.outcome.Files)
		ends.Go(func() {
			defer dying.Guard(r.opts.Dying)
			errs[i] = sender.End(&outcomes[i])
		})
	}
	enough := gentle.Done()
	if r.ending.interrupted {
		enough = hard.Done()
	}
	over := make(chan struct{})
	var watch sync.WaitGroup
	watch.Go(func() {
		select {
		case <-over:
		case <-enough:
			for _, sender := range senders {
				sender.Hurry()
			}
		}
	})
	ends.Wait()
	close(over)
	watch.Wait()
	notices, files := len(r.outcome.Notices), len(r.outcome.Files)
	for i := range senders {
		r.outcome.Notices = append(r.outcome.Notices, outcomes[i].Notices[notices:]...)
		r.outcome.Files = append(r.outcome.Files, outcomes[i].Files[files:]...)
		r.ended(errs[i])
	}
}
