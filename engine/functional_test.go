package engine

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFunctionalLoad: no load is made, whatever is written; the data decides how often a script is walked through.
func TestFunctionalLoad(t *testing.T) {
	const rows = "data-sources: [{rows: [{n: 1}, {n: 2}, {n: 3}]}], "
	tests := []struct {
		name, load, data string
		want             int64
	}{
		{"once", "concurrency: 50, ramp-up: 1m, hold-for: 1h", "", 1},
		{"open loads, too", "arrival-rate: 100/s, hold-for: 1h", "", 1},
		{"as often as iterations say", "concurrency: 50, iterations: 4, throughput: 1", "", 4},
		{"every row once", "concurrency: 50, hold-for: 1h", rows, 3},
		{"rows that are to loop", "hold-for: 1h", "data-sources: [{rows: [{n: 1}, {n: 2}], loop: true}], ", 1},
		{"fewer iterations than rows", "iterations: 2", rows, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newSeen(t, nil)
			runPlan(t, compile(t, fmt.Sprintf(`
settings: {aggregator: functional-consolidator}
execution: [{%s, scenario: s}]
scenarios: {s: {default-address: %q, %srequests: [/]}}
`, tt.load, s.URL, tt.data)), RunOptions{})
			if got := s.hits.Load(); got != tt.want {
				t.Errorf("%d requests, want %d", got, tt.want)
			}
		})
	}
}

// TestTracesOfAttempts: all attempts are shown, and those that were made again say so.
func TestTracesOfAttempts(t *testing.T) {
	var n atomic.Int64
	s := newSeen(t, func(w http.ResponseWriter, r *http.Request) {
		if n.Add(1) < 3 {
			w.WriteHeader(503)
		}
	})
	tr := &traces{}
	runPlan(t, compile(t, fmt.Sprintf("execution: [{scenario: s}]\nscenarios: {s: {default-address: %q, requests: [{retry: 5, do: [/a]}, /b]}}\n", s.URL)), RunOptions{Tracer: tr})
	var got []string
	for _, one := range tr.all {
		got = append(got, fmt.Sprint(one.Label, " ", one.Status, " ", one.Retried))
	}
	if diff := cmp.Diff([]string{"/a 503 true", "/a 503 true", "/a 200 false", "/b 200 false"}, got); diff != "" {
		t.Error(diff)
	}
}
