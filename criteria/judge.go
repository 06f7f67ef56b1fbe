package criteria

import (
	"time"

	"github.com/stacrun/stacrun/metrics"
)

// Judge folds intervals into verdicts. It is not safe for concurrent use.
type Judge struct {
	rules  []*rule
	last   int64 // second of the last interval; -1: none
	wanted bool  // the plan asked for load in it
	health health
	ended  bool
}

// Observe folds the merged interval of the next second in and returns what the rules want of the
// run now, with the verdicts of those that triggered in it. The snapshot holds iv already.
//
// Seconds for which no interval came are gaps: when the plan asked for load, they count as empty.
func (j *Judge) Observe(iv *metrics.Interval, snap *metrics.Snapshot) (Effect, []Verdict) {
	var effect Effect
	var triggered []Verdict
	if j.last >= 0 && j.wanted {
		// After a gap of hours (a laptop that slept) only its end can matter to any window.
		const most = 86400
		for missing := max(j.last+1, iv.Second-most); missing < iv.Second; missing++ {
			empty := newSecond(&metrics.Interval{Second: missing})
			for _, r := range j.rules {
				r.observe(empty, j.wanted)
			}
		}
	}
	j.health.add(iv)
	sec := newSecond(iv)
	all := sec.load(scope{})
	j.wanted = all.wanted || !all.known
	for _, r := range j.rules {
		wanted := j.wanted
		if l := sec.load(r.scope); l.known {
			wanted = l.wanted
		}
		before := r.triggered
		r.observe(sec, wanted && !iv.Final)
		if r.triggered && !before {
			triggered = append(triggered, r.verdict)
			effect.Stop = effect.Stop || r.verdict.Rule.Stop
			effect.Fail = effect.Fail || r.verdict.Rule.Fail
		}
	}
	j.last = iv.Second
	j.preview(snap)
	return effect, triggered
}

// preview shows what cumulative rules would say if the run ended now. Their result stays open:
// Progress is 1 where the rule would trigger.
func (j *Judge) preview(snap *metrics.Snapshot) {
	totals := newTotals(snap, j.health)
	for _, r := range j.rules {
		if r.window != nil {
			continue
		}
		v := r.judge(totals)
		r.verdict.Observed, r.verdict.ObservedValue, r.verdict.Progress = v.Observed, v.ObservedValue, 0
		if v.Result == Failed || v.Result == Noticed {
			r.verdict.Progress = 1
		}
	}
}

// State returns the present verdict of each rule, in the order of the rules.
func (j *Judge) State() []Verdict {
	verdicts := make([]Verdict, 0, len(j.rules))
	for _, r := range j.rules {
		verdicts = append(verdicts, r.verdict)
	}
	return verdicts
}

// ReasonInterrupted is why a rule was not evaluated that needs the whole run.
const ReasonInterrupted = "the run was interrupted"

// End judges the cumulative rules on the totals and returns all verdicts. After an interruption
// (a user's stop) cumulative rules are not evaluated and do not count, and neither do windowed
// rules that had no data yet.
func (j *Judge) End(snap *metrics.Snapshot, interrupted bool) []Verdict {
	if j.ended {
		return j.State()
	}
	j.ended = true
	totals := newTotals(snap, j.health)
	for _, r := range j.rules {
		switch {
		case r.window == nil && interrupted:
			r.verdict = r.open()
			r.verdict.Result, r.verdict.Reason = NotEvaluated, ReasonInterrupted
		case r.window == nil || r.broken != "":
			r.verdict = r.judge(totals)
		case !r.triggered && r.subject.needsSamples() && !r.seen:
			r.verdict = r.noData(totals.without(r.scope))
			if interrupted {
				r.verdict.Fails, r.verdict.Reason = false, ReasonInterrupted
			}
		case !r.triggered:
			r.pass()
		}
	}
	return j.State()
}

func after(second int64) time.Duration { return time.Duration(second) * time.Second }
