package engine

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A generator that stands still for a second is told of in either model: users that wait for answers meanwhile show it nowhere else.
func TestStandingStillIsTold(t *testing.T) {
	for _, load := range []string{"concurrency: 2", "arrival-rate: 5/s"} {
		_, snap := stalledRun(t, "execution: [{"+load+", hold-for: 5s, scenario: s}]"+oneRequest, 1500*time.Millisecond, time.Second)
		h := snap.Health()
		if h.StallMax < int64(time.Second-heartbeat) || h.StallMax > int64(time.Second) {
			t.Errorf("%s: stood still for %v, want a second within %v", load, time.Duration(h.StallMax), heartbeat)
		}
		if !h.Bottleneck || !strings.Contains(h.Reason, "stood still for") {
			t.Errorf("%s: %q", load, h.Reason)
		}
	}
	_, snap := stalledRun(t, "execution: [{concurrency: 2, hold-for: 3s, scenario: s}]"+oneRequest, time.Hour, 0)
	if h := snap.Health(); h.StallMax != 0 {
		t.Errorf("stood still for %v, want never", time.Duration(h.StallMax))
	}
}

// Who takes intervals late has seconds closed late, and that is told even where it makes one interval of several seconds.
func TestSlowReceiverIsTold(t *testing.T) {
	plan := compile(t, "execution: [{concurrency: 1, hold-for: 8s, scenario: s}]"+oneRequest)
	synctest.Test(t, func(t *testing.T) {
		clock := NewClock()
		srv := &fakeServer{clock: clock}
		out, err := New(plan, RunOptions{Clock: clock, Connect: srv.connect}).Start(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		lag := map[int64]time.Duration{}
		for iv := range out {
			if lag[iv.Second] = time.Duration(iv.Health.CollectorLag); iv.Second == 1 {
				time.Sleep(3500 * time.Millisecond) // second 2 lies ready, 3 waits from 4 s to 5.5 s
			}
		}
		want := map[int64]time.Duration{0: 0, 1: 0, 2: 0, 3: 0, 5: time.Second, 6: 0, 7: 0, 8: 0}
		if diff := cmp.Diff(want, lag); diff != "" {
			t.Errorf("lag by second (-want +got):\n%s", diff)
		}
	})
}

// A clock that others keep may have run for a while when the engine starts: nothing was closed late for it.
func TestClockThatRunsAlready(t *testing.T) {
	plan := compile(t, "execution: [{concurrency: 1, hold-for: 2s, scenario: s}]"+oneRequest)
	synctest.Test(t, func(t *testing.T) {
		clock := NewClock()
		time.Sleep(4500 * time.Millisecond)
		srv := &fakeServer{clock: clock}
		out, err := New(plan, RunOptions{Clock: clock, Connect: srv.connect}).Start(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var seconds []int64
		for iv := range out {
			seconds = append(seconds, iv.Second)
			if iv.Health.CollectorLag != 0 || iv.Health.Stall != 0 {
				t.Errorf("second %d: lag %v, stall %v", iv.Second, time.Duration(iv.Health.CollectorLag), time.Duration(iv.Health.Stall))
			}
		}
		if want := []int64{4, 5, 6}; !slices.Equal(seconds, want) {
			t.Errorf("seconds %v, want %v", seconds, want)
		}
	})
}
