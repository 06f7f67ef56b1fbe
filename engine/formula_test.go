package engine

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stacrun/stacrun/metrics"
)

// Load follows its formula: at every 100 ms the users that have begun, or the iterations, are within one of it. The formulas
// are written here a second time, so that a mistake in the arithmetic shows.
func TestLoadFollowsItsFormula(t *testing.T) {
	ramp := func(n, r float64) func(float64) float64 { // user k of n begins at r(k−1)/n
		return func(at float64) float64 { return math.Min(n, math.Floor(n*at/r)+1) }
	}
	tests := []struct {
		name, load string
		open       bool
		length     float64                  // s
		want       func(at float64) float64 // users alive, or iterations begun, at s
	}{
		{"ramp of users", "concurrency: 37, ramp-up: 3s, hold-for: 1s", false, 4, ramp(37, 3)},
		{"steps of users", "concurrency: 10, ramp-up: 4s, steps: 4, hold-for: 1s", false, 5, func(at float64) float64 {
			j := math.Min(math.Floor(at), 3) // each step lasts a second
			return math.Floor(10*(j+1)/4 + 0.5)
		}},
		{"spawn-rate", "concurrency: 30, spawn-rate: 10, hold-for: 1s", false, 4, ramp(30, 3)},
		{"constant arrivals", "arrival-rate: 50, hold-for: 4s", true, 4, func(at float64) float64 { return 50 * at }},
		{"less than one per second", "arrival-rate: 30/m, hold-for: 20s", true, 20, func(at float64) float64 { return at / 2 }},
		{"per hour", "arrival-rate: 720/h, hold-for: 20s", true, 20, func(at float64) float64 { return at / 5 }},
		{"ramp of arrivals", "arrival-rate: 60, ramp-up: 3s, hold-for: 2s", true, 5, func(at float64) float64 {
			if at < 3 {
				return 60 * at * at / 6
			}
			return 90 + 60*(at-3)
		}},
		{"stages of arrivals", "stages: [{duration: 2s, arrival-rate: 40}, {duration: 1s, arrival-rate: 40}, {duration: 2s, arrival-rate: 0}]", true, 5, func(at float64) float64 {
			switch {
			case at < 2:
				return 10 * at * at
			case at < 3:
				return 40 + 40*(at-2)
			}
			return 80 + 40*(at-3) - 10*(at-3)*(at-3)
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := "execution: [{" + tt.load + ", max-concurrency: 100, scenario: s}]" + oneRequest
			if !tt.open {
				text = "execution: [{" + tt.load + ", scenario: s}]" + oneRequest
			}
			d := dryRun(t, text, slow(20e6), nil)
			var begun []float64 // s, of iterations, or of each user's first one
			seen := map[uint32]bool{}
			for _, s := range d.samples {
				if s.Kind != metrics.RequestKind || !tt.open && seen[s.User] {
					continue
				}
				seen[s.User] = true
				begun = append(begun, float64(s.Start)/1e9)
			}
			for tick := 0.0; tick < tt.length*10; tick++ {
				at, n := tick/10, 0.0
				for _, b := range begun {
					if b <= at {
						n++
					}
				}
				if want := tt.want(at); math.Abs(n-want) > 1+1e-9 {
					t.Errorf("at %.1f s: %v, want %v ± 1", at, n, want)
				}
			}
		})
	}
}

// Labels beyond the limit are counted together, none of their samples is lost, and the run warns of it once.
func TestLabelsBeyondTheLimit(t *testing.T) {
	d := dryRun(t, `
execution: [{concurrency: 2, iterations: 100, scenario: s}]
scenarios:
  s:
    default-address: http://fake
    requests: [{url: /, label: "item ${__counter(FALSE,n)}"}]
modules: {consolidator: {generalize-labels: 10}}
`, slow(20e6), nil)
	labels, other := 0, int64(0)
	for _, row := range d.RequestRows() {
		if row.Label == metrics.OtherLabel {
			other = row.Finished
		} else {
			labels++
		}
	}
	if labels == 0 || labels > 10 || other == 0 || d.Total().Finished != 200 {
		t.Errorf("%d labels and %d samples in the others, of %d", labels, other, d.Total().Finished)
	}
	warned := 0
	for _, e := range d.events {
		if strings.Contains(e, "too many labels") {
			warned++
		}
	}
	if warned != 1 {
		t.Errorf("warned %d times: %s", warned, fmt.Sprint(d.events))
	}
}
