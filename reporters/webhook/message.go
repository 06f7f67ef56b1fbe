package webhook

import (
	"strconv"
	"strings"
	"time"

	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
)

// Message is what is posted as JSON.
type Message struct {
	Event    string        `json:"event"` // end, criterion
	Text     string        `json:"text"`  // everything in words
	Name     string        `json:"name"`
	Started  string        `json:"started"` // RFC 3339
	Outcome  string        `json:"outcome"` // passed, failed, interrupted, error; "" while the run goes on
	ExitCode *int          `json:"exit_code"`
	Reason   string        `json:"reason"`
	ElapsedS float64       `json:"elapsed_s"` // until the criterion triggered, or the measured time
	Requests *Requests     `json:"requests"`  // null while the run goes on
	Criteria []CriterionOf `json:"criteria"`  // those that failed, or the one that triggered
	Version  string        `json:"version"`
}

// Requests are the headline figures, warm-up left out; times are response times in milliseconds.
type Requests struct {
	Finished int64    `json:"finished"`
	Failed   int64    `json:"failed"`
	Rate     *float64 `json:"rate"` // per second; null when the run was too short to tell
	P50      float64  `json:"p50_ms"`
	P95      float64  `json:"p95_ms"`
	P99      float64  `json:"p99_ms"`
}

// CriterionOf is a criterion in a [Message].
type CriterionOf struct {
	Text     string `json:"text"`
	Result   string `json:"result"` // failed, noticed, not-evaluated
	Observed string `json:"observed"`
	Limit    string `json:"limit"`
	Message  string `json:"message"`
}

func newMessage(run report.Run, event string) *Message {
	return &Message{
		Event: event, Name: run.Name, Started: run.Started.Format(time.RFC3339Nano), Version: run.Version, Criteria: []CriterionOf{},
	}
}

func (m *Message) add(v criteria.Verdict) {
	m.Criteria = append(m.Criteria, CriterionOf{
		Text: v.Text, Result: string(v.Result), Observed: v.Observed, Limit: v.Limit, Message: v.Rule.Message,
	})
}

func newTriggered(run report.Run, v criteria.Verdict, elapsed time.Duration) *Message {
	m := newMessage(run, Criterion)
	m.ElapsedS = elapsed.Seconds()
	m.add(v)
	m.Text = run.Name + ": criterion triggered after " + report.Clock(elapsed) + "\n" + m.Criteria[0].sentence()
	return m
}

func newEnded(run report.Run, o *report.Outcome) *Message {
	m := newMessage(run, End)
	m.Outcome, m.ExitCode, m.Reason, m.ElapsedS = string(o.Result), &o.ExitCode, o.Reason, o.Duration.Seconds()
	totals := report.NewTotals(o.Snapshot)
	row := totals.Total
	m.Requests = &Requests{
		Finished: row.Finished, Failed: row.Failed,
		P50: milliseconds(row, 50), P95: milliseconds(row, 95), P99: milliseconds(row, 99),
	}
	rate, known := totals.Rate(row)
	if known {
		m.Requests.Rate = &rate
	}
	for _, v := range o.Verdicts {
		if v.Fails || v.Result == criteria.Noticed {
			m.add(v)
		}
	}
	lines := []string{run.Name + ": " + m.Outcome}
	if o.Reason != "" {
		lines[0] += ", " + o.Reason
	}
	if row.Finished > 0 {
		lines = append(lines, strconv.FormatInt(row.Finished, 10)+" requests in "+report.Clock(o.Duration)+
			" ("+report.PerSecond(rate, known)+"), "+report.Share(row.Failed, row.Finished)+" failed, p50 "+
			report.Nanoseconds(row.Response.Quantile(50))+", p95 "+report.Nanoseconds(row.Response.Quantile(95))+
			", p99 "+report.Nanoseconds(row.Response.Quantile(99)))
	}
	for _, c := range m.Criteria {
		lines = append(lines, c.sentence())
	}
	m.Text = strings.Join(lines, "\n")
	return m
}

func milliseconds(row *metrics.Row, level float64) float64 { return row.Response.Quantile(level) / 1e6 }

func (c *CriterionOf) sentence() string {
	text := strings.ReplaceAll(c.Result, "-", " ") + ": " + report.Clean(c.Text)
	if c.Message != "" {
		text = strings.ReplaceAll(c.Result, "-", " ") + ": " + report.Clean(c.Message) + " (" + report.Clean(c.Text) + ")"
	}
	if c.Observed != "" {
		text += ", observed " + c.Observed
	}
	if c.Limit != "" {
		text += ", limit " + c.Limit
	}
	return text
}

// slack writes the text for Slack: the three characters of its own markup are escaped, the first
// line is bold, the others are a list.
func (m *Message) slack() string {
	lines := strings.Split(strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(m.Text), "\n")
	mark := ":warning:"
	switch {
	case m.Outcome == string(report.ResultPassed):
		mark = ":white_check_mark:"
	case m.Outcome != "":
		mark = ":x:"
	}
	lines[0] = mark + " *" + strings.ReplaceAll(lines[0], "*", "∗") + "*"
	for i := 1; i < len(lines); i++ {
		lines[i] = "• " + lines[i]
	}
	return strings.Join(lines, "\n")
}
