package stats

import (
	"fmt"
	"math"

	"github.com/aclements/go-moremath/stats"
)

// Prediction is the range in which one further run like these will lie with the confidence: a run outside of it differs by more than
// their own spread. It assumes that runs are distributed normally, which lets it say something from three runs, the least it takes.
//
//	m ± t·s·√(1 + 1/n)
func Prediction(runs []float64, confidence float64) (Interval, error) {
	n := len(runs)
	if n < 3 {
		return Interval{}, fmt.Errorf("%d runs do not tell their spread, three do: %w", n, ErrTooFew)
	}
	mean := stats.Mean(runs)
	half := tQuantile(float64(n-1), (1+confidence)/2) * stats.StdDev(runs) * math.Sqrt(1+1/float64(n))
	return Interval{Value: mean, Low: mean - half, High: mean + half, Confidence: confidence}, nil
}

// tQuantile inverts the distribution function of Student's t for p > ½.
func tQuantile(freedom, p float64) float64 {
	dist := stats.TDist{V: freedom}
	low, high := 0.0, 1.0
	for dist.CDF(high) < p && high < 1e9 {
		low, high = high, high*2
	}
	for range 100 {
		mid := (low + high) / 2
		if dist.CDF(mid) < p {
			low = mid
		} else {
			high = mid
		}
	}
	return high
}
