package csv

import (
	"strconv"

	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
)

// levels are the percentiles of response and service time.
func levels() []float64 { return []float64{50, 90, 95, 99, 99.9} }

// columns are the names of what [cells] gives; times are in milliseconds, sizes in bytes.
func columns() []string {
	names := []string{
		"kind", "label", "count", "failures", "interrupted", "rate_per_s", "exchanges", "bytes_sent", "bytes_received",
	}
	for _, series := range []string{"response", "service"} {
		names = append(names, series+"_min_ms", series+"_mean_ms", series+"_stdev_ms")
		for _, q := range levels() {
			names = append(names, series+"_p"+strconv.FormatFloat(q, 'f', -1, 64)+"_ms")
		}
		names = append(names, series+"_max_ms")
	}
	return append(names, "first_byte_mean_ms", "connect_mean_ms", "connections")
}

// totalCells are the figures of a row of the whole run.
func totalCells(t *report.Totals, row *metrics.Row) []string {
	perSecond, known := t.Rate(row)
	return cells(row, perSecond, known)
}

// cells are the figures of a row; what was not measured stays empty.
func cells(row *metrics.Row, perSecond float64, known bool) []string {
	whole := func(n int64) string { return strconv.FormatInt(n, 10) }
	rate := ""
	if known {
		rate = strconv.FormatFloat(perSecond, 'f', 3, 64)
	}
	out := []string{
		report.KindName(row.Kind), row.Label, whole(row.Finished), whole(row.Failed), whole(row.Interrupted), rate,
		whole(row.Exchanges), whole(row.BytesOut), whole(row.BytesIn),
	}
	out = append(append(out, times(&row.Response)...), times(&row.Service)...)
	return append(out, mean(&row.Latency), mean(&row.Connect), whole(row.Connect.Count))
}

func times(s *metrics.Series) []string {
	if s.Count == 0 {
		return make([]string, 4+len(levels()))
	}
	out := []string{milliseconds(float64(s.Min)), milliseconds(s.Mean()), milliseconds(s.Stdev())}
	for _, q := range levels() {
		out = append(out, milliseconds(s.Quantile(q)))
	}
	return append(out, milliseconds(float64(s.Max)))
}

func mean(s *metrics.Series) string {
	if s.Count == 0 {
		return ""
	}
	return milliseconds(s.Mean())
}

// numberColumns are those of a number that extractors take out of answers, in its own unit.
func numberColumns() []string {
	return []string{"metric", "metric_count", "metric_min", "metric_mean", "metric_p50", "metric_p95", "metric_p99", "metric_max"}
}

func numberCells(run *report.Run, row *metrics.Row) []string {
	n, ok := run.Number(row)
	if !ok {
		return make([]string, len(numberColumns()))
	}
	out := []string{n.Name, strconv.FormatInt(n.Count, 10)}
	for _, v := range []float64{n.Min, n.Mean, n.P50, n.P95, n.P99, n.Max} {
		out = append(out, strconv.FormatFloat(v, 'f', 3, 64))
	}
	return out
}

// correctedColumns are those of the response times that expected-interval corrects: estimated, not measured.
func correctedColumns() []string {
	var names []string
	for _, q := range report.CorrectedLevels() {
		name := "corrected_p" + strconv.FormatFloat(q, 'f', -1, 64) + "_ms"
		if q == 100 {
			name = "corrected_max_ms"
		}
		names = append(names, name)
	}
	return names
}

func correctedCells(rows []report.CorrectedRow, label string) []string {
	for _, row := range rows {
		if row.Label == label {
			var out []string
			for _, ns := range row.Corrected {
				out = append(out, milliseconds(ns))
			}
			return out
		}
	}
	return make([]string, len(report.CorrectedLevels()))
}

// milliseconds writes ns as milliseconds down to the microsecond.
func milliseconds(ns float64) string { return strconv.FormatFloat(ns/1e6, 'f', 3, 64) }
