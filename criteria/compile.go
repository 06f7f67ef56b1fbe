package criteria

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/diag"
)

// Options of [Compile].
type Options struct {
	Baseline Baseline      // what rules with a baseline compare with; nil: none was given
	Duration time.Duration // of the whole plan; 0: unlimited, or not known before the run
}

// Baseline is a stored run, or several, that rules compare with.
type Baseline interface {
	// Value returns a subject of the stored totals in seconds, bytes, a count (rate: per second),
	// or a percent number when percent is set. Subjects are those of sentences, and "rate".
	// Execution and label may be empty. The second result is false where the baseline has no
	// such figure.
	Value(subject string, percent bool, execution, label string) (float64, bool)
}

// Compile checks rules against what the plan can produce. The judge is never nil; a rule with an
// error in the list is never evaluated and counts against the run.
func Compile(rules []config.Criterion, labels Labels, opts Options) (*Judge, diag.List) {
	j := &Judge{last: -1}
	var diags diag.List
	for _, c := range rules {
		r := &rule{criterion: c, scope: scope{execution: c.Execution, label: c.Label}}
		var found diag.List
		r.compile(labels, opts.Baseline, &found)
		r.fits(labels, opts.Duration, &found)
		for _, d := range found {
			if d.Severity == diag.Error {
				r.broken = d.Message
				break
			}
		}
		diags.Add(found...)
		r.verdict = r.open()
		j.rules = append(j.rules, r)
	}
	return j, diags
}

func (r *rule) compile(labels Labels, base Baseline, diags *diag.List) {
	c := r.criterion
	if c.Execution != "" {
		if _, known := labels.execution(c.Execution); !known {
			diags.Errorf("unknown-execution", c.Pos, c.Path, "no execution is named %q", c.Execution).
				WithHint("%s", executionHint(c.Execution, labels))
			return
		}
	}
	if c.Assert != "" {
		compileAssert(r, labels, base, diags)
		return
	}
	compileSentence(r, labels, base, diags)
}

// fits warns of a window that the plan is too short to fill: the rule would pass whatever happens.
func (r *rule) fits(labels Labels, plan time.Duration, diags *diag.List) {
	c := r.criterion
	if r.window == nil || c.Logic == "within" || diags.HasErrors() {
		return
	}
	// Several executions may fill a window one after the other.
	whole := "the plan"
	if c.Execution != "" || len(labels.Executions) == 1 {
		plan = 0
		for _, e := range labels.Executions {
			if c.Execution == "" || e.Name == c.Execution {
				plan = e.Measured
			}
		}
		whole = "the execution"
	}
	if length := time.Duration(r.window.length) * time.Second; plan > 0 && length > plan {
		diags.Warnf("window", c.Pos, c.Path, "the window of %s is longer than %s (%s), which can not fill it", Seconds(length.Seconds()), whole, Seconds(plan.Seconds())).
			WithHint("write a shorter time, or leave it out to judge the whole run at its end")
	}
}

func compileSentence(r *rule, labels Labels, base Baseline, diags *diag.List) {
	c := r.criterion
	// "Percent" of a baseline is not a share; counts are compared as shares, since runs differ in length.
	percent := c.Percent
	if c.Baseline {
		percent = comparedAsShare(c.Subject)
	}
	s, err := parseSubject(c.Subject, percent, c.Class)
	if err != nil {
		diags.Errorf("criterion", c.Pos, c.Path, "%v", err).WithHint("%s", subjectHint(c))
		return
	}
	r.subject, r.threshold = s, c.Threshold
	if s.kind == memory && (c.Percent || c.Threshold <= 100) {
		diags.Errorf("criterion", c.Pos, c.Path, "%s is a number of bytes, not a share", c.Subject).
			WithHint("it is the memory of the load generator itself: write a size such as 500m")
		return
	}
	switch c.Condition {
	case ">", ">=", "<", "<=", "=":
	case "==":
		r.criterion.Condition = "="
	default:
		diags.Errorf("criterion", c.Pos, c.Path, "unknown comparison %q", c.Condition).WithHint("write one of > >= < <= =")
		return
	}
	switch c.Logic {
	case "", "for", "within", "over":
	default:
		diags.Errorf("criterion", c.Pos, c.Path, "unknown logic %q", c.Logic).WithHint("write one of for, within, over")
		return
	}
	if s.kind == code {
		if why := s.codes.impossible(); why != "" {
			hint := diag.DidYouMean(c.Subject, codeWords())
			if hint == "" {
				hint = "write a status such as rc404, a pattern such as rc5??, or a fault such as rcSocketTimeoutException"
			}
			diags.Errorf("unknown-code", c.Pos, c.Path, "no sample can have the code %q: %s", c.Subject[2:], why).WithHint("%s", hint)
		}
	}
	checkLabel(r, labels, diags)
	checkRate(r, labels, diags)
	r.limit = passing(r.criterion.Condition, s.unit().exact(r.threshold))
	if c.Baseline {
		compareWithBaseline(r, base, percent, diags)
	}
	if c.Timeframe > 0 {
		r.window = newWindow(c, s.gathering())
		if whole := time.Duration(r.window.length) * time.Second; whole != c.Timeframe {
			diags.Warnf("timeframe", c.Pos, c.Path, "a window has whole seconds: %s counts as %s", config.FormatDuration(c.Timeframe), config.FormatDuration(whole)).
				WithHint("write %s %s", c.Logic, config.FormatDuration(whole))
		}
	}
}

func checkLabel(r *rule, labels Labels, diags *diag.List) {
	c := r.criterion
	if c.Label == "" {
		return
	}
	if !r.subject.needsSamples() {
		diags.Errorf("criterion", labelPos(c), c.Path, "%s is not measured per label", c.Subject).
			WithHint("leave out \"of %s\"", c.Label)
		return
	}
	kind, known := labels.find(c.Execution, c.Label)
	if !known {
		diags.Errorf("unknown-label", labelPos(c), c.Path, "%s", unknownLabel(c.Label, c.Execution)).
			WithHint("%s", labels.hint(c.Execution, c.Label)).Length = len([]rune(c.Label))
	}
	r.scope.kind = kind
}

// checkRate refuses rules on the rate of a plan that asks for none.
func checkRate(r *rule, labels Labels, diags *diag.List) {
	c := r.criterion
	if r.subject.kind != achieved {
		return
	}
	for _, e := range labels.Executions {
		if (e.Open || e.Capped) && (c.Execution == "" || c.Execution == e.Name) {
			return
		}
	}
	diags.Errorf("no-rate", c.Pos, c.Path, "%s needs an execution with an arrival rate or a throughput", c.Subject).
		WithHint("set arrival-rate or throughput, or judge hits instead")
}

// compareWithBaseline sets the threshold to a share of the stored value.
func compareWithBaseline(r *rule, base Baseline, percent bool, diags *diag.List) {
	c := r.criterion
	if base == nil {
		diags.Errorf("no-baseline", c.Pos, c.Path, "no baseline given").WithHint("use --baseline")
		return
	}
	stored, ok := base.Value(c.Subject, percent, c.Execution, c.Label)
	if !ok {
		diags.Errorf("no-baseline", c.Pos, c.Path, "the baseline has no value for %q", c.Text).
			WithHint("save a new baseline, or leave the rule out")
		return
	}
	r.threshold = stored * c.Threshold / 100
	u := r.subject.unit()
	limit := u.format(r.threshold, 4)
	widened := ""
	if low, high, known := spreadOf(base, c.Subject, percent, c.Execution, c.Label); known {
		// What another run of the same build might show is no reason to fail.
		switch {
		case (r.criterion.Condition == ">" || r.criterion.Condition == ">=") && high > r.threshold:
			r.threshold, widened = high, ", widened to the spread of its runs"
		case (r.criterion.Condition == "<" || r.criterion.Condition == "<=") && low < r.threshold:
			r.threshold, widened = low, ", widened to the spread of its runs"
		}
		limit = u.format(r.threshold, 4)
	}
	r.limit = fmt.Sprintf("%s (%s%% of the baseline's %s%s)", passing(r.criterion.Condition, limit),
		strconv.FormatFloat(c.Threshold, 'f', -1, 64), u.format(stored, 4), widened)
}

func spreadOf(base Baseline, subject string, percent bool, execution, label string) (low, high float64, ok bool) {
	if s, can := base.(Spread); can {
		return s.Spread(subject, percent, execution, label)
	}
	return 0, 0, false
}

func comparedAsShare(subject string) bool {
	return strings.HasPrefix(subject, "succ") || strings.HasPrefix(subject, "fail") || strings.HasPrefix(subject, "rc") || subject == "generator"
}

func labelPos(c config.Criterion) diag.Pos {
	if c.LabelPos.Known() {
		return c.LabelPos
	}
	return c.Pos
}

func unknownLabel(label, execution string) string {
	if execution != "" {
		return fmt.Sprintf("no request of execution %q can have the label %q", execution, label)
	}
	return fmt.Sprintf("no request of the plan can have the label %q", label)
}

func executionHint(name string, labels Labels) string {
	var names []string
	for _, e := range labels.Executions {
		names = append(names, e.Name)
	}
	if hint := diag.DidYouMean(name, names); hint != "" {
		return hint
	}
	return "the executions are " + strings.Join(names, ", ")
}

func subjectHint(c config.Criterion) string {
	if c.Class != "" {
		return "only the load generator is watched: local/cpu is its processor share in percent, local/mem its memory in bytes (class " + config.MonitoringClass + ")"
	}
	names := []string{
		"avg-rt", "avg-lt", "avg-ct", "stdev-rt", "p50", "p90", "p95", "p99", "hits", "succ", "fail", "rc5??", "bytes",
		"concurrency", "dropped", "achieved", "generator",
	}
	if hint := diag.DidYouMean(c.Subject, names); hint != "" {
		return hint
	}
	return "subjects are " + strings.Join(names, ", ")
}
