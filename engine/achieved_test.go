package engine

import (
	"testing"
	"time"
)

// TestPlannedRequestsOfACap has the count of what a cap let begin, and of what began.
func TestPlannedRequestsOfACap(t *testing.T) {
	pausing := func(e *Engine) {
		time.Sleep(990 * time.Millisecond) // between two permits
		_ = e.Control(Command{Pause: true})
		time.Sleep(2 * time.Second)
		_ = e.Control(Command{Resume: true})
	}
	early := func(e *Engine) {
		time.Sleep(500 * time.Millisecond) // the execution begins at 1 s
		_ = e.Control(Command{Pause: true})
		time.Sleep(2 * time.Second)
		_ = e.Control(Command{Resume: true})
	}
	faster := func(e *Engine) {
		time.Sleep(1490 * time.Millisecond)
		rate := 20.0
		_ = e.Control(Command{Rate: &rate})
	}
	for _, tt := range []struct {
		name, load        string
		answer            time.Duration
		while             func(*Engine)
		admitted, planned int64
	}{
		{"reached", "concurrency: 10, hold-for: 2s, throughput: 10", time.Millisecond, nil, 20, 20},
		{"too few users", "concurrency: 1, hold-for: 2s, throughput: 10", 200 * time.Millisecond, nil, 10, 20},
		{"nobody answers", "concurrency: 1, hold-for: 5s, throughput: 10", time.Minute, nil, 1, 50},
		{"less than one a second", "concurrency: 2, hold-for: 10s, throughput: 0.5", time.Millisecond, nil, 5, 5},
		{"over a ramp-up", "concurrency: 100, ramp-up: 4s, hold-for: 1s, throughput: 10", time.Millisecond, nil, 30, 30},
		{"the wait for the last answer of iterations is no miss", "concurrency: 2, iterations: 5, throughput: 4", 400 * time.Millisecond, nil, 10, 10},
		{"iterations that end before the time", "concurrency: 2, iterations: 2, hold-for: 1m, throughput: 2", time.Millisecond, nil, 4, 4},
		{"a pause is not planned, and nothing begins in it", "concurrency: 5, hold-for: 4s, throughput: 10", time.Millisecond, pausing, 20, 20},
		{"a pause over the beginning", "concurrency: 5, hold-for: 4s, throughput: 10, delay: 1s", time.Millisecond, early, 25, 25},
		{"a rate that was changed, and a permit from before", "concurrency: 1, hold-for: 3s, throughput: 10", time.Millisecond, faster, 47, 46},
		{"none", "concurrency: 1, hold-for: 1s", 100 * time.Millisecond, nil, 0, 0},
		{"arrivals are none", "arrival-rate: 5/s, hold-for: 2s", time.Millisecond, nil, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := dryRun(t, "execution: [{"+tt.load+", graceful-stop: 1s, scenario: s}]"+oneRequest, slow(tt.answer), tt.while)
			l := d.Loads()[0]
			if l.RequestsAdmitted != tt.admitted || l.RequestsPlanned != tt.planned {
				t.Errorf("%d of %d requests began, want %d of %d", l.RequestsAdmitted, l.RequestsPlanned, tt.admitted, tt.planned)
			}
		})
	}
}
