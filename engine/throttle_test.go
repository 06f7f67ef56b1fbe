package engine

import (
	"testing"
	"time"

	"github.com/stacrun/stacrun/metrics"
)

// TestIterationsThatWaitForTheirFirstPermit end while some have begun nothing: those were never started.
func TestIterationsThatWaitForTheirFirstPermit(t *testing.T) {
	tests := []struct {
		name, load, requests string
		want                 metrics.LoadPart
	}{
		{
			"closed", "concurrency: 5, throughput: 1/s, hold-for: 4s", "[/]",
			metrics.LoadPart{Scheduled: 4, Started: 4, Finished: 4, RequestsStarted: 4},
		},
		{
			"behind its first request", "concurrency: 1, throughput: 1/s, hold-for: 4s", "[/, /, /]",
			metrics.LoadPart{Scheduled: 2, Started: 2, Finished: 1, Interrupted: 1, RequestsStarted: 4},
		},
		{
			"branches have begun with their iteration", "concurrency: 1, throughput: 1/s, hold-for: 1500ms", "[{parallel: [/, /, /]}]",
			metrics.LoadPart{Scheduled: 1, Started: 1, Interrupted: 1, RequestsStarted: 2},
		},
		{
			"a sum of requests", "concurrency: 2, throughput: 1/s, hold-for: 1500ms", "[{transaction: t, force-parent-sample: true, do: [/]}]",
			metrics.LoadPart{Scheduled: 2, Started: 2, Finished: 2, RequestsStarted: 2},
		},
		{
			"nothing to send", "concurrency: 1, throughput: 1/s, hold-for: 1500ms", "[{action: pause, pause-duration: 1s}]",
			metrics.LoadPart{Scheduled: 1, Started: 1, Finished: 1},
		},
		{
			"a mistake comes before", "concurrency: 1, throughput: 1/s, hold-for: 1500ms", `[{if: "${int(n) > 1}", then: [/]}, /, /]`,
			metrics.LoadPart{Scheduled: 2, Started: 2, Finished: 1, Interrupted: 1, RequestsStarted: 4},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := dryRun(t, "execution: [{"+tt.load+", scenario: s}]\nscenarios: {s: {default-address: 'http://fake', variables: {n: x}, requests: "+tt.requests+"}}\n", slow(10*time.Millisecond), nil)
			got := d.Loads()[0].Part(false)
			got.RequestsAdmitted, got.RequestsPlanned, got.Throttled = 0, 0, 0
			if got != tt.want {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
			ended := int64(0)
			for _, row := range d.ExecutionRows() {
				if row.Kind == metrics.IterationKind {
					ended += row.Finished + row.Interrupted
				}
			}
			if ended != tt.want.Started {
				t.Errorf("%d iterations are in the rows, want %d", ended, tt.want.Started)
			}
		})
	}
}
