package engine

import (
	"compress/gzip"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/metrics"
)

func TestExtractions(t *testing.T) {
	s := newSeen(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/search":
			fmt.Fprint(w, `{"features":[{"id":"a"},{"id":"b"},{"id":"c"}],"matched":3,"token":null}`)
		case "/page":
			fmt.Fprint(w, `<a href="/next?x=1">next</a>`)
		}
	})
	snap := script(t, s, `
    requests:
    - url: /search
      extract-jsonpath: {first: '$.features[0].id', all: {jsonpath: '$.features[*].id', match-no: -1}, n: $.matched, gone: {jsonpath: $.nothing, default: none}}
    - '/items/${first}?n=${n}&of=${all_matchNr}&gone=${gone}'
    - {foreach: id in all, do: ['/each/${id}']}
    - {url: /page, extract-regexp: {href: 'href="([^"]+)"'}}
    - {url: '${href}', label: link}
`)
	wantSeen(t, s, "GET /search", "GET /items/a?n=3&of=3&gone=none", "GET /each/a", "GET /each/b", "GET /each/c", "GET /page", "GET /next?x=1")
	if total := snap.Total(); total.Failed != 0 {
		t.Errorf("failed: %+v", snap.Errors())
	}
}

func TestExtractionThatFindsNothingFails(t *testing.T) {
	s := newSeen(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, `{"a": 1}`) })
	snap := script(t, s, `
    requests:
    - {url: /a, label: lost, extract-jsonpath: {x: $.b}}
    - '/use/${x}'
    - {url: /a, label: fine, extract-jsonpath: {x: {jsonpath: $.b, default: ''}}}
`)
	if lost := snap.Label("", "lost"); lost.Failed != 1 || lost.Faults[metrics.FaultExtraction] != 1 {
		t.Errorf("lost: failed %d, faults %v", lost.Failed, lost.Faults)
	}
	if fine := snap.Label("", "fine"); fine.Failed != 0 {
		t.Errorf("a default was given, but: %+v", snap.Errors())
	}
	wantSeen(t, s, "GET /a", "GET /use/NOT_FOUND", "GET /a")
}

func TestAssertions(t *testing.T) {
	s := newSeen(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Kind", "json")
		if r.URL.Path == "/404" {
			w.WriteHeader(404)
		}
		fmt.Fprint(w, `{"type":"FeatureCollection","features":[1,2]}`)
	})
	tests := []struct {
		name, assert string
		url          string
		fails        bool
	}{
		{"substring", "assert: [FeatureCollection]", "/", false},
		{"substring missing", "assert: [Nothing]", "/", true},
		{"inverted", "assert: [{contains: [Nothing], not: true}]", "/", false},
		{"header", "assert: [{contains: ['X-Kind: json'], subject: headers}]", "/", false},
		{"a 404 fails although it is asserted", "assert: [{contains: ['404'], subject: http-code}]", "/404", true},
		{"assume-success", "assert: [{contains: ['404'], subject: http-code, assume-success: true}]", "/404", false},
		{"jsonpath", "assert-jsonpath: [{jsonpath: '$.features[1]', validate: true, expected-value: '2'}]", "/", false},
		{"jsonpath of another value", "assert-jsonpath: [{jsonpath: '$.features[1]', validate: true, expected-value: '3'}]", "/", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			snap := script(t, s, "    requests: [{url: "+tt.url+", label: x, "+tt.assert+"}]\n")
			if failed := snap.Label("", "x").Failed == 1; failed != tt.fails {
				t.Errorf("failed %v, want %v: %+v", failed, tt.fails, snap.Errors())
			}
		})
	}
}

func TestCompressedBodiesAreRead(t *testing.T) {
	s := newSeen(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		fmt.Fprint(z, `{"id": "inside"}`)
		_ = z.Close()
	})
	snap := script(t, s, "    headers: {Accept-Encoding: gzip}\n    requests: [{url: /, extract-jsonpath: {id: $.id}, assert: [inside]}, '/${id}']\n")
	if total := snap.Total(); total.Failed != 0 || total.ClientWork.Max == 0 {
		t.Errorf("failed %d, client work %d, errors %+v", total.Failed, total.ClientWork.Max, snap.Errors())
	}
	if !strings.HasPrefix(s.got[1], "GET /inside") {
		t.Errorf("saw %v", s.got)
	}
}

func TestDataSources(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "rows.csv")
	if err := os.WriteFile(name, []byte("id,lang\n1,de\n2,fr\n3,it\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newSeen(t, nil)
	text := func(load, loop string) string {
		return fmt.Sprintf(`
execution: [{%s, scenario: s}]
scenarios: {s: {default-address: %q, data-sources: [{path: %q, loop: %s}], requests: ['/${id}/${lang}']}}
`, load, s.URL, name, loop)
	}
	runPlan(t, compile(t, text("iterations: 4", "true")), RunOptions{})
	wantSeen(t, s, "GET /1/de", "GET /2/fr", "GET /3/it", "GET /1/de")
	s.forget()
	plan := compile(t, text("concurrency: 2, hold-for: 1h", "false"))
	for range 2 { // a plan may be run again
		snap := runPlan(t, plan, RunOptions{})
		if got := snap.Total().Finished; got != 3 {
			t.Errorf("%d requests, want one for each of 3 rows", got)
		}
	}
	if it := runPlan(t, compile(t, text("arrival-rate: 100/s, hold-for: 1h", "false")), RunOptions{}).Iterations(); it.Started != 3 || it.Interrupted != 0 {
		t.Errorf("open: %+v", it)
	}
	if got := plan.Describe().Executions[0]; *got.DataSources[0].Rows != 3 || got.DataSources[0].Loop || !strings.Contains(got.Ends, "when the rows of "+name+" are used up") {
		t.Errorf("%+v: %s", got.DataSources, got.Ends)
	}
	s.forget()
	tr := &traces{}
	runPlan(t, plan, RunOptions{Once: true, DataRow: 1, Tracer: tr})
	wantSeen(t, s, "GET /2/fr")
}

func TestTraceShowsExtractionsAndChecks(t *testing.T) {
	s := newSeen(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, `{"id": "x"}`) })
	plan := compile(t, fmt.Sprintf("execution: [{scenario: s}]\nscenarios: {s: {default-address: %q, requests: [{url: /a, extract-jsonpath: {id: $.id}, assert: [nowhere, x]}]}}\n", s.URL))
	tr := &traces{}
	runPlan(t, plan, RunOptions{Once: true, Tracer: tr})
	one := tr.all[0]
	if diff := cmp.Diff([]TraceExtraction{{Variable: "id", Query: "jsonpath $.id", Value: "x", Found: true}}, one.Extractions); diff != "" {
		t.Error(diff)
	}
	if len(one.Checks) != 2 || one.Checks[0].OK || !one.Checks[1].OK || one.Fault != "assertion" || one.Step != "scenarios.s.requests.0" {
		t.Errorf("%+v", one)
	}
}
