package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/stacrun/stacrun/metrics"
)

// Options of a bootstrap. The zero value asks for the defaults.
type Options struct {
	Block      int     // seconds that stay together; 0: 5, or 10 from two minutes on
	Resamples  int     // 0: 2000
	Confidence float64 // 0: 95 %
	Seed       uint64
}

// minBlocks is how many blocks a run must have for a range to be told.
const minBlocks = 6

// complete fills in the defaults for a run of n seconds.
func (o Options) complete(n int) (Options, error) {
	if o.Block <= 0 {
		o.Block = 5
		if n >= 120 {
			o.Block = 10
		}
	}
	if o.Resamples <= 0 {
		o.Resamples = 2000
	}
	if o.Confidence <= 0 || o.Confidence >= 1 {
		o.Confidence = DefaultConfidence
	}
	if n < minBlocks*o.Block {
		return o, fmt.Errorf("%d s are too short to tell the spread, %d s are needed: %w", n, minBlocks*o.Block, ErrTooFew)
	}
	return o, nil
}

// figure is a figure of a run that can be formed over any blocks of its seconds.
type figure interface {
	size() (pieces, seconds int) // how many pieces the run has, and how many seconds each
	reset()
	add(start, length int) // pieces start … start+length−1, over the end to the beginning
	value() float64        // of what was added; NaN when it has none
}

// resample draws blocks that begin at any second, as many as fill a run, and returns the figure over them
// (Politis and Romano's circular block bootstrap).
func resample(f figure, seconds int, random *rand.Rand) float64 {
	f.reset()
	n, piece := f.size()
	block := max(seconds/piece, 1)
	for left := n; left > 0; left -= block {
		f.add(random.IntN(n), min(block, left))
	}
	return f.value()
}

// length is how many seconds the run has, to a piece.
func length(f figure) int {
	n, piece := f.size()
	return n * piece
}

// whole is the figure over the run as it was.
func whole(f figure) float64 {
	f.reset()
	n, _ := f.size()
	f.add(0, n)
	return f.value()
}

// estimate returns the figure with its range.
func estimate(f figure, o Options) (Interval, error) {
	o, err := o.complete(length(f))
	if err != nil {
		return Interval{}, err
	}
	out := Interval{Value: whole(f), Confidence: o.Confidence}
	if math.IsNaN(out.Value) {
		return Interval{}, fmt.Errorf("no sample: %w", ErrTooFew)
	}
	random := rand.New(rand.NewPCG(o.Seed, 1))
	values := make([]float64, 0, o.Resamples)
	for range o.Resamples {
		if v := resample(f, o.Block, random); !math.IsNaN(v) {
			values = append(values, v)
		}
	}
	out.Low, out.High = middle(values, o.Confidence)
	return out, nil
}

// difference returns the difference of two figures with its range.
func difference(baseline, variant figure, o Options) (Difference, error) {
	o, err := o.complete(min(length(baseline), length(variant)))
	if err != nil {
		return Difference{}, err
	}
	out := Difference{Baseline: whole(baseline), Variant: whole(variant), Confidence: o.Confidence}
	if math.IsNaN(out.Baseline) || math.IsNaN(out.Variant) {
		return Difference{}, fmt.Errorf("no sample: %w", ErrTooFew)
	}
	out.Percent = percentOf(out.Baseline, out.Variant)
	first, second := rand.New(rand.NewPCG(o.Seed, 1)), rand.New(rand.NewPCG(o.Seed, 2))
	values := make([]float64, 0, o.Resamples)
	for range o.Resamples {
		b, v := resample(baseline, o.Block, first), resample(variant, o.Block, second)
		if !math.IsNaN(b) && !math.IsNaN(v) {
			values = append(values, percentOf(b, v))
		}
	}
	out.Low, out.High = middle(values, o.Confidence)
	return out, nil
}

// middle returns the ends of the middle part of the values that holds the share of confidence.
func middle(values []float64, confidence float64) (low, high float64) {
	if len(values) == 0 {
		return math.Inf(-1), math.Inf(1)
	}
	slices.Sort(values)
	out := (1 - confidence) / 2 * float64(len(values)-1)
	return values[int(math.Floor(out))], values[len(values)-1-int(math.Floor(out))]
}

// QuantileInterval is the value in ns below which q percent of a run's samples lie, with its range. There is a series per second, in order;
// nil stands for one without samples.
func QuantileInterval(seconds []*metrics.Series, q float64, o Options) (Interval, error) {
	return estimate(newQuantile(seconds, q), o)
}

// MeanInterval is the mean in ns of a run's samples with its range.
func MeanInterval(seconds []*metrics.Series, o Options) (Interval, error) {
	num, den := means(seconds)
	return estimate(&ratio{num: num, den: den}, o)
}

// QuantileDifference compares the same percentile (0…100) of two runs.
func QuantileDifference(baseline, variant []*metrics.Series, q float64, o Options) (Difference, error) {
	return difference(newQuantile(baseline, q), newQuantile(variant, q), o)
}

// MeanDifference compares the means of two runs.
func MeanDifference(baseline, variant []*metrics.Series, o Options) (Difference, error) {
	n1, d1 := means(baseline)
	n2, d2 := means(variant)
	return difference(&ratio{num: n1, den: d1}, &ratio{num: n2, den: d2}, o)
}

// Counts are the two sides of a ratio, one of each per second: failures and samples, or samples and seconds (each 1).
type Counts struct{ Num, Den []float64 }

// RatioDifference compares Σnum/Σden of two runs, such as the share of failures or the rate.
func RatioDifference(baseline, variant Counts, o Options) (Difference, error) {
	if len(baseline.Num) != len(baseline.Den) || len(variant.Num) != len(variant.Den) {
		return Difference{}, fmt.Errorf("the two sides of a ratio are of different length: %w", ErrTooFew)
	}
	return difference(&ratio{num: baseline.Num, den: baseline.Den}, &ratio{num: variant.Num, den: variant.Den}, o)
}

// Failures are the counts whose ratio is the share of failed samples.
func Failures(rows []*metrics.Row) (c Counts) {
	for _, r := range rows {
		c.Num, c.Den = append(c.Num, float64(r.Failed)), append(c.Den, float64(r.Finished))
	}
	return c
}

// Rates are the counts whose ratio is the number of finished samples per second.
func Rates(rows []*metrics.Row) (c Counts) {
	for _, r := range rows {
		c.Num, c.Den = append(c.Num, float64(r.Finished)), append(c.Den, 1)
	}
	return c
}
