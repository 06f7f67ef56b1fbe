package cluster

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/metrics"
)

// TestWhatWasLostInTheWarmUp loses an agent that has something under way of the warm-up and of what follows.
func TestWhatWasLostInTheWarmUp(t *testing.T) {
	intervals := []*metrics.Interval{
		{Load: []metrics.Load{{
			Execution: "s", Scheduled: 9, Started: 7, RequestsStarted: 8, WarmUp: metrics.LoadPart{Scheduled: 9, Started: 7, RequestsStarted: 8},
		}}},
		{
			Second: 1,
			Rows:   []metrics.Row{{Execution: "s", Label: "a", WarmUp: true, Finished: 3}, {Execution: "s", Label: "a", Finished: 1, Interrupted: 1}},
			Load: []metrics.Load{{
				Execution: "s", Second: 1, Scheduled: 5, Started: 4, Finished: 5, Dropped: [metrics.DropCount]int64{1}, RequestsStarted: 5,
				WarmUp: metrics.LoadPart{Finished: 4, Dropped: [metrics.DropCount]int64{1}},
			}},
		},
	}
	var m member
	snapshot := metrics.NewSnapshot()
	for _, iv := range intervals {
		m.follow(iv)
		snapshot.Add(iv)
	}
	lost := m.settle(2, 2e9)
	want := &metrics.Interval{
		Second: 2,
		Rows: []metrics.Row{
			{Execution: "s", Label: LostLabel, Kind: metrics.RequestKind, Interrupted: 3, FirstStart: 2e9},
			{Execution: "s", Label: LostLabel, Kind: metrics.RequestKind, WarmUp: true, Interrupted: 5, FirstStart: 2e9},
		},
		Load: []metrics.Load{{
			Execution: "s", Second: -1, Interrupted: 6, Dropped: [metrics.DropCount]int64{metrics.DropEnded: 2},
			WarmUp: metrics.LoadPart{Interrupted: 3, Dropped: [metrics.DropCount]int64{metrics.DropEnded: 1}},
		}},
	}
	if diff := cmp.Diff(want, lost); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	snapshot.Add(lost)
	if err := snapshot.Reconcile(); err != nil {
		t.Error(err)
	}
}
