package engine

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/metrics"
)

// firstStarts are the starts of each user's first request, in milliseconds, by user.
func (d *dry) firstStarts() []int64 {
	var ms []int64
	seen := map[uint32]bool{}
	for _, s := range d.samples {
		if s.Kind == metrics.RequestKind && !seen[s.User] {
			seen[s.User] = true
			ms = append(ms, s.Start/1e6)
		}
	}
	return ms
}

func TestClosedLoads(t *testing.T) {
	tests := []struct {
		name, load string
		answer     time.Duration
		first      []int64 // ms at which users begin
		requests   int64
		took       time.Duration
	}{
		{"nothing is one user and one iteration", "{}", 100 * time.Millisecond, []int64{0}, 1, 100 * time.Millisecond},
		{"concurrency only", "{concurrency: 3}", 100 * time.Millisecond, []int64{0, 0, 0}, 3, 100 * time.Millisecond},
		{"iterations per user", "{concurrency: 2, iterations: 3}", 100 * time.Millisecond, []int64{0, 0}, 6, 300 * time.Millisecond},
		{"hold-for", "{concurrency: 2, hold-for: 1s}", 100 * time.Millisecond, []int64{0, 0}, 20, time.Second},
		{"user k of C starts at R(k-1)/C", "{concurrency: 4, ramp-up: 1s, hold-for: 1s}", 500 * time.Millisecond, []int64{0, 250, 500, 750}, 14, 2250 * time.Millisecond},
		{"ramp-up alone ends when it is over", "{concurrency: 4, ramp-up: 1s}", 500 * time.Millisecond, []int64{0, 250, 500, 750}, 6, 1250 * time.Millisecond},
		{"ramp-up with iterations has no time limit", "{concurrency: 2, ramp-up: 1s, iterations: 2}", time.Second, []int64{0, 500}, 4, 2500 * time.Millisecond},
		{"iterations and hold-for: whichever comes first", "{concurrency: 1, hold-for: 10s, iterations: 2}", time.Second, []int64{0}, 2, 2 * time.Second},
		{"steps", "{concurrency: 4, ramp-up: 2s, steps: 2, hold-for: 1s}", time.Second, []int64{0, 0, 1000, 1000}, 10, 3 * time.Second},
		{"total iterations are shared", "{concurrency: 3, total-iterations: 7}", time.Second, []int64{0, 0, 0}, 7, 3 * time.Second},
		{"stages go up and down", "{stages: [{duration: 1s, concurrency: 2}, {duration: 1s, concurrency: 2}, {duration: 1s, concurrency: 0}]}", 260 * time.Millisecond, []int64{0, 500}, 20, 3120 * time.Millisecond},
		{"spawn-rate", "{concurrency: 4, spawn-rate: 4/s, hold-for: 1s}", 500 * time.Millisecond, []int64{0, 250, 500, 750}, 14, 2250 * time.Millisecond},
		{"delay", "{concurrency: 1, iterations: 1, delay: 2s}", time.Second, []int64{2000}, 1, 3 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			load := tt.load[:len(tt.load)-1]
			if load != "{" {
				load += ", "
			}
			d := dryRun(t, "execution: ["+load+"scenario: s}]"+oneRequest, slow(tt.answer), nil)
			if diff := cmp.Diff(tt.first, d.firstStarts()); diff != "" {
				t.Errorf("first starts (-want +got):\n%s", diff)
			}
			if got := d.Total().Finished; got != tt.requests {
				t.Errorf("%d requests, want %d", got, tt.requests)
			}
			if d.took != tt.took {
				t.Errorf("took %v, want %v", d.took, tt.took)
			}
		})
	}
}

func TestThroughputIsACap(t *testing.T) {
	d := dryRun(t, "execution: [{concurrency: 10, hold-for: 2s, throughput: 10, scenario: s}]"+oneRequest, slow(time.Millisecond), nil)
	want := []int64{}
	for i := range int64(20) {
		want = append(want, i*100)
	}
	if diff := cmp.Diff(want, d.starts()); diff != "" {
		t.Errorf("starts in ms (-want +got):\n%s", diff)
	}
}

func TestThroughputHoldsWithIterations(t *testing.T) {
	d := dryRun(t, "execution: [{concurrency: 2, iterations: 5, throughput: 4, scenario: s}]"+oneRequest, slow(time.Millisecond), nil)
	if got := d.starts()[9]; got != 2250 {
		t.Errorf("the tenth request began at %d ms, want 2250", got)
	}
}

func TestWarmUpStandsApart(t *testing.T) {
	d := dryRun(t, "execution: [{concurrency: 1, hold-for: 4s, warm-up: 1s, scenario: s}]"+oneRequest, slow(100*time.Millisecond), nil)
	if got := d.Total().Finished; got != 30 {
		t.Errorf("%d requests in the measured window, want 30", got)
	}
	if got := d.Requests().Finished; got != 40 {
		t.Errorf("%d requests in all, want 40", got)
	}
}

func TestSequentialExecutions(t *testing.T) {
	d := dryRun(t, `
settings: {}
modules: {local: {sequential: true}}
execution:
- {concurrency: 1, iterations: 2, scenario: s}
- {concurrency: 1, iterations: 1, scenario: s, delay: 500ms}
- {concurrency: 1, iterations: 1, scenario: s}
`+oneRequest, slow(time.Second), nil)
	if diff := cmp.Diff([]int64{0, 1000, 2000, 3000}, d.starts()); diff != "" {
		t.Errorf("starts in ms (-want +got):\n%s", diff)
	}
}

// TestCapacity: so many executions run at a time; a slot goes to the next one in the list whose delay is over, and a delay counts from
// the start of the run.
func TestCapacity(t *testing.T) {
	d := dryRun(t, `
modules: {local: {capacity: 2}}
execution:
- {concurrency: 1, iterations: 3, scenario: s}
- {concurrency: 1, iterations: 1, scenario: s}
- {concurrency: 1, iterations: 1, scenario: s, delay: 1500ms}
- {concurrency: 1, iterations: 1, scenario: s}
`+oneRequest, slow(time.Second), nil)
	if diff := cmp.Diff([]int64{0, 0, 1000, 1000, 2000, 2000}, d.starts()); diff != "" {
		t.Errorf("starts in ms (-want +got):\n%s", diff)
	}
}

// TestPlanEndsWithItsUsers: users that were set while running and have done their iterations end the plan,
// also before the time of the plan is over.
func TestPlanEndsWithItsUsers(t *testing.T) {
	for _, users := range []int{2, 6} {
		d := dryRun(t, "execution: [{concurrency: 4, iterations: 3, hold-for: 1h, scenario: s}]"+oneRequest, slow(time.Second), func(e *Engine) {
			time.Sleep(500 * time.Millisecond)
			if err := e.Control(Command{Users: &users}); err != nil {
				t.Error(err)
			}
		})
		if last := d.starts()[len(d.starts())-1]; last > 4000 {
			t.Errorf("%d users: a request at %d ms", users, last)
		}
	}
}
