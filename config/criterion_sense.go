package config

import (
	"fmt"
	"strings"
	"time"

	"github.com/stacrun/stacrun/diag"
)

// doubt warns of a criterion that fails when all is well: "p95<500ms" fails every run whose p95 is good. Tools
// whose thresholds say what must hold (k6, Locust's checks) have taught people to write it so. Rules that only
// tell something ("as non-failed") are left alone, and so are counts that a run may need (hits<100, rc200<99%).
func (c *Criterion) doubt(sign phrase) *diag.Diagnostic {
	better, worse, opposite := "below", "above", ">"
	switch {
	case !c.Fail:
		return nil
	case c.lowIsGood():
		switch c.Condition {
		case "<", "<=":
		case "=":
			if c.Threshold != 0 || c.measure() == measureTime {
				return nil
			}
			better = "at"
		default:
			return nil
		}
	case c.highIsGood() && (c.Condition == ">" || c.Condition == ">="):
		better, worse, opposite = "above", "below", "<"
	default:
		return nil
	}
	other := *c
	other.Condition, other.Message = opposite, ""
	holds := ""
	if rule := c.holds(); rule != "" {
		holds = fmt.Sprintf(", or what must hold: \"assert: '%s'\"", rule)
	}
	var diags diag.List
	return diags.Warnf("criterion-sense", sign.pos, "", "this fails when %s is %s %s, which is good", c.Subject, better, c.limit()).
		WithHint("criteria say when a run fails: write %q to fail %s it%s", other.sentence(c.Subject), worse, holds)
}

// lowIsGood reports whether the subject counts what nobody wants.
func (c *Criterion) lowIsGood() bool {
	if code, ok := strings.CutPrefix(c.Subject, "rc"); ok {
		return code[0] == '4' || code[0] == '5'
	}
	return c.measure() == measureTime || c.Subject == "fail" || c.Subject == "dropped" || c.Subject == "generator"
}

// highIsGood reports whether the subject is a share that should be near to all.
func (c *Criterion) highIsGood() bool {
	return c.Percent && c.Threshold > 50 && !c.Baseline && (c.Subject == "succ" || c.Subject == "achieved" || strings.HasPrefix(c.Subject, "rc2"))
}

// measure is what the subject is counted in.
func (c *Criterion) measure() measure {
	if c.Class != "" {
		return measureAnything
	}
	s, _ := readSubject(phrase{text: c.Subject})
	return s.measure
}

// holds writes the sentence as an assert rule that must hold; "" when there is none that means the same.
func (c *Criterion) holds() string {
	if c.Baseline || c.Timeframe > 0 || c.Condition == "=" {
		return ""
	}
	name, arguments := c.Subject, []string(nil)
	switch ratio := map[bool]string{true: "_ratio"}[c.Percent]; {
	case strings.HasPrefix(name, "rc"):
		name, arguments = "rc"+ratio, []string{name[len("rc"):]}
	case name == "fail", name == "succ":
		name += ratio
	case name == "avg-rt":
		name = "avg"
	case name == "avg-lt":
		name = "latency"
	case name == "avg-ct":
		name = "connect"
	case name == "stdev-rt":
		name = "stdev"
	}
	if c.Label != "" {
		arguments = append(arguments, c.Label)
	}
	for i := range arguments {
		arguments[i] = fmt.Sprintf("%q", arguments[i])
	}
	limit := c.limit()
	if c.measure() == measureTime {
		limit = FormatDuration(time.Duration(c.Threshold*1e9 + 0.5))
	}
	return fmt.Sprintf("%s(%s) %s %s", name, strings.Join(arguments, ", "), c.Condition, limit)
}
