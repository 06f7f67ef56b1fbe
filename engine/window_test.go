package engine

import (
	"strings"
	"testing"
	"time"

	"github.com/stacrun/stacrun/metrics"
)

func TestMeasuredWindow(t *testing.T) {
	stall := func(target string, _ int) fakeAnswer {
		if target == "/stall" {
			return fakeAnswer{after: time.Hour, status: 200}
		}
		return fakeAnswer{after: 10 * time.Millisecond, status: 200}
	}
	stopAt := func(d time.Duration) func(*Engine) {
		return func(e *Engine) {
			time.Sleep(d)
			e.Stop("asked")
		}
	}
	tests := []struct {
		name, text string
		while      func(*Engine)
		start, end time.Duration
	}{
		{
			"a plan that ends in a pause", "execution: [{hold-for: 4s, scenario: s}]\n" +
				"scenarios: {s: {default-address: 'http://fake', requests: [/ok, {action: pause, pause-duration: 3s}, /ok]}}", nil, 0, 4 * time.Second,
		},
		{
			"iterations that end in a pause", "execution: [{iterations: 2, scenario: s}]\n" +
				"scenarios: {s: {default-address: 'http://fake', requests: [/ok, {action: pause, pause-duration: 3s}]}}", nil, 0, 6020 * time.Millisecond,
		},
		{
			"stopped while nothing answers", "execution: [{concurrency: 5, hold-for: 30s, graceful-stop: 3s, scenario: s}]\n" +
				"scenarios: {s: {default-address: 'http://fake', requests: [/ok, /stall]}}", stopAt(2 * time.Second), 0, 2 * time.Second,
		},
		{
			"one that stalls from the start", "execution: [{concurrency: 1, hold-for: 5s, graceful-stop: 1s, scenario: stalls}, {concurrency: 1, hold-for: 2s, delay: 3s, scenario: s}]\n" +
				"scenarios: {s: {default-address: 'http://fake', requests: [/ok]}, stalls: {default-address: 'http://fake', requests: [/stall]}}", nil, 0, 5 * time.Second,
		},
		{
			"stopped before the second execution began", "execution: [{iterations: 1, scenario: s}, {hold-for: 5s, delay: 1m, scenario: s}]\n" +
				"scenarios: {s: {default-address: 'http://fake', requests: [/ok]}}", stopAt(10 * time.Second), 0, 10 * time.Millisecond,
		},
		{
			"an open plan is as long as its arrivals were to come", "execution: [{arrival-rate: 1, hold-for: 3s, scenario: s}]\n" +
				"scenarios: {s: {default-address: 'http://fake', requests: [/ok]}}", nil, 0, 3 * time.Second,
		},
		{
			"behind the warm-up", "execution: [{concurrency: 1, hold-for: 4s, warm-up: 2s, scenario: s}]\n" +
				"scenarios: {s: {default-address: 'http://fake', requests: [/ok]}}", nil, 2 * time.Second, 4 * time.Second,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := dryRun(t, tt.text, stall, tt.while)
			start, end, ok := d.Window()
			if !ok || time.Duration(start) != tt.start || time.Duration(end) != tt.end {
				t.Errorf("window %v … %v (%v), want %v … %v", time.Duration(start), time.Duration(end), ok, tt.start, tt.end)
			}
		})
	}
}

func TestUnsentRequestsTakeNoTime(t *testing.T) {
	d := dryRun(t, `
execution: [{iterations: 1, scenario: s}]
scenarios:
  s:
    default-address: http://fake
    variables: {n: x}
    requests:
    - {url: "/${int(n)}", label: bad}
    - {url: /good, label: good}
    - {transaction: sum, force-parent-sample: true, do: [{url: "/${int(n)}", label: inner}]}
    - {transaction: part, do: [{url: "/${int(n)}", label: inner2}, {url: /good, label: inner3}]}
`, slow(10*time.Millisecond), nil)
	total := d.Total()
	if total.Finished != 5 || total.Failed != 3 || total.Faults[metrics.FaultTemplate] != 3 {
		t.Errorf("counts: finished %d, failed %d, template %d", total.Finished, total.Failed, total.Faults[metrics.FaultTemplate])
	}
	if total.Service.Count != 2 || total.Service.Min != 10e6 || total.Response.Mean() != 10e6 {
		t.Errorf("times: %+v", total.Service.Sum)
	}
	if part := d.Label("", "part"); part.Service.Count != 1 || part.Service.Min != 10e6 {
		t.Errorf("transaction: %+v", part.Service.Sum)
	}
}

func TestRequestsThatWereCutOffAreTold(t *testing.T) {
	tests := []struct {
		name, load string
		answer     time.Duration
		want       string
	}{
		{"a target that stopped answering", "concurrency: 5, hold-for: 3s, graceful-stop: 2s", time.Hour,
			"warning: s: 5 requests were still without an answer when the run was over, the oldest for 5s: no percentile and no criterion counts them; a timeout shorter than the plan would make them a failure"},
		{"one", "concurrency: 1, hold-for: 3s, graceful-stop: 2s", time.Hour,
			"warning: s: 1 request was still without an answer when the run was over, the oldest for 5s: no percentile and no criterion counts it; a timeout shorter than the plan would make it a failure"},
		{"those that always are under way", "concurrency: 5, hold-for: 3s, graceful-stop: 0", 700 * time.Millisecond, ""},
		{"all were answered", "concurrency: 5, hold-for: 3s, graceful-stop: 2s", 2 * time.Second, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := dryRun(t, "execution: [{"+tt.load+", scenario: s}]"+oneRequest, slow(tt.answer), nil)
			got := ""
			for _, e := range d.events {
				if strings.HasPrefix(e, "warning") {
					got += e
				}
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
