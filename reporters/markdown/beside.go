package markdown

import (
	"strconv"

	"github.com/stacrun/stacrun/reporters/report"
)

// writeBeside writes what stands beside the times that were measured: numbers that answers hold, and corrected times.
func writeBeside(out *report.Writer, run report.Run, t *report.Totals) {
	if numbers := t.Numbers(&run); len(numbers) > 0 {
		var rows [][]string
		for _, n := range numbers[:min(len(numbers), maxLabels)] {
			row := []string{name(n.Label), escape(n.Name), strconv.FormatInt(n.Count, 10)}
			for _, v := range []float64{n.Min, n.Mean, n.P50, n.P95, n.P99, n.Max} {
				row = append(row, strconv.FormatFloat(v, 'g', 6, 64))
			}
			rows = append(rows, row)
		}
		out.Line("### Numbers that answers hold")
		out.Line()
		table(out, []string{"label", "number", "answers", "min", "mean", "p50", "p95", "p99", "max"}, 2, rows)
	}
	corrected := t.CorrectedRows(&run)
	if len(corrected) == 0 {
		return
	}
	titles := []string{"label"}
	for _, q := range report.CorrectedLevels() {
		title := "p" + strconv.FormatFloat(q, 'f', -1, 64)
		if q == 100 {
			title = "max"
		}
		titles = append(titles, title)
	}
	var rows [][]string
	for i, c := range corrected {
		if i >= maxLabels && c.Label != "" {
			continue
		}
		row := []string{name(c.Label)}
		if c.Label == "" {
			row[0] = "**all requests**"
		}
		for _, ns := range c.Corrected {
			row = append(row, report.Nanoseconds(ns))
		}
		rows = append(rows, row)
	}
	out.Line("### Response times corrected by expected-interval (estimated, not measured)")
	out.Line()
	table(out, titles, 1, rows)
}

// name writes a label.
func name(label string) string {
	if text := escape(label); text != "" {
		return text
	}
	return "\\[empty\\]"
}
