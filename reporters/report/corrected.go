package report

import "github.com/stacrun/stacrun/metrics"

// Corrected gives the response times of requests per label, "" being all of them, corrected by the intervals that executions say they
// expected (expected-interval); nil when none does. Requests of executions that do not say are left out.
func Corrected(run *Run, snap *metrics.Snapshot) map[string]*metrics.Histogram {
	var out map[string]*metrics.Histogram
	if snap == nil {
		return nil
	}
	for _, x := range run.Executions {
		if x.ExpectedInterval <= 0 {
			continue
		}
		if out == nil {
			out = map[string]*metrics.Histogram{"": {}}
		}
		for _, row := range snap.ExecutionRows() {
			if row.Execution != x.Name || row.Kind != metrics.RequestKind || row.WarmUp || row.Response.Histogram == nil {
				continue
			}
			corrected := row.Response.Histogram.Corrected(x.ExpectedInterval)
			if out[row.Label] == nil {
				out[row.Label] = &metrics.Histogram{}
			}
			out[row.Label].Merge(corrected)
			if row.Label != "" {
				out[""].Merge(corrected)
			}
		}
	}
	return out
}

// CorrectedLevels are the percentiles that are told of corrected response times. There is neither a mean nor a minimum: what the correction
// adds was not measured.
func CorrectedLevels() []float64 { return []float64{50, 90, 95, 99, 99.9, 100} }

// CorrectedRow is a label with its corrected percentiles, in ns, beside the measured ones.
type CorrectedRow struct {
	Label     string    // "": all requests
	Corrected []float64 // at CorrectedLevels
	Measured  []float64 // of the same label, of all executions
}

// CorrectedRows lists what [Corrected] gives, label by label and all requests last; nil when no execution says what it expected.
func (t *Totals) CorrectedRows(run *Run) []CorrectedRow {
	all := Corrected(run, t.snap)
	if all == nil {
		return nil
	}
	var rows []CorrectedRow
	add := func(label string, row *metrics.Row) {
		h := all[label]
		if h.Count() == 0 {
			return
		}
		out := CorrectedRow{Label: label}
		for _, q := range CorrectedLevels() {
			out.Corrected, out.Measured = append(out.Corrected, float64(h.Quantile(q))*1000), append(out.Measured, row.Response.Quantile(q))
		}
		rows = append(rows, out)
	}
	for _, row := range t.Labels {
		if row.Kind == metrics.RequestKind && row.Label != "" {
			add(row.Label, row)
		}
	}
	add("", t.Total)
	return rows
}
