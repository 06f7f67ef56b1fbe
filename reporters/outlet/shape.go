package outlet

import (
	"math"

	"github.com/stacrun/stacrun/metrics"
)

// Shape says how a distribution is told: by classic buckets with upper limits, by exponential ones,
// or both.
type Shape struct {
	Limits   []float64 // upper limits in seconds, ascending; nil: no classic buckets
	Scale    int       // of exponential buckets, which are 2^(2^-Scale) wide
	MaxCount int       // of exponential buckets; the scale is lowered until they are so few; 0: as many as needed
	Sparse   bool      // exponential buckets are wanted
}

// Distribution is a series in a [Shape]; times are in seconds.
type Distribution struct {
	Count    uint64
	Sum      float64
	Min, Max float64  // valid when Count > 0
	Below    []uint64 // values at or below each of the limits of the shape
	Scale    int      // of what follows
	Zero     uint64   // values of 0
	Buckets  []Bucket // ascending
}

// Bucket is an exponential bucket: Count values in (base^Index, base^(Index+1)], base = 2^(2^-scale).
type Bucket struct {
	Index int
	Count uint64
}

// DefaultLimits are the classic buckets in seconds: those of Prometheus' clients, and three more for
// slow answers.
func DefaultLimits() []float64 {
	return []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120}
}

const nanosPerSecond = 1e9

// of tells a series in the shape. A value belongs to an exponential bucket by the middle of the
// histogram's own bucket, which is a thousandth wide at most.
func (s Shape) of(series *metrics.Series) *Distribution {
	d := &Distribution{
		Count: uint64(series.Count), Sum: float64(series.Total) / nanosPerSecond, Scale: s.Scale,
		Min: float64(series.Min) / nanosPerSecond, Max: float64(series.Max) / nanosPerSecond,
	}
	for _, limit := range s.Limits {
		d.Below = append(d.Below, uint64(series.Histogram.CountAtOrBelow(int64(limit*nanosPerSecond))))
	}
	if s.Sparse {
		d.exponential(series.Histogram)
		for s.MaxCount > 0 && d.width() > s.MaxCount {
			d.halve()
		}
	}
	return d
}

func (d *Distribution) exponential(h *metrics.Histogram) {
	factor := math.Ldexp(1, d.Scale)
	h.Buckets(func(low, high, count int64) bool {
		if high == 0 {
			d.Zero += uint64(count)
			return true
		}
		middle := (float64(low) + float64(high)) / 2 / 1e6
		d.put(int(math.Ceil(math.Log2(middle)*factor))-1, uint64(count))
		return true
	})
}

// put adds to the last bucket, or begins a new one above it.
func (d *Distribution) put(index int, count uint64) {
	if last := len(d.Buckets) - 1; last >= 0 && d.Buckets[last].Index == index {
		d.Buckets[last].Count += count
		return
	}
	d.Buckets = append(d.Buckets, Bucket{index, count})
}

// width is the number of buckets from the first to the last one, empty ones included.
func (d *Distribution) width() int {
	if len(d.Buckets) == 0 {
		return 0
	}
	return d.Buckets[len(d.Buckets)-1].Index - d.Buckets[0].Index + 1
}

// halve puts each two neighbours together.
func (d *Distribution) halve() {
	old := d.Buckets
	d.Buckets, d.Scale = nil, d.Scale-1
	for _, b := range old {
		d.put(b.Index>>1, b.Count)
	}
}
