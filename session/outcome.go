package session

import (
	"slices"
	"strings"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
)

// Exit codes, as in Taurus.
const (
	ExitPassed      = 0
	ExitError       = 1
	ExitInterrupted = 2
	ExitFailed      = 3
)

// ending is what a run's exit code is made of.
type ending struct {
	errors      []string // strongest: configuration, no sample, a result file that was lost
	interrupted bool     // by a signal, a key, the page or the control port
	reason      string
	verdicts    []criteria.Verdict
}

// fail notes an error; the run ends with exit code 1, whatever else it shows.
func (e *ending) fail(err error) { e.errors = append(e.errors, err.Error()) }

// gate adds the verdict of the rule that holds without being written, unless the run was interrupted: in a functional run every test
// passes; elsewhere not all requests fail, where no rule was written that looks at failures. A rule on times alone does not excuse a
// dead server, whose refusals are fast.
func (e *ending) gate(functional bool, rules []config.Criterion, standard string, snapshot *metrics.Snapshot) {
	var verdict criteria.Verdict
	fails := false
	switch {
	case e.interrupted:
	case functional:
		verdict, fails = criteria.FunctionalGate(snapshot)
	case standard != "none" && !slices.ContainsFunc(rules, judgesFailures):
		verdict, fails = criteria.DefaultGate(snapshot)
	}
	if fails {
		e.verdicts = append(e.verdicts, verdict)
	}
}

// judgesFailures reports whether a rule says how many failures are good enough, so that nobody else need say so.
func judgesFailures(c config.Criterion) bool {
	return c.Assert != "" || c.Subject == "fail" || c.Subject == "succ" || strings.HasPrefix(c.Subject, "rc")
}

// conclude gives the result, strongest reason first: an error, a windowed rule that had triggered,
// an interruption, a rule judged at the end.
func (e *ending) conclude() (result report.Result, exitCode int, reason string) {
	if len(e.errors) > 0 {
		return report.ResultError, ExitError, e.errors[0]
	}
	windowed, final := firstFailing(e.verdicts, true), firstFailing(e.verdicts, false)
	switch {
	case windowed != nil:
		return report.ResultFailed, ExitFailed, sentence(windowed)
	case e.interrupted:
		return report.ResultInterrupted, ExitInterrupted, e.reason
	case final != nil:
		return report.ResultFailed, ExitFailed, sentence(final)
	}
	return report.ResultPassed, ExitPassed, e.reason
}

func firstFailing(verdicts []criteria.Verdict, windowed bool) *criteria.Verdict {
	for i := range verdicts {
		if verdicts[i].Fails && verdicts[i].Windowed == windowed {
			return &verdicts[i]
		}
	}
	return nil
}

// sentence names a criterion that failed, with what was seen beside what was asked for.
func sentence(v *criteria.Verdict) string {
	name := v.Text
	if v.Rule.Message != "" {
		name = v.Rule.Message + ": " + v.Text
	}
	if v.Result == criteria.NotEvaluated {
		return name + " (not evaluated: " + v.Reason + ")"
	}
	return name + " (observed " + v.Observed + ", limit " + v.Limit + ")"
}
