package engine

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/metrics"
)

func TestForeachOverNothingIsAnError(t *testing.T) {
	const head = "execution: [{scenario: s}]\nscenarios: {s: {default-address: 'http://h', "
	tests := []struct{ name, text, want string }{
		{"nothing makes it", "requests: [{foreach: x in ids, do: [/a]}]}}", `nothing makes a list "ids"`},
		{"near miss", "variables: {ids: [1, 2]}, requests: [{foreach: x in idz, do: [/a]}]}}", `did you mean "ids"?`},
		{"written in place", "requests: [{foreach: 'x in [1,2]', do: [/a]}]}}", `nothing makes a list "[1,2]"`},
		{"one value", "variables: {ids: 5}, requests: [{foreach: x in ids, do: [/a]}]}}", `"ids" holds one value, and there is no ids_1 either`},
		{"a column", "data-sources: [{rows: [{id: 1}]}], requests: [{foreach: x in id, do: [/a]}]}}", `"id" holds one value`},
		{"list variable", "variables: {ids: [1, 2]}, requests: [{foreach: x in ids, do: [/a]}]}}", ""},
		{"numbered variables", "variables: {id_1: a, id_2: b}, requests: [{foreach: x in id, do: [/a]}]}}", ""},
		{"numbered columns", "data-sources: [{rows: [{id_1: 1}]}], requests: [{foreach: x in id, do: [/a]}]}}", ""},
		{"extractor", "requests: [{url: /l, extract-jsonpath: {ids: {jsonpath: '$.ids', match-no: -1}}}, {foreach: x in ids, do: [/a]}]}}", ""},
		{"expression", "variables: {ids: '${json(\"[1]\")}'}, requests: [{foreach: x in ids, do: [/a]}]}}", ""},
		{"set later", "requests: [{set-variables: {ids: [1]}}, {foreach: x in ids, do: [/a]}]}}", ""},
		{"list of lists", "variables: {ids: [[1], [2]]}, requests: [{foreach: x in ids, do: [{foreach: y in x, do: [/a]}]}]}}", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := mistakes(t, head+tt.text)
			if tt.want == "" && strings.Contains(got, "no-list") || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestHiddenLabels(t *testing.T) {
	plan := compile(t, `
execution: [{scenario: s}]
scenarios:
  s:
    default-address: http://h
    requests:
    - {transaction: sum, force-parent-sample: true, do: [{url: /a, label: both}, {url: /b, label: inner}, {transaction: within, do: [/c]}]}
    - {transaction: other, force-parent-sample: true, do: [/d]}
    - {url: /e, label: both}
`)
	var got, hidden []string
	for _, l := range plan.Labels() {
		if l.Kind != metrics.IterationKind {
			got = append(got, l.Name)
		}
	}
	for _, l := range plan.HiddenLabels() {
		hidden = append(hidden, l.Name)
	}
	if diff := cmp.Diff([]string{"sum", "both", "other"}, got); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"inner", "within", "/c", "/d"}, hidden); diff != "" {
		t.Errorf("hidden (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"sum", "both", "other"}, plan.Describe().Executions[0].Labels); diff != "" {
		t.Errorf("described (-want +got):\n%s", diff)
	}
}

func TestPlanCountsWhatWillBeDone(t *testing.T) {
	const rows = "data-sources: [{loop: false, rows: [{a: 1}, {a: 2}, {a: 3}]}], "
	tests := []struct {
		name, load, scenario string
		total, requests      int // -1: unlimited, not known
	}{
		{"rows end it", "concurrency: 2, iterations: 5", rows + "requests: [/a]", 3, 1},
		{"rows end what has no end", "concurrency: 2, hold-for: 1m", rows + "requests: [/a]", 3, 1},
		{"fewer iterations than rows", "iterations: 2", rows + "requests: [/a]", 2, 1},
		{"rows that loop", "iterations: 5", "data-sources: [{rows: [{a: 1}]}], requests: [/a]", 5, 1},
		{"once differs from iteration to iteration", "iterations: 2", "requests: [/a, {once: [/b]}]", 2, -1},
		{"once without requests", "iterations: 2", "requests: [/a, {once: [{set-variables: {x: 1}}]}]", 2, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := compile(t, "execution: [{scenario: s, "+tt.load+"}]\nscenarios: {s: {default-address: 'http://h', "+tt.scenario+"}}").Describe().Executions[0]
			total, requests := -1, -1
			if d.Total != nil {
				total = *d.Total
			}
			if d.Requests != nil {
				requests = int(*d.Requests)
			}
			if total != tt.total || requests != tt.requests {
				t.Errorf("%d iterations of %d requests, want %d of %d", total, requests, tt.total, tt.requests)
			}
		})
	}
}

func TestRequestTimeoutOverridesTheScenarios(t *testing.T) {
	tests := []struct {
		name, scenario, request   string
		connect, firstByte, total time.Duration
	}{
		{"inherited", "{connect: 500ms, first-byte: 400ms, total: 1s}", "", 500 * time.Millisecond, 400 * time.Millisecond, time.Second},
		{"one time for all", "{connect: 500ms, first-byte: 400ms, total: 1s}", ", timeout: 10s", 10 * time.Second, never, 10 * time.Second},
		{"none", "{connect: 500ms, first-byte: 400ms, total: 1s}", ", timeout: 0", never, never, never},
		{"one of three", "{connect: 500ms, first-byte: 400ms, total: 1s}", ", timeout: {first-byte: 2s}", 500 * time.Millisecond, 2 * time.Second, time.Second},
		{"a bound within one time for all", "2s", ", timeout: {first-byte: 1s}", 2 * time.Second, time.Second, 2 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			plan := compile(t, "execution: [{scenario: s}]\nscenarios: {s: {default-address: 'http://h', timeout: "+tt.scenario+", requests: [{url: /a"+tt.request+"}]}}")
			w := plan.executions[0].script[0].(*request).wire
			if w.ConnectTimeout != tt.connect || w.FirstByteTimeout != tt.firstByte || w.TotalTimeout != tt.total {
				t.Errorf("connect %v, first byte %v, total %v", w.ConnectTimeout, w.FirstByteTimeout, w.TotalTimeout)
			}
		})
	}
}

func TestExchangesOfIgnoredLabelsAreCounted(t *testing.T) {
	s := newSeen(t, nil)
	snap := runPlan(t, compile(t, fmt.Sprintf(`
execution: [{concurrency: 2, iterations: 2, scenario: s}]
modules: {consolidator: {ignore-labels: [ign]}}
scenarios:
  s:
    default-address: %q
    requests: [/a, {url: /b, label: ignored}, {parallel: [{url: /c, label: ign}, /d]}, {transaction: t, force-parent-sample: true, do: [/e, {url: /f, label: ign2}]}]
`, s.URL)), RunOptions{})
	sum := int64(0)
	for _, r := range snap.Rows() {
		if r.Kind == metrics.RequestKind || r.Kind == metrics.IterationKind {
			sum += r.Exchanges
		}
	}
	if total := snap.Total(); total.Finished != 12 || sum != s.hits.Load() || sum != 24 {
		t.Errorf("finished %d, exchanges %d, the server saw %d", total.Finished, sum, s.hits.Load())
	}
}

func TestStartAtIsSaid(t *testing.T) {
	at := time.Now().Add(25 * time.Hour).Truncate(time.Second)
	plan := compile(t, "execution: [{iterations: 3, start-at: '"+at.Format(time.DateTime)+"', scenario: s}]"+oneRequest)
	want := "when each of 1 user has done 3 iterations; it does not begin before " + at.Format(time.DateTime)
	if got := plan.Executions()[0].Ends; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := plan.Describe().Executions[0].StartAt; got == nil || !got.Equal(at) {
		t.Errorf("start at %v, want %v", got, at)
	}
}
