package markdown

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
)

// Long lists are cut: a comment on GitHub holds 65,536 characters.
const (
	maxLabels  = 100
	maxFaults  = 30
	foldLabels = 15 // from so many labels on, their table is folded away
)

// Write writes the run in GitHub's Markdown, which GitLab reads as well.
func Write(w io.Writer, run report.Run, o *report.Outcome) error {
	out := &report.Writer{W: w}
	t := report.NewTotals(o.Snapshot)
	title := escape(run.Name)
	if title == "" {
		title = "Load test"
	}
	out.Line("## ", sign(o.Result), " ", title, ": ", string(o.Result))
	out.Line()
	if o.Reason != "" {
		out.Line(escape(o.Reason))
		out.Line()
	}
	for _, e := range o.Errors {
		out.Line("> **Error:** ", escape(e))
		out.Line()
	}
	if t.Health.Bottleneck {
		out.Line("> **The generator was the bottleneck**, so the times are not the target's alone: ", escape(t.Health.Reason))
		out.Line()
	}
	if err := t.Reconcile(); err != nil {
		out.Line("> **Part of the results is missing:** ", escape(err.Error()))
		out.Line()
	}
	for _, text := range o.Notices {
		out.Line("> Note: ", escape(text))
		out.Line()
	}
	writeFigures(out, t, o)
	writeCriteria(out, o.Verdicts)
	writeLabels(out, t)
	writeBeside(out, run, t)
	writeFaults(out, t)
	writeFoot(out, run, t)
	return out.Err
}

func sign(r report.Result) string {
	switch r {
	case report.ResultPassed:
		return "✅"
	case report.ResultInterrupted:
		return "⏹️"
	}
	return "❌"
}

func writeFigures(out *report.Writer, t *report.Totals, o *report.Outcome) {
	row := t.Total
	rate, known := t.Rate(row)
	table(out, []string{"requests", "failed", "rate", "p50", "p95", "p99", "max", "duration"}, 0, [][]string{{
		strconv.FormatInt(row.Finished, 10), failures(row), report.PerSecond(rate, known),
		quantile(row, 50), quantile(row, 95), quantile(row, 99), quantile(row, 100), report.Nanoseconds(float64(o.Duration)),
	}})
}

func failures(row *metrics.Row) string {
	if row.Failed == 0 {
		return "0"
	}
	return fmt.Sprintf("%d (%s)", row.Failed, escape(report.Share(row.Failed, row.Finished)))
}

func quantile(row *metrics.Row, q float64) string {
	if row.Response.Count == 0 {
		return "-"
	}
	return report.Nanoseconds(row.Response.Quantile(q))
}

func writeCriteria(out *report.Writer, verdicts []criteria.Verdict) {
	if len(verdicts) == 0 {
		return
	}
	var rows [][]string
	for _, v := range verdicts {
		text := code(v.Text)
		if v.Rule.Message != "" {
			text = escape(v.Rule.Message) + ": " + text
		}
		if v.Rule.Execution != "" {
			text += " in " + escape(v.Rule.Execution)
		}
		limit := escape(v.Limit)
		if v.Rule.Assert != "" && v.Limit == v.Rule.Assert {
			limit = "it holds"
		}
		rows = append(rows, []string{verdict(v), text, orDash(escape(v.Observed)), orDash(limit), remark(v)})
	}
	out.Line("### Criteria")
	out.Line()
	table(out, []string{"", "rule", "observed", "passes", ""}, 2, rows)
}

func verdict(v criteria.Verdict) string {
	switch {
	case v.Result == criteria.NotEvaluated && v.Fails:
		return "❌ not evaluated"
	case v.Result == criteria.NotEvaluated:
		return "➖ not evaluated"
	case v.Result == criteria.Failed:
		return "❌ failed"
	case v.Result == criteria.Noticed:
		return "⚠️ noticed"
	}
	return "✅ passed"
}

func remark(v criteria.Verdict) string {
	switch {
	case v.Result == criteria.NotEvaluated:
		return escape(v.Reason)
	case v.Windowed && (v.Result == criteria.Failed || v.Result == criteria.Noticed):
		return "from " + report.Clock(v.Since) + " on for " + v.Held.Round(time.Second).String()
	}
	return ""
}

func writeLabels(out *report.Writer, t *report.Totals) {
	if len(t.Labels) == 0 {
		return
	}
	shown := t.Labels
	if len(shown) > maxLabels {
		shown = slices.Clone(shown)
		slices.SortStableFunc(shown, func(a, b *metrics.Row) int { return cmp.Compare(b.Finished, a.Finished) })
		shown = shown[:maxLabels]
	}
	var rows [][]string
	for _, row := range shown {
		rows = append(rows, labelRow(t, row, labelName(row)))
	}
	rows = append(rows, labelRow(t, t.Total, "**all requests**"))
	fold := len(shown) > foldLabels
	if fold {
		out.Line("<details><summary>", strconv.Itoa(len(t.Labels)), " labels</summary>")
	} else {
		out.Line("### Labels")
	}
	out.Line()
	table(out, []string{"label", "count", "failed", "rate", "mean", "p50", "p95", "p99", "max"}, 1, rows)
	if len(t.Labels) > len(shown) {
		out.Line("The ", strconv.Itoa(len(shown)), " busiest of ", strconv.Itoa(len(t.Labels)), " labels.")
		out.Line()
	}
	if fold {
		out.Line("</details>")
		out.Line()
	}
}

func labelName(row *metrics.Row) string {
	if row.Kind != metrics.RequestKind {
		return name(row.Label) + " (" + report.KindName(row.Kind) + ")"
	}
	return name(row.Label)
}

func labelRow(t *report.Totals, row *metrics.Row, name string) []string {
	rate, known := t.Rate(row)
	mean := "-"
	if row.Response.Count > 0 {
		mean = report.Nanoseconds(row.Response.Mean())
	}
	return []string{
		name, strconv.FormatInt(row.Finished, 10), failures(row), report.PerSecond(rate, known), mean,
		quantile(row, 50), quantile(row, 95), quantile(row, 99), quantile(row, 100),
	}
}

func writeFaults(out *report.Writer, t *report.Totals) {
	type fault struct {
		label string
		kind  metrics.Fault
		count int64
		row   *metrics.Row
	}
	var list []fault
	for _, row := range t.Labels {
		if row.Kind == metrics.IterationKind {
			continue // what failed inside it is listed under its own label
		}
		for f, n := range row.Faults {
			if n > 0 && metrics.Fault(f) != metrics.NoFault {
				list = append(list, fault{row.Label, metrics.Fault(f), n, row})
			}
		}
	}
	if len(list) == 0 {
		return
	}
	slices.SortStableFunc(list, func(a, b fault) int { return cmp.Compare(b.count, a.count) })
	var rows [][]string
	for _, f := range list[:min(len(list), maxFaults)] {
		example := ""
		if text := t.Example(f.label, f.kind); text != "" {
			example = code(text)
		}
		rows = append(rows, []string{labelName(f.row), f.kind.String(), strconv.FormatInt(f.count, 10), escape(report.Share(f.count, f.row.Finished)), example})
	}
	out.Line("### Failures")
	out.Line()
	table(out, []string{"label", "failure", "count", "of the label", "example"}, 2, rows)
	if len(list) > maxFaults {
		out.Line("The ", strconv.Itoa(maxFaults), " most frequent of ", strconv.Itoa(len(list)), ".")
		out.Line()
	}
}

func writeFoot(out *report.Writer, run report.Run, t *report.Totals) {
	i, r := t.Iterations, t.Requests
	line := fmt.Sprintf("iterations: %d scheduled = %d started + %d dropped; requests: %d started = %d finished + %d interrupted",
		i.Scheduled, i.Started, i.Dropped, r.Started, r.Finished, r.Interrupted)
	if i, r := t.IterationsWarm, t.RequestsWarm; i.Scheduled > 0 || r.Started > 0 {
		line += fmt.Sprintf("; of them warm-up, in no other figure: %d iterations (%d dropped), %d requests (%d finished)", i.Scheduled, i.Dropped, r.Started, r.Finished)
	}
	out.Line("<sub>", line, "; times are response times; seed ", strconv.FormatUint(run.Seed, 10), "; stacrun ", escape(run.Version), "</sub>")
}

// table writes a table whose first columns hold texts, and all further ones figures at the right
// unless their title is empty or "example".
func table(out *report.Writer, titles []string, texts int, rows [][]string) {
	line := func(cells []string) { out.Line("| ", strings.Join(cells, " | "), " |") }
	line(titles)
	rules := make([]string, len(titles))
	for i, title := range titles {
		rules[i] = "---:"
		if i < texts || title == "" || title == "example" {
			rules[i] = "---"
		}
	}
	line(rules)
	for _, row := range rows {
		line(row)
	}
	out.Line()
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
