package stats

import (
	"slices"

	"github.com/stacrun/stacrun/metrics"
)

// Selection names a label's row in intervals.
type Selection struct {
	Execution string       // "" : all
	Label     string       // "" : all of the kind
	Kind      metrics.Kind //
}

// Rows returns one row per second, from the first second in which the selection has measured samples to the last one; seconds without
// a sample between them are empty rows. Intervals may come in any order and from several sources.
func (s Selection) Rows(intervals []*metrics.Interval) []*metrics.Row {
	at := map[int64]*metrics.Row{}
	for _, iv := range intervals {
		for i := range iv.Rows {
			r := &iv.Rows[i]
			if r.WarmUp || r.Kind != s.Kind || s.Execution != "" && r.Execution != s.Execution || s.Label != "" && r.Label != s.Label || r.Finished == 0 {
				continue
			}
			if at[iv.Second] == nil {
				at[iv.Second] = &metrics.Row{Execution: s.Execution, Label: s.Label, Kind: s.Kind}
			}
			at[iv.Second].Merge(r)
		}
	}
	if len(at) == 0 {
		return nil
	}
	seconds := make([]int64, 0, len(at))
	for second := range at {
		seconds = append(seconds, second)
	}
	first, last := slices.Min(seconds), slices.Max(seconds)
	rows := make([]*metrics.Row, 0, last-first+1)
	for second := first; second <= last; second++ {
		r := at[second]
		if r == nil {
			r = &metrics.Row{Execution: s.Execution, Label: s.Label, Kind: s.Kind}
		}
		rows = append(rows, r)
	}
	return rows
}

// Responses returns the response times of each row.
func Responses(rows []*metrics.Row) []*metrics.Series {
	out := make([]*metrics.Series, len(rows))
	for i, r := range rows {
		out[i] = &r.Response
	}
	return out
}
