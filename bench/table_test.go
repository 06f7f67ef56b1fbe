package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestRatios_withinTheirRounds(t *testing.T) {
	run := func(tool string, round int, cpu time.Duration) result {
		return result{Tool: tool, Round: round, Users: 10, Requests: 1000, usage: usage{User: cpu, Wall: time.Second}}
	}
	broken := run("stacrun", 4, time.Hour)
	broken.Error = "it broke"
	results := []result{
		run("wrk", 1, 10*time.Millisecond), run("stacrun", 1, 11*time.Millisecond),
		run("stacrun", 2, 18*time.Millisecond), run("wrk", 2, 20*time.Millisecond),
		run("wrk", 3, 30*time.Millisecond), run("stacrun", 3, 36*time.Millisecond),
		run("wrk", 4, 10*time.Millisecond), broken,
	}
	if d := cmp.Diff([]float64{1.1, 0.9, 1.2}, ratios(results, "stacrun", "wrk")); d != "" {
		t.Error(d)
	}
	var b strings.Builder
	w := workload{Name: "plain", Against: map[string]float64{"wrk": 1.15}}
	if !printTable(&b, w, 10, "go", []tool{{name: "stacrun"}, {name: "wrk"}, {name: "hey"}}, results) {
		t.Error("median of 1.10 missed a target of 1.15")
	}
	if !strings.Contains(b.String(), "stacrun / wrk        1.10 (0.90–1.20), target ≤ 1.15: held") {
		t.Errorf("table:\n%s", b.String())
	}
	w.Against["wrk"] = 1.05
	if printTable(&b, w, 10, "go", []tool{{name: "stacrun"}, {name: "wrk"}}, results) {
		t.Error("median of 1.10 held a target of 1.05")
	}
}

func TestPerRequest_takesStartUpOff(t *testing.T) {
	r := result{Users: 10, Requests: 1010, usage: usage{User: 30 * time.Millisecond, System: 12 * time.Millisecond}, StartUp: 2 * time.Millisecond}
	if got := r.perRequest(); got != 40 {
		t.Errorf("%v µs per request, want 40", got)
	}
}

func TestSpread(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   []float64
		want spread
	}{
		{"none", nil, spread{}},
		{"odd", []float64{3, 1, 2}, spread{1, 2, 3}},
		{"even", []float64{4, 1, 2, 3}, spread{1, 2.5, 4}},
	} {
		if got := spreadOf(tt.in); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
