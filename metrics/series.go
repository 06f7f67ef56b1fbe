package metrics

import "math"

// Series is a distribution in nanoseconds: exact count, sum, extremes and square sum beside a histogram in microseconds.
type Series struct {
	Sum
	Histogram *Histogram // nil when Count is 0
}

// Record counts one value in ns.
func (s *Series) Record(ns int64) {
	s.Sum.Add(ns)
	if s.Histogram == nil {
		s.Histogram = &Histogram{}
	}
	s.Histogram.Record(ns)
}

// Quantile returns the value in ns below or at which q percent (0…100) of all values lie. It is the one definition that
// every report uses: HdrHistogram's, kept between the exact extremes, which 0 and 100 give. 0 when nothing was counted.
func (s *Series) Quantile(q float64) float64 {
	switch {
	case s.Count == 0:
		return 0
	case q <= 0 || math.IsNaN(q):
		return float64(s.Min)
	case q >= 100:
		return float64(s.Max)
	}
	return float64(min(max(s.Histogram.Quantile(q)*nsPerUnit, s.Min), s.Max))
}

// ShareAtOrBelow is the share of values, 0…1, that are at most limit ns, to the width of the histogram's bucket.
// It is 0 or 1 only when exact.
func (s *Series) ShareAtOrBelow(limit int64) float64 {
	switch {
	case s.Count == 0:
		return 0
	case limit < s.Min:
		return 0
	case limit >= s.Max:
		return 1
	}
	// Between the extremes at least one value lies on either side, even if they share a bucket.
	n := min(max(s.Histogram.CountAtOrBelow(limit), 1), s.Count-1)
	return float64(n) / float64(s.Count)
}

// Merge adds the other series, which is not changed.
func (s *Series) Merge(o *Series) {
	if o.Count == 0 {
		return
	}
	s.Sum.Merge(&o.Sum)
	if s.Histogram == nil {
		s.Histogram = o.Histogram.Clone()
		return
	}
	s.Histogram.Merge(o.Histogram)
}
