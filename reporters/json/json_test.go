package json

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
	"github.com/stacrun/stacrun/reporters/reporttest"
)

var _ = flag.Bool("update", false, "write the goldens")

func TestGolden(t *testing.T) {
	var b strings.Builder
	o := reporttest.Outcome()
	o.Files = []report.Artifact{{Path: "x/xunit.xml", Kind: "junit"}}
	if err := Write(&b, reporttest.Run(reporttest.Dir), o); err != nil {
		t.Fatal(err)
	}
	reporttest.Golden(t, "summary.json", b.String())
}

// TestContract holds the summary against the documented field names and kinds of values.
func TestContract(t *testing.T) {
	for _, o := range []*report.Outcome{reporttest.Outcome(), {Result: report.ResultError, ExitCode: 1}} {
		var b strings.Builder
		if err := Write(&b, reporttest.Run(reporttest.Dir), o); err != nil {
			t.Fatal(err)
		}
		var s map[string]any
		if err := json.Unmarshal([]byte(b.String()), &s); err != nil {
			t.Fatal(err)
		}
		has(t, "summary", s, "outcome exit_code started duration_s requests total labels criteria generator seed files version")
		has(t, "requests", s["requests"], "started finished interrupted dropped failed exchanges")
		has(t, "generator", s["generator"], "cpu_share lag_p99_ms gc_pause_max_ms bottleneck reason")
		label(t, s["total"])
		for _, l := range s["labels"].([]any) {
			has(t, "label", l, "label")
			label(t, l)
		}
		for _, c := range s["criteria"].([]any) {
			has(t, "criterion", c, "text result observed limit label since_s")
			if result := c.(map[string]any)["result"]; !slices.Contains([]any{"passed", "failed", "not-evaluated"}, result) {
				t.Errorf("result %v", result)
			}
		}
	}
}

func label(t *testing.T, l any) {
	t.Helper()
	has(t, "figures", l, "count failures rate bytes_sent bytes_received service_ms response_ms codes faults")
	for _, times := range []string{"service_ms", "response_ms"} {
		has(t, times, l.(map[string]any)[times], "min mean stdev p50 p90 p95 p99 p999 max")
	}
}

func has(t *testing.T, what string, value any, names string) {
	t.Helper()
	object, ok := value.(map[string]any)
	if !ok {
		t.Fatalf("%s is no object but %T", what, value)
	}
	for _, name := range strings.Fields(names) {
		if _, ok := object[name]; !ok {
			t.Errorf("%s lacks %q", what, name)
		}
	}
}

func TestFigures(t *testing.T) {
	s := NewSummary(reporttest.Run(""), reporttest.Outcome())
	if diff := cmp.Diff(Requests{Started: 133, Finished: 131, Interrupted: 2, Failed: 15, Dropped: 1, Exchanges: 131, WarmUp: 1, StartedWarm: 1, ExchangesWarm: 1}, s.Requests); diff != "" {
		t.Error(diff)
	}
	if s.Requests.Started != s.Requests.Finished+s.Requests.Interrupted {
		t.Error("requests do not add up")
	}
	if diff := cmp.Diff(map[string]int64{"200": 95, "0": 5}, s.Labels[0].Codes); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]int64{"reset": 5}, s.Labels[0].Faults); diff != "" {
		t.Error(diff)
	}
	if *s.Total.Rate != 13 || *s.Labels[0].Response.Mean != 55 || *s.Labels[0].Service.Min != 10 {
		t.Errorf("rate %v, mean %v, min %v", *s.Total.Rate, *s.Labels[0].Response.Mean, *s.Labels[0].Service.Min)
	}
}

func TestFileListsItselfAndIsWhole(t *testing.T) {
	dir := t.TempDir()
	o := reporttest.Outcome()
	if err := reporttest.Feed(New(Options{}), reporttest.Run(dir), o); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "summary.json")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var s Summary
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	if len(s.Artifacts) != 1 || s.Artifacts[0].Path != name || len(o.Files) != 1 {
		t.Errorf("artifacts %+v, files %+v", s.Artifacts, o.Files)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("left-overs: %v", entries)
	}
}

func TestClosedOutput(t *testing.T) {
	if err := Write(&reporttest.Full{Room: 50}, reporttest.Run(""), reporttest.Outcome()); !errors.Is(err, reporttest.ErrFull) {
		t.Errorf("%v", err)
	}
}

// The generator's own work is a figure of its own, where there was any.
func TestClientWork(t *testing.T) {
	totals := report.NewTotals(metrics.NewSnapshot())
	row := &metrics.Row{Finished: 2, ClientWork: metrics.Sum{Count: 2, Total: 3e6}}
	if got := newLabel(row, totals).ClientWork; got == nil || *got != 1.5 {
		t.Errorf("client work %v, want 1.5 ms", got)
	}
	if got := newLabel(&metrics.Row{Finished: 2}, totals).ClientWork; got != nil {
		t.Errorf("client work %v where there was none", *got)
	}
}
