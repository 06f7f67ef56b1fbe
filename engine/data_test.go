package engine

import (
	"fmt"
	"testing"
	"time"
)

// The execution ends with the iteration that takes the last row: nothing falls due for which there is none.
func TestLastRowEndsTheExecution(t *testing.T) {
	rows := ""
	for i := range 7 {
		rows += fmt.Sprintf("{id: %d}, ", i)
	}
	scenario := "\nscenarios: {s: {default-address: 'http://fake', data-sources: [{rows: [" + rows + "], loop: false}], requests: ['/${id}']}}\n"
	for _, tt := range []struct {
		name, load string
		answer     time.Duration
		want       int64
	}{
		{"arrivals", "arrival-rate: 10/s, hold-for: 5s", time.Millisecond, 7},
		{"arrivals without an end of their own", "arrival-rate: 10/s, total-iterations: 100", 250 * time.Millisecond, 7},
		{"users", "concurrency: 3, hold-for: 5s", 100 * time.Millisecond, 7},
		{"fewer iterations than rows", "concurrency: 3, iterations: 2", 100 * time.Millisecond, 6},
		{"as many", "arrival-rate: 10/s, total-iterations: 7", 100 * time.Millisecond, 7},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := dryRun(t, "execution: [{"+tt.load+", scenario: s}]"+scenario, slow(tt.answer), nil)
			if it := d.Iterations(); it.Finished != tt.want || it.Scheduled != tt.want || it.Interrupted != 0 {
				t.Errorf("%+v, want %d begun and finished, and none dropped", it, tt.want)
			}
		})
	}
}
