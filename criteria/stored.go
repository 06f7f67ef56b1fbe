package criteria

import "github.com/stacrun/stacrun/metrics"

// Spread is what a [Baseline] of several runs can also tell: the range in which a further run of the same build would lie.
// A rule that compares with the baseline does not fail within it.
type Spread interface {
	// Spread has the arguments of [Baseline.Value]. The last result is false where the spread is not known.
	Spread(subject string, percent bool, execution, label string) (low, high float64, ok bool)
}

// Stored reads the figures of one finished run, as rules see them.
type Stored struct{ totals *totals }

// NewStored sums the intervals of a run up.
func NewStored(intervals []*metrics.Interval) *Stored {
	snapshot := metrics.NewSnapshot()
	var h health
	for _, iv := range intervals {
		snapshot.Add(iv)
		h.add(iv)
	}
	return &Stored{newTotals(snapshot, h)}
}

var _ Baseline = (*Stored)(nil)

// Value implements [Baseline].
func (s *Stored) Value(name string, percent bool, execution, label string) (float64, bool) {
	sc := scope{execution: execution, label: label}
	if name == "rate" {
		return s.totals.rate(sc)
	}
	subject, err := parseSubject(name, percent, "")
	if err != nil {
		return 0, false
	}
	return s.totals.value(subject, sc)
}
