package outlet

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestCadence has two agents, of which one lags: no second is sent twice, and none goes back.
func TestCadence(t *testing.T) {
	c := Cadence{Every: 3 * time.Second}
	if _, ok := c.Last(); ok {
		t.Error("a last second before the first")
	}
	var due []int64
	for _, second := range []int64{5, 4, 6, 5, 7, 8, 7, 8, 9, 10, 20, 21} {
		if c.Due(second) {
			due = append(due, second)
		}
	}
	if diff := cmp.Diff([]int64{5, 8, 20}, due); diff != "" {
		t.Error(diff)
	}
	if last, ok := c.Last(); last != 21 || !ok {
		t.Errorf("%d", last)
	}
}
