package engine

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestMetricOfAnAnswer(t *testing.T) {
	var n atomic.Int64
	s := newSeen(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, `{"took": %d, "word": "x"}`, 10*n.Add(1)) })
	plan := compile(t, fmt.Sprintf(`
execution: [{scenario: s, iterations: 4}]
scenarios:
  s:
    default-address: %q
    requests:
    - {url: /, label: search, extract-jsonpath: {took: {jsonpath: $.took, metric: true}}}
    - {url: /, label: no number, extract-jsonpath: {word: {jsonpath: $.word, metric: true}}}
`, s.URL))
	if diff := cmp.Diff(map[string]string{"search": "took", "no number": "word"}, plan.Metrics()); diff != "" {
		t.Error(diff)
	}
	snap := runPlan(t, plan, RunOptions{})
	m := snap.Label("", "search").Metric
	if m.Count != 4 || m.Min != 10_000 || m.Max != 70_000 || m.Mean() != 40_000 {
		t.Errorf("%d values from %d to %d, mean %v", m.Count, m.Min, m.Max, m.Mean())
	}
	if other := snap.Label("", "no number"); other.Metric.Count != 0 || other.Failed != 0 {
		t.Errorf("%d values of a word, %d failed", other.Metric.Count, other.Failed)
	}
	got := mistakes(t, "execution: [{scenario: s}]\nscenarios: {s: {requests: [{url: 'http://h/', extract-jsonpath: {a: {jsonpath: $.a, metric: true}, b: {jsonpath: $.b, metric: true}}}]}}")
	if !strings.Contains(got, "conflict") {
		t.Errorf("got %q, want an error: a sample has room for one number", got)
	}
}

func TestExpectedInterval(t *testing.T) {
	plan := compile(t, "execution: [{scenario: s, expected-interval: 100ms}]\nscenarios: {s: {requests: ['http://h/']}}\n")
	if got := plan.Executions()[0].ExpectedInterval; got != 100*time.Millisecond {
		t.Error(got)
	}
	if got := mistakes(t, "execution: [{scenario: s, arrival-rate: 5, hold-for: 1s, expected-interval: 100ms}]\nscenarios: {s: {requests: ['http://h/']}}\n"); !strings.Contains(got, "conflict") {
		t.Errorf("got %q, want an error", got)
	}
}
