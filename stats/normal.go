package stats

import (
	"fmt"
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"
)

// The functions of this file assume that runs are distributed normally, which lets them say more from fewer runs.

// Welch compares the means of two sets of runs whose spreads may differ. Its range and p belong to Welch's t-test with
// Satterthwaite's degrees of freedom. It takes two runs a side, and some spread.
func Welch(baseline, variant []float64, confidence float64) (d Difference, p float64, err error) {
	if len(baseline) < 2 || len(variant) < 2 {
		return Difference{}, 1, fmt.Errorf("%d and %d runs: Welch's test takes two of each: %w", len(baseline), len(variant), ErrTooFew)
	}
	m1, m2 := stats.Mean(baseline), stats.Mean(variant)
	d = Difference{Baseline: m1, Variant: m2, Percent: percentOf(m1, m2), Confidence: confidence}
	e1, e2 := stats.Variance(baseline)/float64(len(baseline)), stats.Variance(variant)/float64(len(variant))
	if e1+e2 == 0 {
		// Runs that repeat exactly leave no doubt.
		d.Low, d.High, p = d.Percent, d.Percent, 0
		if m1 == m2 {
			p = 1
		}
		return d, p, nil
	}
	freedom := (e1 + e2) * (e1 + e2) / (e1*e1/float64(len(baseline)-1) + e2*e2/float64(len(variant)-1))
	half := tQuantile(freedom, (1+confidence)/2) * math.Sqrt(e1+e2)
	d.Low, d.High = percentOf(m1, m2-half), percentOf(m1, m2+half)
	t := math.Abs(m2-m1) / math.Sqrt(e1+e2)
	return d, 2 * stats.TDist{V: freedom}.CDF(-t), nil
}

// Prediction is the range in which one further run like these will lie with the confidence: a run outside of it differs by more than
// their own spread. It takes three runs.
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

// Mean is the mean over runs with the interval of Student's t. It takes two runs.
func Mean(runs []float64, confidence float64) (Interval, error) {
	n := len(runs)
	if n < 2 {
		return Interval{}, fmt.Errorf("%d runs tell no interval for the mean: %w", n, ErrTooFew)
	}
	mean := stats.Mean(runs)
	half := tQuantile(float64(n-1), (1+confidence)/2) * stats.StdDev(runs) / math.Sqrt(float64(n))
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

// Proportion is the share k/n with Wilson's score interval, which also holds for shares near 0 and 1. It assumes that the n are
// independent; the failures of a run hardly are, so that it is too narrow for them and [RatioDifference] is the better question.
func Proportion(k, n int64, confidence float64) (Interval, error) {
	if n <= 0 || k < 0 || k > n {
		return Interval{}, fmt.Errorf("%d of %d is no share: %w", k, n, ErrTooFew)
	}
	z := stats.InvCDF(stats.StdNormal)((1 + confidence) / 2)
	share, count := float64(k)/float64(n), float64(n)
	center := (share + z*z/(2*count)) / (1 + z*z/count)
	half := z / (1 + z*z/count) * math.Sqrt(share*(1-share)/count+z*z/(4*count*count))
	out := Interval{Value: share, Low: max(center-half, 0), High: min(center+half, 1), Confidence: confidence}
	if k == 0 {
		out.Low = 0
	}
	if k == n {
		out.High = 1
	}
	return out, nil
}

// Holm adjusts the p of several tests for their number, so that the chance of one false finding among all of them is what a single
// p says. The order is kept.
func Holm(ps []float64) []float64 {
	order := make([]int, len(ps))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case ps[a] < ps[b]:
			return -1
		case ps[a] > ps[b]:
			return 1
		}
		return 0
	})
	out := make([]float64, len(ps))
	least := 0.0
	for rank, i := range order {
		least = max(least, min(ps[i]*float64(len(ps)-rank), 1))
		out[i] = least
	}
	return out
}
