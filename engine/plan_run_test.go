package engine

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stacrun/stacrun/metrics"
)

// TestPlanIsWhatIsDone runs plans of every kind on made-up time and holds what `plan` says of them
// against what was done: users at once, iterations, requests and length.
func TestPlanIsWhatIsDone(t *testing.T) {
	const one = "requests: [/a]"
	tests := []struct {
		load, scenario string
	}{
		{"", one},
		{"concurrency: 4", one},
		{"iterations: 5", one},
		{"concurrency: 3, iterations: 4", "requests: [/a, /b, /c]"},
		{"concurrency: 2, hold-for: 3s", one},
		{"concurrency: 5, ramp-up: 2s", one},
		{"concurrency: 5, ramp-up: 2s, hold-for: 2s", one},
		{"concurrency: 4, ramp-up: 4s, steps: 2, hold-for: 1s", one},
		{"concurrency: 6, ramp-up: 3s, steps: 3, hold-for: 2s", "requests: [/a, /b]"},
		{"concurrency: 3, ramp-up: 3s, iterations: 2", one},
		{"concurrency: 2, iterations: 3, hold-for: 1m", one},
		{"concurrency: 10, total-iterations: 33", one},
		{"concurrency: 10, total-iterations: 7, hold-for: 1m", "requests: [/a, /b]"},
		{"concurrency: 5, hold-for: 4s, throughput: 10", one},
		{"concurrency: 5, iterations: 4, throughput: 20", one},
		{"concurrency: 5, ramp-up: 2s, hold-for: 2s, throughput: 8", one},
		{"concurrency: 4, spawn-rate: 2/s, hold-for: 3s", one},
		{"concurrency: 1, iterations: 2, delay: 3s", one},
		{"concurrency: 2, warm-up: 1s, hold-for: 3s", one},
		{"arrival-rate: 20, hold-for: 3s, max-concurrency: 50", one},
		{"arrival-rate: 30/m, hold-for: 10s, max-concurrency: 5", one},
		{"arrival-rate: 20, ramp-up: 2s, hold-for: 2s, max-concurrency: 50", "requests: [/a, /b]"},
		{"arrival-rate: 20, ramp-up: 4s, steps: 2, hold-for: 1s, max-concurrency: 50", one},
		{"arrival-rate: 50, total-iterations: 25, max-concurrency: 50", one},
		{"stages: [{duration: 2s, concurrency: 4}, {duration: 2s, concurrency: 4}]", one},
		{"max-concurrency: 50, stages: [{duration: 2s, arrival-rate: 10}, {duration: 2s, arrival-rate: 10}]", one},
		{"concurrency: 2, iterations: 2", "requests: [{loop: 3, do: [/a, /b]}, /c]"},
		{"concurrency: 2, iterations: 3", "requests: [{transaction: t, do: [/a, /b]}]"},
		{"concurrency: 2, iterations: 2", "requests: [{if: 'true', then: [/a], else: [/b, /c]}]"},
		{"concurrency: 2, iterations: 2", "tasks: [{task: x, weight: 1, requests: [/a]}, {task: y, weight: 3, requests: [/b]}]"},
		{"concurrency: 3, iterations: 2", "think-time: 500ms\n    requests: [/a, /b]"},
		{"concurrency: 2, iterations: 10", "data-sources: [{loop: false, rows: [{n: 1}, {n: 2}, {n: 3}]}]\n    requests: ['/${n}']"},
	}
	if len(tests) < 30 {
		t.Fatalf("%d plans", len(tests))
	}
	for i, tt := range tests {
		t.Run(fmt.Sprintf("%02d %s", i, tt.load), func(t *testing.T) {
			load := strings.TrimSuffix("scenario: s, "+tt.load, ", ")
			text := "execution: [{" + load + "}]\nscenarios:\n  s:\n    default-address: 'http://fake'\n    " + tt.scenario + "\n"
			plan := compile(t, text).Describe().Executions[0]
			d := dryRun(t, text, slow(100*time.Millisecond), nil)

			iterations, requests := d.Iterations(), d.Requests()
			if plan.Total != nil && iterations.Started != int64(*plan.Total) && (plan.Duration == nil || iterations.Started > int64(*plan.Total)) {
				t.Errorf("%d iterations, planned %d", iterations.Started, *plan.Total)
			}
			if plan.Requests != nil && *plan.Requests == math.Trunc(*plan.Requests) && iterations.Interrupted == 0 && requests.Interrupted == 0 {
				if want := float64(iterations.Finished) * *plan.Requests; float64(requests.Finished) != want {
					t.Errorf("%d requests in %d iterations, planned %v each", requests.Finished, iterations.Finished, *plan.Requests)
				}
			}
			if plan.Duration != nil {
				// What is under way at the end may finish: one answer's time here.
				if most := time.Duration(*plan.Duration*1e9) + 200*time.Millisecond; d.took > most {
					t.Errorf("took %v, planned %vs", d.took, *plan.Duration)
				}
			}
			if plan.Model == "closed" {
				top := 0.0
				for _, p := range plan.Load {
					top = max(top, p[1])
				}
				peak := int64(0)
				for _, s := range d.samples {
					if s.Kind == metrics.RequestKind {
						peak = max(peak, int64(s.Users))
					}
				}
				if float64(peak) > top || plan.Duration != nil && float64(peak) < top && iterations.Dropped == 0 && plan.Total == nil {
					t.Errorf("%d users at once, planned %v", peak, top)
				}
				return
			}
			// The open model starts what the integral of the rate asks for, to the iteration.
			area := 0.0
			for j := 1; j < len(plan.Load); j++ {
				a, b := plan.Load[j-1], plan.Load[j]
				area += (b[0] - a[0]) * (a[1] + b[1]) / 2
			}
			if plan.Total != nil && float64(*plan.Total) < area {
				area = float64(*plan.Total)
			}
			if got := float64(iterations.Scheduled); math.Abs(got-area) > 1 {
				t.Errorf("%v arrivals, the planned curve has %v", got, area)
			}
		})
	}
}
