package report

import "github.com/stacrun/stacrun/metrics"

// Number is the distribution of a number that an extractor took out of answers, such as the time that they say they took inside the
// server, in its own unit.
type Number struct {
	Label string
	Name  string // of the variable that it is extracted to
	Count int64  // answers that had it

	Min, Mean, P50, P95, P99, Max float64
}

// Number gives the number that was taken out of the answers of a request label; false when there was none.
func (r *Run) Number(row *metrics.Row) (Number, bool) {
	s := &row.Metric
	if s.Count == 0 || row.Kind != metrics.RequestKind {
		return Number{}, false
	}
	const thousandths = 1000 // a metric is kept in thousandths of its unit
	return Number{
		Label: row.Label, Name: r.MetricName(row.Label), Count: s.Count, Min: float64(s.Min) / thousandths, Mean: s.Mean() / thousandths,
		P50: s.Quantile(50) / thousandths, P95: s.Quantile(95) / thousandths, P99: s.Quantile(99) / thousandths, Max: float64(s.Max) / thousandths,
	}, true
}

// Numbers lists the numbers of all labels.
func (t *Totals) Numbers(run *Run) []Number {
	var list []Number
	for _, row := range t.Labels {
		if n, ok := run.Number(row); ok {
			list = append(list, n)
		}
	}
	return list
}
