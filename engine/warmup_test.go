package engine

import (
	"testing"
	"time"

	"github.com/stacrun/stacrun/metrics"
)

// TestWarmUpOfTheLoadIsKeptApart has a target that is slow for the two seconds of the warm-up.
func TestWarmUpOfTheLoadIsKeptApart(t *testing.T) {
	var start time.Time
	warm := func(string, int) fakeAnswer {
		if start.IsZero() {
			start = time.Now()
		}
		if left := 2*time.Second - time.Since(start); left > 0 {
			return fakeAnswer{after: left, status: 200}
		}
		return fakeAnswer{after: time.Millisecond, status: 200}
	}
	tests := []struct {
		name, load     string
		warm, measured metrics.LoadPart
	}{
		{
			"arrivals that nobody takes", "arrival-rate: 10/s, max-concurrency: 1, max-wait: 150ms, hold-for: 4s, warm-up: 2s",
			metrics.LoadPart{Scheduled: 20, Started: 2, Dropped: [metrics.DropCount]int64{18}},
			metrics.LoadPart{Scheduled: 20, Started: 20},
		},
		{
			"a throughput that nobody reaches", "concurrency: 1, throughput: 10/s, hold-for: 4s, warm-up: 2s",
			metrics.LoadPart{Scheduled: 1, Started: 1, RequestsAdmitted: 1, RequestsPlanned: 20},
			metrics.LoadPart{Scheduled: 21, Started: 21, RequestsAdmitted: 20, RequestsPlanned: 20},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			start = time.Time{}
			d := dryRun(t, "execution: [{"+tt.load+", scenario: s}]"+oneRequest, warm, nil)
			l := d.Loads()[0]
			if l.WarmUp != tt.warm {
				t.Errorf("warm-up %+v, want %+v", l.WarmUp, tt.warm)
			}
			m := l.Measured()
			got := metrics.LoadPart{
				Scheduled: m.Scheduled, Started: m.Started, Dropped: m.Dropped, RequestsAdmitted: m.RequestsAdmitted, RequestsPlanned: m.RequestsPlanned,
			}
			if got != tt.measured {
				t.Errorf("measured %+v, want %+v", got, tt.measured)
			}
			if l.WarmingUp {
				t.Error("the warm-up is still on at the end")
			}
		})
	}
}
