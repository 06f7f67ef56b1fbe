package metrics

import (
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/google/go-cmp/cmp"
)

// TestCorrectedIsHdrHistograms compares with what HdrHistogram makes of the same values.
func TestCorrectedIsHdrHistograms(t *testing.T) {
	for _, every := range []time.Duration{time.Millisecond, 10 * time.Millisecond, time.Second} {
		h := &Histogram{}
		want := hdrhistogram.New(1, HighestTrackable, SignificantDigits)
		for _, ms := range []int64{1, 2, 5, 9, 10, 11, 25, 100, 1000, 3000} {
			h.Record(ms * int64(time.Millisecond))
			_, v := bucketRange(bucketOf(ms * 1000))
			if err := want.RecordCorrectedValue(v, every.Microseconds()); err != nil {
				t.Fatal(err)
			}
		}
		got := h.Corrected(every)
		for _, q := range []float64{10, 50, 90, 99, 100} {
			if diff := cmp.Diff(want.ValueAtQuantile(q), got.Quantile(q)); diff != "" || got.Count() != want.TotalCount() {
				t.Errorf("every %v, p%v, %d values, want %d: %s", every, q, got.Count(), want.TotalCount(), diff)
			}
		}
	}
	if (*Histogram)(nil).Corrected(time.Second) != nil {
		t.Error("nothing was corrected to something")
	}
}
