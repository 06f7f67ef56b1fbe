package engine

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/metrics"
)

// mistakes compiles a document and gives its diagnostics, one per line: position, severity, code, message, hint.
func mistakes(t *testing.T, text string) string {
	t.Helper()
	_, list := Compile(loadFile(t, text), Options{})
	var lines []string
	for _, d := range list {
		line := fmt.Sprintf("%d:%d %s %s: %s", d.Pos.Line, d.Pos.Column, d.Severity, d.Code, d.Message)
		if d.Hint != "" {
			line += " | " + d.Hint
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func TestMistakes(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"relative url without an address", "execution: [{scenario: s}]\nscenarios: {s: {requests: [/a]}}",
			`2:28 error relative-url: url "/a" is relative, but scenario "s" has no default-address | write default-address: http://HOST:PORT in the scenario, or the whole url`},
		{"forgotten scheme", "execution: [{scenario: s}]\nscenarios: {s: {requests: ['example.com/a']}}",
			`2:28 error relative-url: url "example.com/a" is relative, but scenario "s" has no default-address | write the scheme: http://example.com/a`},
		{"bad port", "execution: [{scenario: s}]\nscenarios: {s: {requests: ['http://h:x/a']}}",
			`2:28 error bad-url: url "http://h:x/a": port "x" is not a number from 1 to 65535 | write scheme://host[:port]/path, or a path below default-address`},
		{"bad default-address, told once", "execution: [{scenario: s}]\nscenarios: {s: {default-address: 'http://h:70000', requests: [/a, /b]}}",
			`2:34 error bad-address: default-address "http://h:70000": port "70000" is not a number from 1 to 65535 | write scheme://host[:port], such as http://127.0.0.1:8080`},
		{"path in default-address", "execution: [{scenario: s}]\nscenarios: {s: {default-address: 'http://h/api/', requests: [/a]}}",
			`2:34 warning address-path: default-address has the path "/api"; it is put before relative urls, so that "/x" becomes "http://h/api/x" (Taurus on JMeter drops it)`},
		{"faster than all", "execution: [{arrival-rate: 1e7, hold-for: 1s, scenario: s}]\nscenarios: {s: {requests: ['http://h/']}}",
			`1:28 error bad-load: load: 10000000 per second are more than 1000000 | write less; a load may be shared out among several executions`},
		{"a stage faster than all", "execution: [{stages: [{duration: 1s, arrival-rate: 1}, {duration: 1s, arrival-rate: 1e7}], scenario: s}]\nscenarios: {s: {requests: ['http://h/']}}",
			`1:85 error bad-load: load: 10000000 per second are more than 1000000 | write less; a load may be shared out among several executions`},
		{"more users than all", "execution: [{concurrency: 20000000, hold-for: 1s, scenario: s}]\nscenarios: {s: {requests: ['http://h/']}}",
			`1:27 error bad-load: load: 20000000 users are more than 10000000 | write less; a load may be shared out among several executions`},
		{"a stage with more users than all", "execution: [{stages: [{duration: 1s, concurrency: 1}, {duration: 1s, concurrency: 20000000}], scenario: s}]\nscenarios: {s: {requests: ['http://h/']}}",
			`1:83 error bad-load: load: 20000000 users are more than 10000000 | write less; a load may be shared out among several executions`},
		{"a body that is not there", "execution: [{scenario: s}]\nscenarios: {s: {requests: [{url: 'http://h/', method: POST, body-file: '${__P(x,nowhere.json)}'}]}}",
			`2:72 error unreadable-file: read "nowhere.json": no such file or directory | it is looked up beside the file that names it, then in the working directory`},
		{"one that is a folder", "execution: [{scenario: s}]\nscenarios: {s: {requests: [{url: 'http://h/', method: POST, body-file: '${__P(x,.)}'}]}}",
			`2:72 error unreadable-file: read ".": it is a folder | write the name of a file that this user may read`},
		{"a certificate that is a folder", "execution: [{scenario: s}]\nscenarios: {s: {tls: {ca: .}, requests: ['https://h/']}}",
			`2:22 error unreadable-file: read ".": it is a folder | write the name of a file that this user may read`},
		{"more steps than anyone can take", "execution: [{concurrency: 2, ramp-up: 1s, steps: 2147483647, scenario: s}]\nscenarios: {s: {requests: ['http://h/']}}",
			`1:50 error bad-load: load: 2147483647 steps are more than 100000 | leave steps out: a ramp-up without them rises evenly`},
		{"users that never are all there", "execution: [{concurrency: 2, spawn-rate: 1e-300, hold-for: 1s, scenario: s}]\nscenarios: {s: {requests: ['http://h/']}}",
			`1:42 error bad-load: at this rate 2 users take longer than 100 years to start | write users per second, such as 10`},
		{"too many users to begin with", "execution: [{arrival-rate: 2, concurrency: 2147483647, max-concurrency: 2147483647, hold-for: 1s, scenario: s}]\nscenarios: {s: {requests: ['http://h/']}}",
			`1:44 error bad-load: 2147483647 users are more than 10000000 | write less; a load may be shared out among several executions`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, mistakes(t, tt.text)); diff != "" {
				t.Errorf("diagnostics (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUndefinedVariableIsAnError(t *testing.T) {
	got := mistakes(t, "execution: [{scenario: s}]\nscenarios: {s: {variables: {name: x}, requests: ['http://h/${nam}']}}")
	if !strings.Contains(got, "error") || !strings.Contains(got, `"name"`) || !strings.HasPrefix(got, "2:") {
		t.Errorf("got %q, want an error that suggests name", got)
	}
}

func TestLabels(t *testing.T) {
	plan := compile(t, `
execution: [{scenario: s}]
scenarios:
  s:
    default-address: http://h
    requests: [/a, {url: /a, label: b}, "/items/${__Random(1,9)}", {url: /a, label: "c ${__Random(1,9)}"}, {transaction: t, do: [/a]}]
`)
	want := []Label{
		{"s", "s", metrics.IterationKind, false},
		{"s", "/a", metrics.RequestKind, false},
		{"s", "b", metrics.RequestKind, false},
		{"s", "/items/${__Random(1,9)}", metrics.RequestKind, false}, // a URL is a label as it is written
		{"s", "c ${__Random(1,9)}", metrics.RequestKind, true},
		{"s", "t", metrics.TransactionKind, false},
	}
	if diff := cmp.Diff(want, plan.Labels()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestIncludeHasItsOwnScope(t *testing.T) {
	s := newSeen(t, nil)
	runPlan(t, compile(t, fmt.Sprintf(`
execution: [{scenario: outer}]
scenarios:
  outer:
    default-address: %q
    headers: {X-Own: outer}
    variables: {v: outer}
    requests: ['/1/${v}', {include-scenario: inner}, '/4']
  inner:
    headers: {X-Own: inner, Content-Type: inner}
    variables: {v: inner, w: inner}
    requests: ['/2/${v}/${w}']
`, s.URL)), RunOptions{})
	wantSeen(t, s, "GET /1/outer X-Own=outer", "GET /2/outer/inner Content-Type=inner X-Own=outer", "GET /4 X-Own=outer")
}

func TestDescribe(t *testing.T) {
	plan := compile(t, `
execution: [{scenario: s, concurrency: 4, ramp-up: 10s, hold-for: 20s, throughput: 50}, {scenario: s, arrival-rate: 10/s, hold-for: 1m}]
scenarios: {s: {default-address: 'http://h', requests: [/a, {loop: 2, do: [/b]}]}}
`)
	d := plan.Describe()
	raw, err := json.Marshal(d.Executions[0])
	if err != nil {
		t.Fatal(err)
	}
	var one map[string]any
	if err := json.Unmarshal(raw, &one); err != nil {
		t.Fatal(err)
	}
	load := one["load"].([]any)
	if len(load) < 20 || load[0].([]any)[0] != 0.0 {
		t.Errorf("%d points of load", len(load))
	}
	delete(one, "load")
	want := map[string]any{
		"name": "s", "scenario": "s", "executor": nil, "model": "closed", "concurrency": 4.0, "ramp_up_s": 10.0, "hold_for_s": 20.0,
		"iterations": nil, "total_iterations": nil, "total_requests": nil, "duration_s": 30.0, "steps": nil, "throughput": 50.0, "arrival_rate": nil, "delay_s": nil, "start_at": nil,
		"ends": "after 30s (ramp-up 10s, hold-for 20s)", "labels": []any{"/a", "/b"}, "requests_per_iteration": 3.0, "data_sources": []any{},
		"targets": []any{"http://h"}, "warm_up_s": nil, "max_concurrency": nil, "graceful_stop_s": 10.0, "distribution": nil,
	}
	if diff := cmp.Diff(want, one); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if e := d.Executions[1]; e.Model != "open" || *e.ArrivalRate != 10 || *e.MaxUsers != 100 || *e.Duration != 60 || *e.Total != 600 {
		t.Errorf("open: %+v", e)
	}
	if d.Limits.DescriptorsNeeded < 104 {
		t.Errorf("limits %+v", d.Limits)
	}
	if length, known := plan.Duration(); !known || length.Seconds() != 60 {
		t.Errorf("duration %v, %v", length, known)
	}
}

func TestMostIterations(t *testing.T) {
	tests := []struct {
		load string
		want int // -1: unlimited
	}{
		{"concurrency: 3, iterations: 4", 12},
		{"concurrency: 3, hold-for: 1m", -1},
		{"concurrency: 3, total-iterations: 5", 5},
		{"concurrency: 2", 2},
		{"arrival-rate: 10/s, hold-for: 1m", 600},
		{"arrival-rate: 10/s, hold-for: 1m, total-iterations: 7", 7},
	}
	for _, tt := range tests {
		got := -1
		if n := compile(t, "execution: [{scenario: s, "+tt.load+"}]"+oneRequest).Describe().Executions[0].Total; n != nil {
			got = *n
		}
		if got != tt.want {
			t.Errorf("%s: %d, want %d", tt.load, got, tt.want)
		}
	}
}

func TestEnds(t *testing.T) {
	tests := []struct{ load, want string }{
		{"concurrency: 2", "when each of 2 users has done 1 iteration"},
		{"iterations: 3", "when each of 1 user has done 3 iterations"},
		{"hold-for: 90s", "after 1m30s"},
		{"hold-for: 1m, iterations: 3", "after 1m, or when each of 1 user has done 3 iterations, whichever comes first"},
		{"total-iterations: 100, concurrency: 5", "when 100 iterations are done by all users together"},
		{"ramp-up: 2m", "after 2m (ramp-up only)"},
		{"stages: [{duration: 1m, concurrency: 3}]", "after 1m (1 stage)"},
	}
	for _, tt := range tests {
		plan := compile(t, "execution: [{scenario: s, "+tt.load+"}]"+oneRequest)
		if got := plan.Executions()[0].Ends; got != tt.want {
			t.Errorf("%s: %q, want %q", tt.load, got, tt.want)
		}
	}
}

// TestURLIsALabelAsWritten: variables in a URL do not make a label for each of their values.
func TestURLIsALabelAsWritten(t *testing.T) {
	d := dryRun(t, `
execution: [{iterations: 5, scenario: s}]
scenarios:
  s:
    default-address: http://fake
    variables: {x: 1}
    requests: ['/items/${__Random(1,1000000)}', {url: '/own', label: 'own ${x}'}]
`, slow(0), nil)
	if row := d.Label("", "/items/${__Random(1,1000000)}"); row == nil || row.Finished != 5 {
		t.Errorf("the label of the URL as written: %+v", row)
	}
	if row := d.Label("", "own 1"); row == nil || row.Finished != 5 {
		t.Errorf("a label with a variable of its own: %+v", row)
	}
}
