package final

import (
	"fmt"
	"strconv"

	"github.com/stacrun/stacrun/reporters/report"
)

// printCorrected writes the percentiles that a closed model would have shown, had its users not waited for slow answers.
func (f *Final) printCorrected(w *report.Writer, t *report.Totals) {
	rows := t.CorrectedRows(&f.run)
	if rows == nil {
		return
	}
	w.Line("response times corrected by expected-interval (estimated, not measured)")
	for _, row := range rows {
		text := ""
		for i, q := range report.CorrectedLevels() {
			if q != 99.9 { // the line is long enough
				text += ", p" + strconv.FormatFloat(q, 'f', -1, 64) + " " + report.Nanoseconds(row.Corrected[i])
			}
		}
		label := report.Clean(row.Label)
		if row.Label == "" {
			label = "total"
		}
		w.Line("  ", label, ": ", text[2:])
	}
	w.Line()
}

// printMetrics writes the numbers that extractors took out of answers.
func (f *Final) printMetrics(w *report.Writer, t *report.Totals) {
	list := t.Numbers(&f.run)
	for _, n := range list {
		number := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
		w.Line(fmt.Sprintf("%s of %s: %d values, min %s, mean %.1f, p50 %s, p95 %s, p99 %s, max %s", report.Clean(n.Name), report.Clean(n.Label), n.Count,
			number(n.Min), n.Mean, number(n.P50), number(n.P95), number(n.P99), number(n.Max)))
	}
	if len(list) > 0 {
		w.Line()
	}
}
