package criteria

import (
	"time"

	"github.com/stacrun/stacrun/config"
)

// Result is what a rule says.
type Result string

// The results.
const (
	Passed       Result = "passed"
	Failed       Result = "failed"        // triggered, and its effect is a failure
	Noticed      Result = "noticed"       // triggered, but non-failed
	NotEvaluated Result = "not-evaluated" // no data, or a cumulative rule of an interrupted run
)

// Verdict is the state of one rule: what was seen beside what was asked for.
type Verdict struct {
	Rule          config.Criterion
	Text          string // the sentence or assert rule, normalised
	Result        Result
	Fails         bool          // counts against the run: Failed, or not evaluated for lack of data
	Observed      string        // with unit, such as "312ms", "4.2%"; "" when nothing was seen
	Limit         string        // such as "<= 250ms" in the sense of what passes
	ObservedValue float64       // seconds, bytes, count or percent, as Rule.Threshold
	Since         time.Duration // start of the run to the first second of the triggering window; 0 unless triggered
	Held          time.Duration // how long the condition had held when it triggered
	Windowed      bool
	Reason        string  // for NotEvaluated: why
	Progress      float64 // of a window that is filling, 0…1
}

// Effect is what a triggered rule wants of the run.
type Effect struct {
	Stop bool
	Fail bool
}
