// Package report holds the types that the reporters share: the run they are told about, its
// outcome, and the interfaces through which they are fed; and what they would else each write for
// themselves: one reading of the totals, readable units, text tables, files written as a whole.
// Figures come from metrics, judgement from criteria.
package report

import (
	"time"

	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/metrics"
)

// Run is what a reporter knows before the first interval.
type Run struct {
	Name       string // of the first file, without folder and ending
	Files      []string
	Started    time.Time
	Dir        string // artifacts folder; every relative output path of a default lies in it
	Seed       uint64
	Version    string
	Ends       string        // what ends the run, in words
	Duration   time.Duration // planned; 0: unlimited
	Executions []Execution
	Labels     []string // request labels known before the run, in plan order
	Functional bool
	Machines   []Machine         // that make the load, this one first; nil: not known, as of a run that an older version made
	Agents     []string          // that carry the load out, sorted; nil: one process does
	Dying      func()            // what a reporter's goroutine calls when it panics, before the process ends: for who holds the terminal; nil: nothing
	Metrics    map[string]string // label to the name of the number that is taken out of its answers
}

// MetricName is the name of the number that is taken out of the answers of a label.
func (r *Run) MetricName(label string) string {
	if name := r.Metrics[label]; name != "" {
		return name
	}
	return "metric" // of a label that is made at run time
}

// Execution is what a reporter knows of an execution.
type Execution struct {
	Name     string
	Scenario string
	Open     bool
	Capped   bool                          // closed, with a throughput cap
	Planned  func(t time.Duration) float64 // users or iterations per second at t after the start; nil: unknown
	Ends     string

	ExpectedInterval time.Duration // between the requests of one user, for the correction of closed models; 0: none
}

// Outcome is how a run ended.
type Outcome struct {
	Result   Result
	ExitCode int      // 0 passed, 1 error, 2 interrupted, 3 failed by criteria
	Reason   string   // one sentence, such as the criterion that stopped the run
	Errors   []string // what went wrong besides, such as a report that could not be written
	Notices  []string // what is worth knowing and fails nothing, such as figures that a receiver did not take
	Ended    time.Time
	Duration time.Duration // the measured window; 0: nothing was measured
	Verdicts []criteria.Verdict
	Snapshot *metrics.Snapshot
	Files    []Artifact // what was left, filled in as reporters end
}

// Result is the one word about a run.
type Result string

// The results; they are the words of summary.json.
const (
	ResultPassed      Result = "passed"
	ResultFailed      Result = "failed"
	ResultInterrupted Result = "interrupted"
	ResultError       Result = "error"
)

// Artifact is a file that the run left.
type Artifact struct {
	Path string
	Kind string // "junit", "csv", "json", …
}

// Reporter tells people or machines about a run. Begin, Observe and End are called from one
// goroutine, in that order; Observe once per merged interval. An error of Begin forbids the run;
// errors of Observe and End end up in Outcome.Errors and make the exit code 1.
type Reporter interface {
	Begin(Run) error
	Observe(*metrics.Interval, *metrics.Snapshot, []criteria.Verdict) error
	End(*Outcome) error
}

// Sender is a reporter whose End waits for others: for receivers to take what is left, or to fetch it. The Ends of all senders
// run at the same time, each with an Outcome of its own, after those of the reporters that write files. Hurry may be called
// meanwhile from another goroutine: End then waits no longer, and says what was lost.
type Sender interface {
	Reporter
	Hurry()
}

// Reviser is a reporter whose file says how the run ended. Revise is called behind End when the last stages of services have changed
// that, and writes the file again.
type Reviser interface {
	Reporter
	Revise(*Outcome) error
}

// SampleReporter is a reporter that wants every sample. Samples is called in batches from one
// goroutine of its own, never from a virtual user's; it must not keep the slice.
type SampleReporter interface {
	Reporter
	Samples(batch []metrics.Sample, labels func(metrics.LabelID) string) error
}
