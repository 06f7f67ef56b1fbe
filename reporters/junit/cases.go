package junit

import (
	"fmt"
	"strings"
	"time"

	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
)

// labels makes one case per label; its time is the mean response time.
func (j *JUnit) labels(o *report.Outcome) *suite {
	s := j.suite("sample_labels", o)
	totals := report.NewTotals(o.Snapshot)
	for _, row := range totals.Labels {
		if row.Kind != metrics.RequestKind && row.Kind != metrics.TransactionKind {
			continue
		}
		name := row.Label
		if name == "" {
			name = "[empty]"
		}
		t := &test{Class: j.class(report.KindName(row.Kind)), Name: name, Time: seconds(time.Duration(row.Response.Mean()))}
		t.Error = faults(row, totals, true)
		t.Failure = faults(row, totals, false)
		s.add(t)
	}
	return s
}

// faults sums up the faults of a label of one sort: those of the transport, where no whole answer
// came, or those of an answer that was not the wanted one.
func faults(row *metrics.Row, totals *report.Totals, transport bool) *problem {
	var lines []string
	var kinds []string
	var count int64
	for i, n := range row.Faults {
		f := metrics.Fault(i)
		if n == 0 || f == metrics.NoFault || isTransport(f) != transport {
			continue
		}
		count += n
		kinds = append(kinds, f.String())
		lines = append(lines, texts(row.Label, f, n, totals)...)
	}
	if count == 0 {
		if !transport && row.Failed > 0 && allFaults(row) == 0 { // a transaction fails through its children
			message := fmt.Sprintf("%d of %d failed", row.Failed, row.Finished)
			return &problem{Message: message, Type: "failed", Text: message}
		}
		return nil
	}
	return &problem{
		Message: fmt.Sprintf("%d of %d failed: %s", count, row.Finished, strings.Join(kinds, ", ")),
		Type:    kinds[0], Text: strings.Join(lines, "\n"),
	}
}

// texts lists the distinct messages of a fault with their counts, and what has no message kept.
func texts(label string, f metrics.Fault, n int64, totals *report.Totals) []string {
	var lines []string
	for _, e := range totals.Errors {
		if e.Label != label || e.Fault != f || e.WarmUp {
			continue
		}
		line := fmt.Sprintf("%d × %s: %s", e.Count, f, e.Text)
		if e.Code != 0 {
			line += fmt.Sprintf(" (status %d)", e.Code)
		}
		lines = append(lines, line)
		n -= e.Count
	}
	if n > 0 {
		lines = append(lines, fmt.Sprintf("%d × %s", n, f))
	}
	return lines
}

func isTransport(f metrics.Fault) bool {
	return f != metrics.FaultStatus && f != metrics.FaultAssertion && f != metrics.FaultExtraction
}

func allFaults(row *metrics.Row) int64 {
	var n int64
	for _, count := range row.Faults {
		n += count
	}
	return n
}

// criteria makes one case per criterion.
func (j *JUnit) criteria(o *report.Outcome) *suite {
	s := j.suite("pass_fail", o)
	for _, v := range o.Verdicts {
		name := v.Text
		if v.Rule.Message != "" {
			name = v.Rule.Message + ": " + name
		}
		if v.Rule.Execution != "" {
			name += " in " + v.Rule.Execution
		}
		t := &test{Class: j.class("criteria"), Name: name, Time: seconds(v.Held)}
		switch {
		case v.Fails && v.Result == criteria.NotEvaluated:
			t.Failure = &problem{Message: "not evaluated: " + v.Reason, Type: "pass/fail criterion not evaluated", Text: v.Reason}
		case v.Fails:
			message := fmt.Sprintf("observed %s, limit %s", v.Observed, v.Limit)
			t.Failure = &problem{Message: message, Type: "pass/fail criterion triggered", Text: text(v, message)}
		case v.Result == criteria.NotEvaluated:
			t.Skipped = &skipped{Message: v.Reason}
		case v.Result == criteria.Noticed:
			t.Out = fmt.Sprintf("triggered, as non-failed: observed %s, limit %s", v.Observed, v.Limit)
		case v.Observed != "":
			t.Out = fmt.Sprintf("observed %s, limit %s", v.Observed, v.Limit)
		}
		s.add(t)
	}
	return s
}

func text(v criteria.Verdict, message string) string {
	if v.Windowed {
		message += fmt.Sprintf("\nfrom %s after the start on, for %s", v.Since, v.Held)
	}
	if v.Rule.Pos.Known() {
		message += "\n" + v.Rule.Pos.String()
	}
	return message
}
