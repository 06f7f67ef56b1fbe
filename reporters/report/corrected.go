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
