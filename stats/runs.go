package stats

import (
	"fmt"
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"
	"golang.org/x/perf/benchmath"
)

// Comparison is what runs of a baseline and of a variant show.
type Comparison struct {
	Difference
	P       float64 // Mann–Whitney U test: probability of at least such a difference if there were none
	N1, N2  int     // runs of baseline and variant
	Warning string  // why no difference can be shown; "" when one could
}

// Compare compares runs without an assumption about how they are distributed. Baseline and Variant of the result are medians;
// Percent is the median of all quotients of a variant's and a baseline's run (Hodges and Lehmann's estimate on
// logarithms), and its range the one that belongs to the Mann–Whitney U test, so that the two agree. All values must be ≥ 0.
// At 95 % it takes four runs a side; with fewer the range is as wide as can be, and the warning says how many it takes.
func Compare(baseline, variant []float64, confidence float64) (Comparison, error) {
	if len(baseline) == 0 || len(variant) == 0 {
		return Comparison{}, fmt.Errorf("no run to compare: %w", ErrTooFew)
	}
	for _, v := range slices.Concat(baseline, variant) {
		if v < 0 || math.IsNaN(v) || math.IsInf(v, 0) {
			return Comparison{}, fmt.Errorf("value %v of a run cannot be compared", v)
		}
	}
	test := benchmath.AssumeNothing.Compare(sample(baseline, confidence), sample(variant, confidence))
	out := Comparison{P: test.P, N1: len(baseline), N2: len(variant)}
	out.Confidence = confidence
	out.Baseline, out.Variant = median(baseline), median(variant)

	percents := make([]float64, 0, len(baseline)*len(variant))
	for _, b := range baseline {
		for _, v := range variant {
			percents = append(percents, percentOf(b, v))
		}
	}
	slices.Sort(percents)
	out.Percent = median(percents)
	k := uRank(len(baseline), len(variant), confidence)
	if k == 0 {
		out.Low, out.High = -maxPercent, maxPercent
		out.Warning = fmt.Sprintf("%d and %d runs are too few to show a difference at %.4g %%, %d of each are needed",
			len(baseline), len(variant), confidence*100, runsNeeded(confidence))
		return out, nil
	}
	out.Low, out.High = percents[k-1], percents[len(percents)-k]
	return out, nil
}

// sample copies the values, since benchmath sorts them.
func sample(values []float64, confidence float64) *benchmath.Sample {
	return benchmath.NewSample(slices.Clone(values), &benchmath.Thresholds{CompareAlpha: 1 - confidence})
}

// uRank returns the rank k such that the k-th lowest and the k-th highest of all pairwise differences enclose the true shift
// with the confidence: the largest k with P(U ≤ k−1) ≤ α/2. 0 when there is none.
func uRank(n1, n2 int, confidence float64) int {
	dist := stats.UDist{N1: n1, N2: n2}
	alpha := (1 - confidence) / 2 * (1 + 1e-9) // 0.05/2 is not quite the number that it seems
	low, high := 0, n1*n2/2
	for low < high {
		k := (low + high + 1) / 2
		if dist.CDF(float64(k-1)) <= alpha {
			low = k
		} else {
			high = k - 1
		}
	}
	return low
}

// runsNeeded is the least number of runs a side with which a difference can be shown.
func runsNeeded(confidence float64) int {
	for n := 2; n < 30; n++ {
		if uRank(n, n, confidence) > 0 {
			return n
		}
	}
	return 30
}

// median of values in any order, of which there is at least one.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
