package web

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
)

// What a state holds at most, so that it stays small however long a run gets: labels (the busiest), failure texts and events.
const maxLabels, maxFaults, maxEvents = 100, 30, 100

// recentSeconds is what "now" means in figures.
const recentSeconds = 10

func cards(iv *metrics.Interval, snap *metrics.Snapshot, recent metrics.Recent) []card {
	total := snap.Total()
	users := int64(0)
	for i := range iv.Load {
		users += iv.Load[i].Users
	}
	failed := card{Name: "failed", Value: report.Share(total.Failed, total.Finished), Note: report.Thousands(total.Failed) + " requests"}
	switch {
	case total.Failed > 0:
		failed.Tone = "bad"
	case total.Finished > 0:
		failed.Tone = "good"
	}
	rate, known := snap.Rate(total)
	list := []card{
		{Name: "requests", Value: report.Thousands(total.Finished), Note: report.PerSecond(rate, known) + " so far"},
		{Name: "throughput now", Value: report.PerSecond(recent.Rate(recent.Total), true), Note: fmt.Sprintf("last %d s", recent.Seconds)},
		failed,
	}
	for _, q := range []float64{50, 95, 99} {
		c := card{Name: fmt.Sprintf("p%.0f response", q), Value: "–", Note: "no answer yet"}
		if total.Response.Count > 0 {
			c.Value, c.Note = report.Nanoseconds(total.Response.Quantile(q)), "now –"
		}
		if recent.Total.Response.Count > 0 {
			c.Note = "now " + report.Nanoseconds(recent.Total.Response.Quantile(q))
			if total.Response.Count == 0 {
				c.Note += ", warm-up"
			}
		}
		list = append(list, c)
	}
	list = append(list, card{Name: "users", Value: report.Thousands(users), Note: "alive"})
	if dropped := snap.IterationsOf(false).Dropped; dropped > 0 {
		list = append(list, card{Name: "dropped", Value: report.Thousands(dropped), Note: "iterations", Tone: "bad"})
	}
	return append(list, card{Name: "generator", Value: strconv.Itoa(int(math.Round(100*iv.Health.CPUShare))) + "%", Note: "CPU share"})
}

func executions(iv *metrics.Interval, paused map[string]bool) []execution {
	list := make([]execution, 0, len(iv.Load))
	for i := range iv.Load {
		l := &iv.Load[i]
		x := execution{Name: l.Execution, Open: l.Open, Paused: paused[l.Execution], Now: plural(l.Users, "user"), Level: strconv.FormatFloat(math.Round(l.Planned*100)/100, 'f', -1, 64)}
		x.Planned = "of " + x.Level
		if l.Open {
			x.Planned = "at " + x.Level + "/s"
		}
		list = append(list, x)
	}
	return list
}

// agentColumns are the heads of what [agents] gives.
func agentColumns() []string {
	return []string{"share", "users", "requests", "failed", "CPU", "lag p99"}
}

func agents(snap *metrics.Snapshot) (list []agent) {
	for _, a := range snap.Agents() {
		x := agent{Name: report.Clean(a.Name), Host: report.Clean(a.Host), State: a.State.String()}
		if a.State.Missing() {
			x.Tone = "bad"
			x.State += " since " + report.Clock(time.Duration(a.Since)*time.Second)
		}
		x.Cells = []string{
			criteria.Percent(100 * a.Share), report.Thousands(a.Users), report.Thousands(a.Finished), report.Share(a.Failed, a.Finished),
			criteria.Percent(math.Round(100 * a.CPUShare)), report.Nanoseconds(float64(a.SchedulerLagP99)),
		}
		list = append(list, x)
	}
	return list
}

func plural(n int64, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return report.Thousands(n) + " " + word + "s"
}

// labelColumns are the heads of what [labels] gives.
func labelColumns() []string {
	return []string{"count", "now", "failed", "mean", "p50", "p95", "p99", "max"}
}

func labels(snap *metrics.Snapshot, recent metrics.Recent) (list []label, note string) {
	type key struct {
		kind  metrics.Kind
		label string
	}
	now := map[key]*metrics.Row{}
	for _, row := range recent.Rows {
		now[key{row.Kind, row.Label}] = row
	}
	rows := snap.Rows()
	if hidden := len(rows) - maxLabels; hidden > 0 {
		slices.SortStableFunc(rows, func(a, b *metrics.Row) int { return cmp.Compare(b.Finished, a.Finished) })
		rows, note = rows[:maxLabels], fmt.Sprintf("%d labels with less traffic are not shown; the report has them", hidden)
	}
	for _, row := range rows {
		l := label{Name: report.Clean(row.Label), Failed: row.Failed > 0}
		if row.Kind != metrics.RequestKind {
			l.Kind = report.KindName(row.Kind)
		}
		rate := 0.0
		if r := now[key{row.Kind, row.Label}]; r != nil {
			rate = recent.Rate(r)
		}
		l.Cells = []string{report.Thousands(row.Finished), report.PerSecond(rate, true), report.Share(row.Failed, row.Finished)}
		if row.Response.Count == 0 {
			l.Cells = append(l.Cells, "–", "–", "–", "–", "–")
		} else {
			l.Cells = append(l.Cells, report.Nanoseconds(row.Response.Mean()))
			for _, q := range []float64{50, 95, 99} {
				l.Cells = append(l.Cells, report.Nanoseconds(row.Response.Quantile(q)))
			}
			l.Cells = append(l.Cells, report.Nanoseconds(float64(row.Response.Max)))
		}
		list = append(list, l)
	}
	return list, note
}

func faults(snap *metrics.Snapshot) (list []fault) {
	for _, e := range snap.Errors() {
		if len(list) == maxFaults {
			break
		}
		list = append(list, fault{Label: report.Clean(e.Label), Fault: e.Fault.String(), Code: e.Code, Count: report.Thousands(e.Count), Text: report.Clean(e.Text)})
	}
	return list
}

// rules tells of criteria; ended says that nothing more will come.
func rules(verdicts []criteria.Verdict, ended bool) (list []rule) {
	for _, v := range verdicts {
		r := rule{Text: report.Clean(v.Text), Observed: report.Clean(v.Observed), Limit: report.Clean(v.Limit), Progress: v.Progress, Word: "holds", Tone: "good"}
		if v.Rule.Message != "" {
			r.Text = report.Clean(v.Rule.Message) + " (" + r.Text + ")"
		}
		if ended {
			r.Word = "passed"
		}
		switch {
		case v.Result == criteria.Failed:
			r.Word, r.Tone = "failed", "bad"
		case v.Result == criteria.Noticed:
			r.Word, r.Tone = "noticed", "warn"
		case v.Result == criteria.NotEvaluated && v.Fails:
			r.Word, r.Tone = "not evaluated", "bad"
		case v.Result == criteria.NotEvaluated && ended:
			r.Word, r.Tone, r.Observed = "not evaluated", "", report.Clean(v.Reason)
		case v.Result == criteria.NotEvaluated:
			r.Word, r.Tone = "no data yet", ""
		case v.Progress > 0 && !ended:
			r.Word, r.Tone = "filling", "warn"
		}
		list = append(list, r)
	}
	return list
}

func happenings(snap *metrics.Snapshot) (list []happening) {
	events := snap.Events()
	for _, e := range slices.Backward(events[max(0, len(events)-maxEvents):]) {
		list = append(list, happening{At: report.Clock(time.Duration(e.At)), Kind: e.Kind, Text: report.Clean(e.Text)})
	}
	return list
}
