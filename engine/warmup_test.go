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
		answer         func(string, int) fakeAnswer
		warm, measured metrics.LoadPart
	}{
		{
			"arrivals that nobody takes", "arrival-rate: 10/s, max-concurrency: 1, max-wait: 150ms, hold-for: 4s, warm-up: 2s", warm,
			metrics.LoadPart{Scheduled: 20, Started: 2, Finished: 2, Dropped: [metrics.DropCount]int64{18}, RequestsStarted: 2},
			metrics.LoadPart{Scheduled: 20, Started: 20, Finished: 20, RequestsStarted: 20},
		},
		{
			"a throughput that nobody reaches", "concurrency: 1, throughput: 10/s, hold-for: 4s, warm-up: 2s", warm,
			metrics.LoadPart{Scheduled: 1, Started: 1, Finished: 1, RequestsStarted: 1, RequestsAdmitted: 1, RequestsPlanned: 20},
			metrics.LoadPart{Scheduled: 20, Started: 20, Finished: 20, RequestsStarted: 20, RequestsAdmitted: 20, RequestsPlanned: 20, Throttled: 1980e6},
		},
		{
			"two that wait for each permit", "concurrency: 2, throughput: 1/s, hold-for: 4s, warm-up: 2s", slow(time.Millisecond),
			metrics.LoadPart{Scheduled: 2, Started: 2, Finished: 2, RequestsStarted: 2, RequestsAdmitted: 2, RequestsPlanned: 2, Throttled: 1e9},
			metrics.LoadPart{Scheduled: 2, Started: 2, Finished: 2, RequestsStarted: 2, RequestsAdmitted: 2, RequestsPlanned: 2, Throttled: 6996e6},
		},
		{
			"answers that never come", "concurrency: 2, ramp-up: 6s, hold-for: 1s, warm-up: 2s, graceful-stop: 0", slow(time.Hour),
			metrics.LoadPart{Scheduled: 1, Started: 1, Interrupted: 1, RequestsStarted: 1},
			metrics.LoadPart{Scheduled: 1, Started: 1, Interrupted: 1, RequestsStarted: 1},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			start = time.Time{}
			d := dryRun(t, "execution: [{"+tt.load+", scenario: s}]"+oneRequest, tt.answer, nil)
			l := d.Loads()[0]
			if l.WarmUp != tt.warm {
				t.Errorf("warm-up %+v, want %+v", l.WarmUp, tt.warm)
			}
			if got := l.Part(false); got != tt.measured {
				t.Errorf("measured %+v, want %+v", got, tt.measured)
			}
			for _, warmUp := range []bool{false, true} {
				rows, ended := d.ExecutionRows(), int64(0)
				if warmUp {
					rows = d.WarmUpRows()
				}
				for _, row := range rows {
					if row.Kind == metrics.RequestKind {
						ended += row.Finished + row.Interrupted
					}
				}
				if p := l.Part(warmUp); p.RequestsStarted != ended || p.Started != p.Finished+p.Interrupted {
					t.Errorf("warm-up %v: %d requests ended of %+v", warmUp, ended, p)
				}
			}
			if l.WarmingUp {
				t.Error("the warm-up is still on at the end")
			}
		})
	}
}

// A second lies in the warm-up when all of it does.
func TestSecondsOfTheWarmUp(t *testing.T) {
	for _, tt := range []struct {
		warmUp string
		want   []bool
	}{
		{"2s", []bool{true, true, false, false}},
		{"1500ms", []bool{true, false, false, false}},
		{"0", []bool{false, false, false, false}},
	} {
		d := dryRun(t, "execution: [{concurrency: 1, hold-for: 4s, warm-up: "+tt.warmUp+", scenario: s}]"+oneRequest, slow(100*time.Millisecond), nil)
		for second, want := range tt.want {
			if got := d.Second(int64(second)).WarmingUp(); got != want {
				t.Errorf("warm-up %s: second %d: %v, want %v", tt.warmUp, second, got, want)
			}
		}
	}
}
