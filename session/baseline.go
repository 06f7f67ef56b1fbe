package session

import (
	"math"

	"github.com/stacrun/stacrun/criteria"
)

// figures are what the criteria of a run asked of its baseline. They go into the interval log, so that the run can be
// judged again where the baseline is not at hand, or has become another one.
type figures struct {
	base  criteria.Baseline // nil: only what is kept can be told
	kept  []figure
	place map[question]int
}

// question is what a rule asks: see [criteria.Baseline].
type question struct {
	Subject   string `json:"subject"`
	Percent   bool   `json:"percent,omitempty"`
	Execution string `json:"execution,omitempty"`
	Label     string `json:"label,omitempty"`
}

// figure is an answer: seconds, bytes, a count or a percent number.
type figure struct {
	question
	Value float64  `json:"value"`
	Low   *float64 `json:"low,omitempty"` // nil: no spread is known
	High  *float64 `json:"high,omitempty"`
}

var (
	_ criteria.Baseline = (*figures)(nil)
	_ criteria.Spread   = (*figures)(nil)
)

// figuresOf keeps what is asked of base.
func figuresOf(base criteria.Baseline) *figures {
	return &figures{base: base, place: map[question]int{}}
}

// storedFigures answers what was kept.
func storedFigures(kept []figure) *figures {
	f := &figures{kept: kept, place: map[question]int{}}
	for i := range kept {
		f.place[kept[i].question] = i
	}
	return f
}

// Value implements [criteria.Baseline].
func (f *figures) Value(subject string, percent bool, execution, label string) (float64, bool) {
	kept := f.ask(question{subject, percent, execution, label})
	if kept == nil {
		return 0, false
	}
	return kept.Value, true
}

// Spread implements [criteria.Spread].
func (f *figures) Spread(subject string, percent bool, execution, label string) (low, high float64, ok bool) {
	kept := f.ask(question{subject, percent, execution, label})
	if kept == nil || kept.Low == nil || kept.High == nil {
		return 0, 0, false
	}
	return *kept.Low, *kept.High, true
}

// ask returns the kept answer, or asks the baseline and keeps what it says; nil: it has no such figure.
func (f *figures) ask(q question) *figure {
	if i, ok := f.place[q]; ok {
		return &f.kept[i]
	}
	if f.base == nil {
		return nil
	}
	value, ok := f.base.Value(q.Subject, q.Percent, q.Execution, q.Label)
	if !ok || math.IsNaN(value) || math.IsInf(value, 0) {
		return nil
	}
	answer := figure{question: q, Value: value}
	if spread, can := f.base.(criteria.Spread); can {
		if low, high, known := spread.Spread(q.Subject, q.Percent, q.Execution, q.Label); known && !math.IsNaN(low+high) && !math.IsInf(low+high, 0) {
			answer.Low, answer.High = &low, &high
		}
	}
	f.place[q] = len(f.kept)
	f.kept = append(f.kept, answer)
	return &f.kept[len(f.kept)-1]
}
