package engine

import (
	"strings"
	"testing"
	"time"
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
