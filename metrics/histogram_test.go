package metrics

import (
	"math"
	"slices"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// TestLayout holds our buckets against the library's over the whole range.
func TestLayout(t *testing.T) {
	lib := hdrhistogram.New(1, HighestTrackable, SignificantDigits)
	if n := len(lib.Export().Counts); n != bucketTotal {
		t.Fatalf("library has %d buckets, ours are %d", n, bucketTotal)
	}
	last := int64(-1)
	for i := range bucketTotal {
		low, high := bucketRange(i)
		if low != last+1 || high < low {
			t.Fatalf("bucket %d is %d…%d, but the one before ends at %d", i, low, high, last)
		}
		last = high
		if low > HighestTrackable {
			continue
		}
		if bucketOf(low) != i || bucketOf(min(high, HighestTrackable)) != i {
			t.Fatalf("bucket %d: its ends are in buckets %d and %d", i, bucketOf(low), bucketOf(high))
		}
		if float64(high-low) > 0.001*float64(low) {
			t.Fatalf("bucket %d…%d is wider than a thousandth", low, high)
		}
	}
}

func TestHistogramAgainstLibrary(t *testing.T) {
	r := random(t)
	for _, n := range []int{1, 2, 10, 1000, 20_000} {
		lib := hdrhistogram.New(1, HighestTrackable, SignificantDigits)
		var parts [3]Histogram
		for i := range n {
			micros := min(randomTime(r)/1000, HighestTrackable)
			if err := lib.RecordValue(micros); err != nil {
				t.Fatal(err)
			}
			parts[i%3].Record(micros * 1000)
		}
		var h Histogram
		h.Merge(&parts[2])
		h.Merge(&parts[0])
		h.Merge(&parts[1])
		if !h.HDR().Equals(lib) {
			t.Fatalf("%d values: the histograms differ", n)
		}
		for _, q := range []float64{0, 0.01, 1, 25, 50, 75, 90, 95, 99, 99.9, 99.99, 99.999, 100} {
			if want, got := lib.ValueAtQuantile(q), h.Quantile(q); got != want {
				t.Errorf("%d values: quantile %v = %d, library says %d", n, q, got, want)
			}
		}
		if !slices.IsSorted(h.index) || len(h.index) != len(h.count) {
			t.Error("buckets are out of order")
		}
	}
}

func TestHistogramClamps(t *testing.T) {
	var s Series
	for _, v := range []int64{-1, 0, 400, 500, 3_600_000_000_000, 7_200_000_000_000} {
		s.Record(v)
	}
	if got := s.Histogram.Clamped(); got != 2 {
		t.Errorf("clamped = %d, want the negative one and the one of two hours", got)
	}
	if s.Count != 6 || s.Histogram.Count() != 6 {
		t.Errorf("count = %d and %d, want 6: nothing is lost", s.Count, s.Histogram.Count())
	}
	if s.Quantile(100) != 7_200_000_000_000 || s.Quantile(0) != 0 {
		t.Errorf("extremes %v and %v are not exact", s.Quantile(0), s.Quantile(100))
	}
}

func TestSeriesQuantileAgainstSortedValues(t *testing.T) {
	r := random(t)
	var s Series
	values := make([]int64, 50_000)
	for i := range values {
		values[i] = min(randomTime(r), highestNanos)
		s.Record(values[i])
	}
	slices.Sort(values)
	for _, q := range []float64{0.1, 1, 10, 50, 90, 95, 99, 99.9, 99.99} {
		rank := max(int(q/100*float64(len(values))+0.5), 1)
		want := float64(values[rank-1])
		if got := s.Quantile(q); math.Abs(got-want) > want*0.001+1000 {
			t.Errorf("p%v = %v, sorted values say %v", q, got, want)
		}
	}
}

func TestSeriesKeepsBetweenExtremes(t *testing.T) {
	var s Series
	s.Record(10_001_234)
	for _, q := range []float64{0, 50, 99, 100} {
		if got := s.Quantile(q); got != 10_001_234 {
			t.Errorf("p%v of one value = %v", q, got)
		}
	}
	var empty Series
	if empty.Quantile(50) != 0 || empty.Mean() != 0 || empty.Stdev() != 0 {
		t.Error("an empty series has figures")
	}
}

func TestShareAtOrBelow(t *testing.T) {
	var s Series
	for range 999_999 {
		s.Record(1_000_000)
	}
	s.Record(1_000_400)
	tests := []struct {
		name  string
		limit int64
		want  float64
	}{
		{"below all", 999_999, 0},
		{"all", 1_000_400, 1},
		{"beyond all", 5_000_000, 1},
		{"all but one of the same bucket is not all", 1_000_100, 0.999999},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := s.ShareAtOrBelow(test.limit); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}
