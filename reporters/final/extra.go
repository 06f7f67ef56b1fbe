package final

import (
	"fmt"
	"strconv"

	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
)

// printCorrected writes the percentiles that a closed model would have shown, had its users not waited for slow answers.
func (f *Final) printCorrected(w *report.Writer, t *report.Totals, o *report.Outcome) {
	all := report.Corrected(&f.run, o.Snapshot)
	if all == nil {
		return
	}
	figures := func(h *metrics.Histogram) string {
		text := ""
		for _, q := range []float64{50, 90, 95, 99, 100} {
			text += ", p" + strconv.FormatFloat(q, 'f', -1, 64) + " " + report.Nanoseconds(float64(h.Quantile(q))*1000)
		}
		return text[2:]
	}
	w.Line("response times corrected by expected-interval (estimated, not measured)")
	for _, row := range t.Labels {
		if h := all[row.Label]; h != nil && row.Label != "" && row.Kind == metrics.RequestKind {
			w.Line("  ", report.Clean(row.Label), ": ", figures(h))
		}
	}
	w.Line("  total: ", figures(all[""]))
	w.Line()
}

// printMetrics writes the numbers that extractors took out of answers.
func (f *Final) printMetrics(w *report.Writer, t *report.Totals) {
	some := false
	for _, row := range t.Labels {
		s := &row.Metric
		if s.Count == 0 || row.Kind != metrics.RequestKind {
			continue
		}
		some = true
		name := f.run.MetricName(row.Label)
		number := func(thousandths float64) string { return strconv.FormatFloat(thousandths/1000, 'f', -1, 64) }
		w.Line(fmt.Sprintf("%s of %s: %d values, min %s, mean %.1f, p50 %s, p95 %s, p99 %s, max %s", report.Clean(name), report.Clean(row.Label), s.Count,
			number(float64(s.Min)), s.Mean()/1000, number(s.Quantile(50)), number(s.Quantile(95)), number(s.Quantile(99)), number(float64(s.Max))))
	}
	if some {
		w.Line()
	}
}
