package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/stacrun/stacrun/diag"
)

// measure is what a subject is counted in.
type measure uint8

const (
	measureTime     measure = iota // seconds
	measureCount                   // a number
	measureShare                   // a number, or a share in percent
	measurePercent                 // a percent number, with or without its sign
	measureBytes                   // bytes
	measureAnything                // monitoring: a number, a size or a share
)

// subject is a known subject of a criterion.
type subject struct {
	name    string // canonical: "failures" is "fail"
	written string
	measure measure
}

// subjectNames is what suggestions are made from.
var subjectNames = []string{
	"avg-rt", "avg-lt", "avg-ct", "stdev-rt", "p50", "p90", "p95", "p99", "p99.9",
	"hits", "succ", "fail", "rc5??", "rc404", "bytes", "concurrency", "dropped", "achieved", "generator",
}

const subjectHint = "known subjects: avg-rt, avg-lt, avg-ct, stdev-rt, pN (such as p95 or p99.9), hits, succ, fail, rcXXX (such as rc5??), bytes, concurrency, dropped, achieved, generator"

// readSubject finds out what a criterion speaks about.
func readSubject(p phrase) (subject, *diag.Diagnostic) {
	about, err := ParseSubject(p.text, "")
	s := subject{name: about.Name, written: p.text, measure: about.measure()}
	switch {
	case err != nil:
		return s, unknownSubject(p)
	case about.Kind == SubjectCode && impossibleStatus(about.Codes):
		var list diag.List
		d := list.Errorf("criterion", p.sub(len("rc"), len(p.text)).pos, "", "no answer has the status %q", p.text[len("rc"):])
		d.Length = len(about.Codes)
		return s, d.WithHint("a status has three digits, such as rc503; rc5?? stands for all from 500 to 599")
	}
	return s, nil
}

// measure is what the subject is counted in.
func (s Subject) measure() measure {
	switch s.Kind {
	case SubjectAvgRT, SubjectAvgLT, SubjectAvgCT, SubjectStdevRT, SubjectPercentile:
		return measureTime
	case SubjectSucc, SubjectFail, SubjectCode, SubjectGenerator:
		return measureShare
	case SubjectAchieved:
		return measurePercent
	case SubjectBytes:
		return measureBytes
	case SubjectProcessor, SubjectMemory:
		return measureAnything
	}
	return measureCount
}

// impossibleStatus reports whether a pattern of digits and ? can match no status, which has three digits.
func impossibleStatus(pattern string) bool {
	return strings.Trim(pattern, "0123456789?") == "" && (len(pattern) != 3 || pattern[0] == '0')
}

func isPercentile(name string) bool {
	_, ok := percentileLevel(name)
	return ok
}

func unknownSubject(p phrase) *diag.Diagnostic {
	var diags diag.List
	if p.text == "" {
		return diags.Errorf("criterion", p.pos, "", "the criterion does not begin with a subject").WithHint("%s", criterionHint)
	}
	d := diags.Errorf("criterion", p.pos, "", "unknown subject %q", p.text)
	d.Length = len(p.text)
	lower := strings.ToLower(p.text)
	if digits := strings.Trim(lower, "abcdefghijklmnopqrstuvwxyz-_?*"); strings.HasPrefix(lower, "p") && isPercentile("p"+digits) {
		return d.WithHint("did you mean %q?", "p"+digits)
	}
	if strings.HasPrefix(lower, "p") && strings.Trim(lower[1:], "0123456789.") == "" && len(lower) > 1 {
		return d.WithHint("a percentile lies between p0 and p100")
	}
	if hint := otherSubject(lower); hint != "" {
		return d.WithHint("%s", hint)
	}
	return d.WithHint("%s", orElse(diag.DidYouMean(p.text, subjectNames), subjectHint))
}

// otherSubject says what a subject of other tools is called here, "" for none.
func otherSubject(name string) string {
	switch strings.NewReplacer("_", "-", "http-req-", "").Replace(name) {
	case "error", "errors", "error-rate", "ko", "failed":
		return `did you mean "fail"? fail>1% is a share, fail>10 a number`
	case "avg", "average", "mean", "rt", "response-time", "duration", "latency", "time":
		return `did you mean "avg-rt"? avg-lt is the time to the first byte`
	case "ttfb", "first-byte", "waiting":
		return `did you mean "avg-lt"?`
	case "connect", "connecting", "connect-time":
		return `did you mean "avg-ct"?`
	case "max", "maximum":
		return `did you mean "p100"?`
	case "min", "minimum":
		return `did you mean "p0"?`
	case "median", "med":
		return `did you mean "p50"?`
	case "stdev", "stddev", "std":
		return `did you mean "stdev-rt"?`
	case "rps", "throughput", "qps", "tps", "rate", "requests", "count":
		return `write "hits<100 over 1s" to fail when fewer than 100 requests a second end, or "assert: 'rate() >= 100'"`
	case "users", "vus", "threads":
		return `did you mean "concurrency"?`
	case "status", "code", "rc", "http-code":
		return `write the status behind rc, such as rc503>0 or rc5??>1%`
	}
	return ""
}

// readThreshold reads the limit in the measure of its subject.
func (c *Criterion) readThreshold(s subject, p phrase) *diag.Diagnostic {
	var diags diag.List
	if p.text == "" {
		return diags.Errorf("criterion", p.pos, "", "the threshold after %q is missing", c.Condition).WithHint("%s", thresholdHint(s))
	}
	if share, ok := strings.CutSuffix(p.text, "baseline"); ok {
		return c.readBaseline(s, p.sub(0, len(share)).trim())
	}
	var err error
	if strings.HasSuffix(p.text, "%") {
		if s.measure == measureShare || s.measure == measurePercent || s.measure == measureAnything {
			c.Percent = true
			if c.Threshold, err = ParsePercent(p.text); err != nil {
				return unitProblem(&diags, p.pos, "", err)
			}
			if s.measure == measureShare && c.Threshold > 100 {
				return diags.Errorf("criterion", p.pos, "", "a share of %s cannot be reached", p.text).WithHint("write a percentage from 0%% to 100%%")
			}
			return nil
		}
		return diags.Errorf("criterion", p.pos, "", "%s has no percentage, got %q", s.written, p.text).WithHint("%s", thresholdHint(s))
	}
	switch s.measure {
	case measureTime:
		var d time.Duration
		d, err = ParseDuration(p.text)
		c.Threshold = d.Seconds()
	case measureBytes:
		var n int64
		n, err = ParseSize(p.text)
		c.Threshold = float64(n)
	case measurePercent:
		c.Percent = true
		c.Threshold, err = parseCount(p.text)
	case measureAnything:
		if c.Threshold, err = parseCount(p.text); err != nil {
			var n int64
			n, err = ParseSize(p.text)
			c.Threshold = float64(n)
		}
	default:
		c.Threshold, err = parseCount(p.text)
	}
	if err == nil {
		return nil
	}
	if bad := badTail(p); bad != nil {
		return bad
	}
	return unitProblem(&diags, p.pos, "", err).WithHint("%s", thresholdHint(s))
}

// readBaseline reads the share of "110% baseline".
func (c *Criterion) readBaseline(s subject, p phrase) *diag.Diagnostic {
	var diags diag.List
	c.Baseline, c.Percent = true, true
	share, err := ParsePercent(p.text)
	if err != nil {
		return unitProblem(&diags, p.pos, "", err).WithHint("write the share of the baseline's value, such as \"%s>110%% baseline\"", s.written)
	}
	c.Threshold = share
	return nil
}

// parseCount reads a plain number of at least 0.
func parseCount(text string) (float64, error) {
	number, end := scanNumber(text, 0)
	fail := func(offset int, reason string) (float64, error) {
		return 0, &UnitError{Kind: "number", Text: text, Offset: offset, Reason: reason}
	}
	if end == 0 {
		return fail(0, noNumber(text, 0))
	}
	if end < len(text) {
		return fail(end, fmt.Sprintf("unexpected %q", junk(text, end)))
	}
	n, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return fail(0, "it is too large")
	}
	return n, nil
}

func thresholdHint(s subject) string {
	switch s.measure {
	case measureTime:
		return s.written + " is a time: write one such as 250ms or 1.5s"
	case measureBytes:
		return s.written + " is a number of bytes: write one such as 500, 64k or 10m"
	case measureShare:
		return s.written + " is a number or a share: write one such as 10 or 5%"
	case measurePercent:
		return s.written + " is a percentage: write one such as 95%"
	case measureAnything:
		return "write a percentage such as 80%"
	}
	return s.written + " is a number: write one such as 100"
}

// limit writes the threshold so that it reads back to the same value.
func (c *Criterion) limit() string {
	number := strconv.FormatFloat(c.Threshold, 'f', -1, 64)
	switch {
	case c.Baseline:
		return number + "% baseline"
	case c.Percent:
		return number + "%"
	}
	if s, problem := readSubject(phrase{text: c.Subject}); problem == nil {
		switch s.measure {
		case measureTime:
			return FormatDuration(time.Duration(c.Threshold*1e9 + 0.5))
		case measureBytes:
			return FormatSize(int64(c.Threshold))
		}
	}
	return number
}
