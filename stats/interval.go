package stats

import (
	"errors"
	"math"
)

// DefaultConfidence is the level of confidence intervals unless told otherwise.
const DefaultConfidence = 0.95

// ErrTooFew is wrapped by the errors that say that there are too few observations to tell.
var ErrTooFew = errors.New("too few observations")

// Interval is a figure and the range in which its true value lies with the given confidence.
type Interval struct {
	Value      float64
	Low, High  float64
	Confidence float64 // 0…1
}

// Holds says whether v lies in the range.
func (i Interval) Holds(v float64) bool { return i.Low <= v && v <= i.High }

// RelativeWidth is the larger distance of an end from the value, as a share of it; infinite for a value of 0.
func (i Interval) RelativeWidth() float64 {
	if i.Value == 0 {
		return math.Inf(1)
	}
	return math.Max(i.High-i.Value, i.Value-i.Low) / math.Abs(i.Value)
}

// Verdict is what a comparison shows.
type Verdict int8

// The verdicts. Whether lower is better is for the caller to know.
const (
	Lower      Verdict = -1 // the variant is lower than the baseline
	Unshown    Verdict = 0  // no difference is shown, which does not mean that there is none
	Higher     Verdict = 1
	maxPercent         = 1e6 // what a difference from 0 counts as
)

// Difference is a variant's figure against a baseline's, in percent of the baseline.
type Difference struct {
	Baseline, Variant float64
	Percent           float64 // best estimate; +5 means that the variant is 5 % higher
	Low, High         float64 // percent
	Confidence        float64 // 0…1
}

// Verdict is Lower or Higher when the whole range lies on one side of 0.
func (d Difference) Verdict() Verdict {
	switch {
	case d.High < 0:
		return Lower
	case d.Low > 0:
		return Higher
	}
	return Unshown
}

// percentOf is the difference of v from base in percent of base. From nothing to something there is no such number; it is cut off.
func percentOf(base, v float64) float64 {
	switch {
	case base == v:
		return 0
	case base == 0:
		return math.Copysign(maxPercent, v)
	}
	return min(max(100*(v-base)/math.Abs(base), -maxPercent), maxPercent)
}
