package study

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/metrics"
)

func TestOverheadIsWhatTheServerDidNotTake(t *testing.T) {
	row := func(label string, ms, took int64) metrics.Row {
		r := metrics.Row{Execution: "s", Label: label, Kind: metrics.RequestKind, Finished: 2, Codes: map[int]int64{200: 2}, LastEnd: int64(time.Second)}
		for range 2 {
			r.Service.Record(ms * int64(time.Millisecond))
			r.Metric.Record(took * 1000)
		}
		r.Response = r.Service
		return r
	}
	var times tookTimes
	for _, took := range []int64{20, 24} { // two runs
		snapshot := metrics.NewSnapshot()
		snapshot.Add(&metrics.Interval{Rows: []metrics.Row{row("bulk", 30, took), row("other", 30, 5)}, Final: true})
		times.add(snapshot, map[string]string{"bulk": "took", "other": "size"})
	}
	want := []string{"bulk of 1 thread took 30.0 ms on average, of which 22.0 ms inside the server (took), so 8.0 ms in client, network and the server's queues"}
	if diff := cmp.Diff(want, overhead("1 thread", times)); diff != "" {
		t.Error(diff)
	}
	if notes := overhead("none", nil); notes != nil {
		t.Errorf("%v", notes)
	}
}
