package config

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stacrun/stacrun/diag"
)

// decodeText loads one document and wants no error.
func decodeText(t *testing.T, text string) (*File, diag.List) {
	t.Helper()
	file, diags := Load(context.Background(), nil, Options{
		Documents: []Document{{Name: "doc.yml", Text: []byte(text)}},
		Now:       time.Date(2026, 12, 1, 6, 0, 0, 0, time.UTC),
		Getenv:    func(name string) (string, bool) { return "from-env", name == "KNOWN" },
		FS: func(name string) ([]byte, error) {
			if strings.HasPrefix(name, "have") {
				return []byte("x"), nil
			}
			return nil, fmt.Errorf("no file %s", name)
		},
	})
	if diags.HasErrors() {
		var b strings.Builder
		_ = diag.Render(&b, diags, file.Sources)
		t.Fatalf("errors:\n%s", b.String())
	}
	return file, diags
}

// ignorePlaces compares values without where they stood.
var ignorePlaces = cmp.Options{
	cmpopts.IgnoreTypes(diag.Pos{}, At{}),
	cmpopts.IgnoreFields(Text{}, "Path", "Literal"),
	cmp.Transformer("node", func(n *Node) string { return n.String() }),
}

const twoScenarios = `
scenarios:
  s: {requests: [http://localhost/]}
  t: {properties: {n: 4}, requests: [http://localhost/]}
`

func TestDecodeExecutions(t *testing.T) {
	file, _ := decodeText(t, `
execution:
- {scenario: s, concurrency: 5, ramp-up: 10s, hold-for: 1m, steps: 2, throughput: 600/m, delay: 3s}
- {scenario: s, iterations: 7}
- {scenario: t, concurrency: '${__P(n, 9)}', hold-for: '${__P(h,2m)}', iterations: '${__env(NONE,,3)}', start-at: 23:15}
- {scenario: s, arrival-rate: 0.5, total-iterations: 10, distribution: poisson, executor: stacrun}
`+twoScenarios)
	type row struct {
		Name, Executor, Scenario, Path string
		Concurrency, Iterations, Total int
		RampUp, HoldFor, Delay         time.Duration
		Throughput, Arrival            float64
		StartAt                        string
		Distribution                   string
	}
	var got []row
	for _, x := range file.Executions {
		l := x.Load
		r := row{
			x.Name, x.Executor, x.Scenario, x.Path, l.Concurrency.Or(-1), l.Iterations.Or(-1), l.TotalIterations.Or(-1),
			l.RampUp.V, l.HoldFor.V, x.Delay, l.Throughput.V, l.ArrivalRate.V, "", l.Distribution.V,
		}
		if !x.StartAt.IsZero() {
			r.StartAt = x.StartAt.Format(time.RFC3339)
		}
		got = append(got, r)
	}
	want := []row{
		{"s", "", "s", "execution.0", 5, -1, -1, 10 * time.Second, time.Minute, 3 * time.Second, 10, 0, "", ""},
		{"s-2", "", "s", "execution.1", -1, 7, -1, 0, 0, 0, 0, 0, "", ""},
		{"t", "", "t", "execution.2", 4, 3, -1, 0, 2 * time.Minute, 0, 0, 0, "2026-12-01T23:15:00Z", ""},
		{"s-3", "stacrun", "s", "execution.3", -1, -1, 10, 0, 0, 0, 0, 0.5, "", "poisson"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// requestOf decodes one request, written as a flow mapping.
func requestOf(t *testing.T, request, scenarioKeys string) *Request {
	t.Helper()
	file, _ := decodeText(t, fmt.Sprintf("execution: [{scenario: s}]\nscenarios:\n  s:\n    %s\n    requests:\n    - %s\n", scenarioKeys, request))
	r, ok := file.Scenarios[0].Requests[0].(*Request)
	if !ok {
		t.Fatalf("no request: %T", file.Scenarios[0].Requests[0])
	}
	return r
}

func TestDecodeBodies(t *testing.T) {
	for _, tt := range []struct {
		name, request, scenario string
		want                    string // kind, content type, content
	}{
		{"text", "{url: /, method: POST, body: 'a ${b}'}", "x", `text "" a ${b}`},
		{"number", "{url: /, method: POST, body: 007}", "x", `text "" 007`},
		{"json by header", "{url: /, method: POST, headers: {content-type: application/json}, body: {a: 1, b: '2'}}", "x", `json "" {"a":1,"b":"2"}`},
		{"json by header of the scenario", "{url: /, method: POST, body: {a: 1}}", "headers: {Content-Type: 'application/json; charset=utf-8'}", `json "" {"a":1}`},
		{"json by suffix", "{url: /, method: POST, headers: {Content-Type: application/geo+json}, body: {a: 1}}", "x", `json "" {"a":1}`},
		{"own header wins", "{url: /, method: POST, headers: {Content-Type: text/plain}, body: {a: 1}}", "headers: {content-type: application/json}", `form "application/x-www-form-urlencoded" a=1`},
		{"nested", "{url: /, method: POST, body: {a: {b: 1}}}", "x", `json "application/json" {"a":{"b":1}}`},
		{"list", "{url: /, method: POST, body: [1, x]}", "x", `json "application/json" [1,"x"]`},
		{"form", "{url: /, method: POST, body: {a: 1, b: true, c: yes}}", "x", `form "application/x-www-form-urlencoded" a=1 b=True c=yes`},
		{"query", "{url: /, body: {a: 1}}", "x", `query "" a=1`},
		{"query of delete", "{url: /, method: delete, body: {a: 1}}", "x", `query "" a=1`},
		{"none", "{url: /, method: POST, body: null}", "x", `none ""`},
		{"file", "{url: /, method: POST, body-file: have.json}", "x", `file "" have.json`},
		{"upload", "{url: /, method: POST, upload-files: [{param: f, path: have.png}], body: {a: b}}", "x", `multipart "" a=b f:have.png:image/png`},
		{"raw upload", "{url: /, method: PUT, upload-files: [{path: have.xyz}]}", "x", `file "application/octet-stream" have.xyz`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.scenario == "x" {
				tt.scenario = "variables: {b: 1}"
			}
			b := requestOf(t, tt.request, tt.scenario).Body
			kind := [...]string{"none", "text", "json", "form", "query", "file", "multipart"}[b.Kind]
			got := fmt.Sprintf("%s %q", kind, b.ContentType)
			for _, part := range []string{b.Text.Value, b.File} {
				if part != "" {
					got += " " + part
				}
			}
			if b.Tree != nil {
				got += " " + b.Tree.String()
			}
			for _, f := range b.Form {
				got += " " + f.Name.Value + "=" + f.Value.Value
			}
			for _, u := range b.Uploads {
				got += " " + u.Param + ":" + u.File + ":" + u.MIMEType
			}
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestDecodeThinkTime(t *testing.T) {
	for text, want := range map[string]ThinkTime{
		"1s500ms":                 {Distribution: "constant", Mean: 1500 * time.Millisecond},
		"0":                       {Distribution: "constant"},
		"'Uniform( 2s , 500ms )'": {Distribution: "uniform", Mean: 2 * time.Second, Deviation: 500 * time.Millisecond},
		"gaussian(1 0.1)":         {Distribution: "gaussian", Mean: time.Second, Deviation: 100 * time.Millisecond},
		"'POISSON(1s,300ms)'":     {Distribution: "poisson", Mean: time.Second, Deviation: 300 * time.Millisecond},
		"'${pause}'":              {Distribution: "constant", Template: Text{Value: "${pause}"}},
	} {
		got := requestOf(t, "{url: /, think-time: "+text+"}", "variables: {pause: 5}").Settings.ThinkTime
		if diff := cmp.Diff(want, got.V, ignorePlaces); diff != "" || !got.Set {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

func TestDecodeRequest(t *testing.T) {
	r := requestOf(t, "{url: '/x/${id}', method: post, label: 010, timeout: 2s, accept: [200, 4xx, '5??'], "+
		"headers: {A: 1, B: null}, keepalive: no, host: h, when: 'id > 1', tls: {verify: off}}", "variables: {id: 1}")
	want := &Request{
		Label: Text{Value: "010"}, URL: Text{Value: "/x/${id}"}, Method: Text{Value: "POST"}, Condition: Text{Value: "id > 1"},
		SuccessOn: []string{"200", "4xx", "5xx"},
		Settings: RequestSettings{
			Headers:   []Header{{Name: "A", Value: Text{Value: "1"}}, {Name: "B", Unset: true}},
			Timeouts:  Timeouts{Connect: Value[time.Duration]{V: 2 * time.Second, Set: true}, FirstByte: Value[time.Duration]{Set: true}, Total: Value[time.Duration]{V: 2 * time.Second, Set: true}},
			KeepAlive: Value[bool]{Set: true}, Host: Text{Value: "h"}, TLS: &TLS{},
		},
	}
	if diff := cmp.Diff(want, r, ignorePlaces); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if r.Label.Pos.Line != 6 || r.Path != "scenarios.s.requests.0" || r.URL.Path != "scenarios.s.requests.0.url" {
		t.Errorf("places: %v %q %q", r.Label.Pos, r.Path, r.URL.Path)
	}
}

func TestDecodeChecks(t *testing.T) {
	r := requestOf(t, `{url: /, assert: [a, {contains: [b, 5], subject: headers, regexp: no, not: yes}],
      assert-jsonpath: [$.a, {jsonpath: $.b, validate: true, expected-value: 5, invert: true}], assert-xpath: {xpath: //a, use-tolerant-parser: true},
      extract-jsonpath: {id: $.id, n: {jsonpath: $.n, match-no: -1, default: null}}, extract-regexp: {r: (a)},
      extract-boundary: {b: {left: '<', right: '>', subject: code}}, extract-header: {h: ETag}}`, "variables: {}")
	text := func(s string) Text { return Text{Value: s} }
	asserts := []Assert{
		{Kind: AssertContains, Subject: "body", Patterns: []Text{text("a")}, Regexp: true},
		{Kind: AssertContains, Subject: "headers", Patterns: []Text{text("b"), text("5")}, Not: true},
		{Kind: AssertJSONPath, Query: text("$.a"), Regexp: true},
		{Kind: AssertJSONPath, Query: text("$.b"), Regexp: true, Validate: true, Expected: text("5"), Not: true},
		{Kind: AssertXPath, Query: text("//a"), Tolerant: true},
	}
	if diff := cmp.Diff(asserts, r.Asserts, ignorePlaces); diff != "" {
		t.Errorf("asserts (-want +got):\n%s", diff)
	}
	extractors := []Extractor{
		{Kind: ExtractJSONPath, Variable: "id", Query: text("$.id"), Subject: "body"},
		{Kind: ExtractJSONPath, Variable: "n", Query: text("$.n"), Subject: "body", MatchNo: Value[int]{V: -1, Set: true}, Default: Value[string]{Set: true}},
		{Kind: ExtractRegexp, Variable: "r", Query: text("(a)"), Subject: "body", Template: "1"},
		{Kind: ExtractBoundary, Variable: "b", Left: text("<"), Right: text(">"), Subject: "http-code"},
		{Kind: ExtractHeader, Variable: "h", Query: text("ETag"), Subject: "body"},
	}
	if diff := cmp.Diff(extractors, r.Extractors, ignorePlaces); diff != "" {
		t.Errorf("extractors (-want +got):\n%s", diff)
	}
}

func TestDecodeBlocks(t *testing.T) {
	file, _ := decodeText(t, `
execution: [{scenario: s}]
scenarios:
  s:
    setup: [http://h/0]
    requests:
    - {if: a, then: [http://h/1], else: [http://h/2]}
    - {loop: 3, do: [{while: b, do: [{foreach: x in xs, do: [{once: [http://h/3]}]}]}]}
    - {transaction: t, do: [http://h/4], force-parent-sample: yes, include-timers: on}
    - {parallel: [http://h/5], in-flight: 2}
    - {retry: 2, do: [http://h/6]}
    - {include-scenario: t}
    - {action: pause, pause-duration: 1s}
    - {set-variables: {a: 1, b: [x]}}
    - {setup: [http://h/7]}
  t: {requests: [http://h/8]}
`)
	url := func(s string) []Step {
		return []Step{&Request{Label: Text{Value: s}, URL: Text{Value: s}, Method: Text{Value: "GET"}}}
	}
	want := []Step{
		&If{Condition: Text{Value: "a"}, Then: url("http://h/1"), Else: url("http://h/2")},
		&Loop{Count: Text{Value: "3"}, Do: []Step{&While{Condition: Text{Value: "b"}, Do: []Step{
			&ForEach{Item: "x", List: "xs", Do: []Step{&Once{Do: url("http://h/3")}}},
		}}}},
		&Transaction{Label: Text{Value: "t"}, Do: url("http://h/4"), ForceParentSample: Value[bool]{V: true, Set: true}, IncludeTimers: true},
		&Parallel{Branches: url("http://h/5"), InFlight: Value[int]{V: 2, Set: true}},
		&Retry{Attempts: 2, Do: url("http://h/6")},
		&Include{Scenario: "t"},
		&Action{Action: "pause", Target: "current-thread", Pause: Text{Value: "1s"}},
		&SetVariables{Variables: []Variable{
			{Name: "a", Value: &Node{Kind: Scalar, Text: "1"}},
			{Name: "b", Value: &Node{Kind: Sequence, Items: []*Node{{Kind: Scalar, Text: "x"}}}},
		}},
	}
	if diff := cmp.Diff(want, file.Scenarios[0].Requests, ignorePlaces); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(append(url("http://h/7"), url("http://h/0")...), file.Scenarios[0].Setup, ignorePlaces); diff != "" {
		t.Errorf("setup (-want +got):\n%s", diff)
	}
}

func TestDecodeCriteriaOfAllPlaces(t *testing.T) {
	file, _ := decodeText(t, `
execution:
- {scenario: s, criteria: {slow: p95>1s}}
- {scenario: s}
scenarios:
  s: {requests: [http://localhost/], criteria: [hits<5]}
reporting:
- module: passfail
  criteria:
  - {assert: 'p95() < 1s', message: m}
  - {criterion: fail of a>5%, if-no-data: pass, stop: no}
  - too many bytes: bytes>1k
  - {subject: avg-rt, label: 'a: b, c>d', condition: '>=', threshold: 1s500ms, logic: within, timeframe: 5}
`)
	type row struct{ Text, Message, Execution, IfNoData, Path string }
	var got []row
	for _, c := range file.Criteria {
		got = append(got, row{c.Text, c.Message, c.Execution, c.IfNoData, c.Path})
	}
	want := []row{
		{"p95>1s", "slow", "s", "", "execution.0.criteria.0"},
		{"hits<5", "", "s", "", "scenarios.s.criteria.0"},
		{"hits<5", "", "s-2", "", "scenarios.s.criteria.0"},
		{"p95() < 1s", "m", "", "", "reporting.2.criteria.0"},
		{"fail of a>5%, continue as failed", "", "", "pass", "reporting.2.criteria.1"},
		{"bytes>1k", "too many bytes", "", "", "reporting.2.criteria.2"},
		{"avg-rt of a: b, c>d>=1s500ms within 5s", "", "", "", "reporting.2.criteria.3"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDecodeReporting(t *testing.T) {
	names := func(text string) string {
		file, _ := decodeText(t, "execution: [{scenario: s}]\n"+twoScenarios+text)
		var out []string
		for _, m := range file.Reporting {
			out = append(out, m.Name+m.Options.String())
		}
		return strings.Join(out, " ")
	}
	for text, want := range map[string]string{
		"":                                  "final-stats{} console{}",
		"reporting: [csv]":                  "final-stats{} console{} csv{}",
		"reporting: [final_stats, console]": "final-stats{} console{}",
		"reporting: [{module: final-stats, dump-csv: a}, {module: final-stats, dump-csv: b}]":        `console{} final-stats{"dump-csv":"b"}`,
		"reporting: [junit-xml]\nmodules: {junit-xml: {filename: f}, final-stats: {summary: false}}": `final-stats{"summary":false} console{} junit-xml{"filename":"f"}`,
		"reporting: [{module: jtl, run-at: cloud}, {module: csv, run-at: local}, blazemeter]":        "final-stats{} console{} csv{}",
	} {
		if got := names(text); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", text, got, want)
		}
	}
}

func TestDecodeSettings(t *testing.T) {
	file, _ := decodeText(t, "execution: [{scenario: s}]\n"+twoScenarios)
	want := Settings{
		ArtifactsDir: "%Y-%m-%d_%H-%M-%S.%f", Preflight: true, DNS: DNS{Select: "first"}, DefaultGate: "requests", IgnoreLabels: []string{"ignore"},
		Percentiles: []float64{0, 50, 90, 95, 99, 99.9, 100},
	}
	if diff := cmp.Diff(want, file.Settings, ignorePlaces, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(Settings{}, "Env", "ArtifactsDir")); diff != "" {
		t.Errorf("defaults (-want +got):\n%s", diff)
	}
	file, _ = decodeText(t, "execution: [{scenario: s}]\n"+twoScenarios+`
settings: {seed: 7, preflight: off, dns: {servers: ["::1", "10.0.0.2:5353"], ttl: 0, select: round-robin}, default-gate: none, graceful-stop: 3s, aggregator: functional-consolidator}
modules:
  local: {sequential: true, capacity: 5}
  consolidator: {percentiles: [50, 99.5], generalize-labels: 9, ignore-labels: x}
  jmeter: {properties: {a: 1}, system-properties: {http.proxyHost: p}}
`)
	want = Settings{
		Seed: Value[uint64]{V: 7, Set: true}, DefaultGate: "none", GracefulStop: Value[time.Duration]{V: 3 * time.Second, Set: true},
		Functional: true, Sequential: true, Capacity: 1, Percentiles: []float64{50, 99.5}, MaxLabels: 9, IgnoreLabels: []string{"x"},
		Properties: map[string]string{"a": "1"}, SystemProperties: map[string]string{"http.proxyHost": "p"},
		DNS: DNS{Servers: []string{"[::1]:53", "10.0.0.2:5353"}, TTL: Value[time.Duration]{Set: true}, Select: "round-robin"},
	}
	if diff := cmp.Diff(want, file.Settings, ignorePlaces, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(Settings{}, "Env", "ArtifactsDir")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
