package main

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/tidwall/gjson"

	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/internal/browser"
)

// TestStudyPagesInBrowser makes studies, opens their pages, and holds every figure on them against the study's JSON.
func TestStudyPagesInBrowser(t *testing.T) {
	t.Parallel()
	b := browser.Open(t)
	var n atomic.Int64
	target := httptest.NewServer(testHandler(&n))
	t.Cleanup(target.Close)
	dir := t.TempDir()
	file := filepath.Join(dir, "run.yml")
	document := "execution: {concurrency: 2, iterations: 20, scenario: s}\nscenarios:\n  s:\n    default-address: " + target.URL +
		"\n    requests: [{url: /delay/2, label: page}, {url: /, label: home}]\n"
	if err := os.WriteFile(file, []byte(document), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, study := range []struct {
		name    string
		args    []string
		table   string // its rows on the page
		rows    string // in the JSON
		columns []string
	}{
		{
			"sweep", []string{"benchmark", file, "--api-address", target.URL, "--users", "1,2,4", "--run-time", "400ms", "--spawn-rate", "100", "--warm-up", "0", "--pause", "0"},
			"#runs", "rows", []string{
				"users", "requests", "failures", "rps", "min_ms", "mean_ms", "median_ms", "p95_ms", "p99_ms", "max_ms", "bytes_received", "generator_cpu_percent",
			},
		},
		{
			"compare", []string{"compare", file, "--variant", "slower:scenarios.s.requests.0.url=/delay/12", "--repeats", "4", "--pause", "0"},
			"#comparison-1", "rows", []string{"difference_percent", "", "baseline", "variant", "runs", "verdict"},
		},
		{
			"capacity", []string{
				"capacity", file, "--objective", "p95<20s", "--load", "concurrency", "--from", "2", "--to", "8", "--step", "500ms", "--warm-up", "100ms",
				"--cool-down", "0", "--confirm", "1",
			},
			"#steps", "curve", []string{"achieved", "p50_ms", "p95_ms", "p99_ms", "failures", "dropped", "held"},
		},
	} {
		b.Part(study.name, func(t *testing.T) {
			out := filepath.Join(dir, study.name)
			page := filepath.Join(out, "page.html")
			if told, code := call(t, append(study.args, "--artifacts", out, "--html", page)...); code != 0 {
				t.Fatalf("code %d: %s", code, told)
			}
			b.Do(chromedp.EmulateViewport(1280, 900), chromedp.Navigate("file://"+page))
			b.Pictures("real-" + study.name)
			var shown [][]string
			text := b.Text(`JSON.stringify([...document.querySelectorAll('` + study.table + ` tbody tr')].map((r) => [...r.querySelectorAll('td[data-value]')].map((c) => c.dataset.value)))`)
			if err := json.Unmarshal([]byte(text), &shown); err != nil {
				t.Fatal(err)
			}
			kept, err := os.ReadFile(filepath.Join(out, study.name+".json"))
			if err != nil {
				t.Fatal(err)
			}
			rows := gjson.GetBytes(kept, study.rows).Array()
			if len(rows) == 0 || len(rows) != len(shown) {
				t.Fatalf("%d rows on the page, %d in the file", len(shown), len(rows))
			}
			for i, row := range rows {
				var want []string
				for _, column := range study.columns {
					if column == "" {
						want = append(want, strings.TrimSpace(plain(row.Get("low_percent"))+" "+plain(row.Get("high_percent"))))
						continue
					}
					if value := row.Get(column); value.Type != gjson.Null {
						want = append(want, plain(value))
					}
				}
				// An interval that is not known is no value.
				if got := slices.DeleteFunc(shown[i], func(s string) bool { return strings.TrimSpace(s) == "" }); !slices.Equal(got, slices.DeleteFunc(want, func(s string) bool { return s == "" })) {
					t.Errorf("row %d shows %q, the file has %q", i, got, want)
				}
			}
			// What is read is the same figure in a unit for people.
			if study.name != "compare" {
				for i, row := range rows {
					want := criteria.Seconds(row.Get("p95_ms").Float() / 1e3)
					if got := b.Text(fmt.Sprintf(`document.querySelectorAll('%s tbody tr')[%d].textContent`, study.table, i)); !strings.Contains(got, want) {
						t.Errorf("row %d: %q has no %s", i, got, want)
					}
				}
			}
			// A run is a click away.
			b.Do(chromedp.Navigate(b.Text(`document.querySelector('section a').href`)))
			b.Until("the page of a run", `document.querySelector('#label-table')`)
		})
	}
	for _, problem := range b.Problems() {
		t.Errorf("the browser complains: %s", problem)
	}
}

// plain writes a value as the page has it: numbers as JSON has them, without an exponent where there is none.
func plain(v gjson.Result) string {
	switch v.Type {
	case gjson.Null:
		return ""
	case gjson.String:
		return v.String()
	}
	return v.Raw
}
