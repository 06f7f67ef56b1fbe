package html

import (
	"time"

	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
)

// card is a headline figure.
type card struct{ Name, Value, Note, Class string }

func cards(d *Data, t *report.Totals) []card {
	total := t.Total
	rate, known := t.Rate(total)
	failed := card{"failed", report.Share(total.Failed, total.Finished), report.Thousands(total.Failed) + " requests", ""}
	switch {
	case total.Failed > 0:
		failed.Class = "bad"
	case total.Finished > 0:
		failed.Class = "good"
	}
	measured := "measured"
	if warm := t.RequestsWarm.Finished; warm > 0 {
		measured = "and " + report.Thousands(warm) + " of warm-up"
	}
	list := []card{
		{"requests", report.Thousands(total.Finished), measured, ""},
		failed,
		{"throughput", report.PerSecond(rate, known), "requests ended", ""},
	}
	if total.Response.Count > 0 {
		for _, level := range []struct {
			name, note string
			q          float64
		}{{"p50", "half were faster", 50}, {"p95", "1 in 20 was slower", 95}, {"p99", "1 in 100 was slower", 99}} {
			list = append(list, card{level.name + " response", report.Nanoseconds(total.Response.Quantile(level.q)), level.note, ""})
		}
		list = append(list, card{"slowest", report.Nanoseconds(float64(total.Response.Max)), "response time", ""})
	}
	if d.peakUsers > 0 {
		list = append(list, card{"users", report.Thousands(d.peakUsers), "alive at most", ""})
	}
	finished, dropped := t.Iterations.Finished-t.IterationsWarm.Finished, t.Iterations.Dropped-t.IterationsWarm.Dropped
	if finished > 0 || dropped > 0 {
		c := card{"iterations", report.Thousands(finished), "finished", ""}
		if dropped > 0 {
			c.Note, c.Class = report.Thousands(dropped)+" dropped", "bad"
		}
		list = append(list, c)
	}
	return append(list, card{"received", report.Bytes(total.BytesIn), "sent " + report.Bytes(total.BytesOut), ""})
}

// criterion is a rule with what was seen.
type criterion struct{ Word, Class, Text, Where, Message, Observed, Limit, Remark string }

func newCriteria(verdicts []criteria.Verdict) []criterion {
	var list []criterion
	for _, v := range verdicts {
		c := criterion{
			Word: "passed", Class: "good-text", Text: report.Clean(v.Text), Where: report.Clean(v.Rule.Execution),
			Message: report.Clean(v.Rule.Message), Observed: report.Clean(v.Observed), Limit: report.Clean(v.Limit),
		}
		if v.Rule.Assert != "" && v.Limit == v.Rule.Assert {
			c.Limit = "when it holds"
		}
		switch v.Result {
		case criteria.Failed:
			c.Word, c.Class = "failed", "bad-text"
		case criteria.Noticed:
			c.Word, c.Class = "noticed", "warn-text"
		case criteria.NotEvaluated:
			c.Word, c.Class, c.Remark = "not evaluated", "warn-text", report.Clean(v.Reason)
			if v.Fails {
				c.Class, c.Remark = "bad-text", c.Remark+"; counts as failed"
			}
		}
		if v.Windowed && (v.Result == criteria.Failed || v.Result == criteria.Noticed) {
			c.Remark = "from " + report.Clock(v.Since) + " on for " + v.Held.Round(time.Second).String()
		}
		if c.Observed == "" {
			c.Observed = "–"
		}
		list = append(list, c)
	}
	return list
}

// chip is a name with a number.
type chip struct{ Name, Value, Class string }

// newCodes counts answers by status.
func newCodes(t *report.Totals) []chip {
	var list []chip
	for _, code := range sortedCodes(t.Total) {
		c := chip{Name: statusName(code), Value: report.Thousands(t.Total.Codes[code])}
		switch {
		case code == 0 || code >= 500:
			c.Class = "bad-text"
		case code >= 400:
			c.Class = "warn-text"
		}
		list = append(list, c)
	}
	return list
}

// phase is a part of a request's time.
type phase struct {
	Name, Value, Class string
	Grow               float64
}

// phaseWords say to people what a phase is.
func phaseWords(p metrics.Phase) string {
	switch p {
	case metrics.PhaseDNS:
		return "name look-up"
	case metrics.PhaseTLS:
		return "TLS handshake"
	case metrics.PhaseSend:
		return "sending"
	case metrics.PhaseWait:
		return "waiting for the first byte"
	case metrics.PhaseReceive:
		return "receiving"
	}
	return "connecting"
}
