package csv

import (
	"encoding/csv"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/reporters/report"
	"github.com/stacrun/stacrun/reporters/reporttest"
)

func read(t *testing.T, name string) []map[string]string {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]string
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, cell := range line {
			row[lines[0][i]] = cell
		}
		rows = append(rows, row)
	}
	return rows
}

func TestTotals(t *testing.T) {
	dir := t.TempDir()
	o := reporttest.Outcome()
	if err := reporttest.Feed(New(Options{}), reporttest.Run(dir), o); err != nil {
		t.Fatal(err)
	}
	rows := read(t, filepath.Join(dir, "totals.csv"))
	var labels []string
	for _, row := range rows {
		labels = append(labels, row["kind"]+" "+row["label"])
	}
	want := []string{"request GET /search", "request landing, \"root\"", "request 検索 über", "transaction visit", "total total"}
	if diff := cmp.Diff(want, labels); diff != "" {
		t.Fatal(diff)
	}
	got := map[string]string{}
	for _, name := range []string{"count", "failures", "interrupted", "rate_per_s", "bytes_received", "response_min_ms", "response_mean_ms", "response_max_ms", "connections"} {
		got[name] = rows[0][name]
	}
	if diff := cmp.Diff(map[string]string{
		"count": "100", "failures": "5", "interrupted": "2", "rate_per_s": "10.000", "bytes_received": "100000",
		"response_min_ms": "10.000", "response_mean_ms": "55.000", "response_max_ms": "100.000", "connections": "10",
	}, got); diff != "" {
		t.Error(diff)
	}
	if len(o.Files) != 2 {
		t.Errorf("files %+v", o.Files)
	}
}

// TestTimelineAddsUp: the counts of the seconds are those of the totals, warm-up apart.
func TestTimelineAddsUp(t *testing.T) {
	dir := t.TempDir()
	if err := reporttest.Feed(New(Options{Timeline: filepath.Join(dir, "sub", "t.csv")}), reporttest.Run(dir), reporttest.Outcome()); err != nil {
		t.Fatal(err)
	}
	sums, warm := map[string]int{}, 0
	for _, row := range read(t, filepath.Join(dir, "sub", "t.csv")) {
		n, err := strconv.Atoi(row["count"])
		if err != nil || row["execution"] != "browse" {
			t.Fatalf("%v: %v", row, err)
		}
		if row["warm_up"] == "true" {
			warm += n
			continue
		}
		sums[row["label"]] += n
	}
	if diff := cmp.Diff(map[string]int{"GET /search": 100, "landing, \"root\"": 20, "検索 über": 10, "visit": 10}, sums); diff != "" || warm != 1 {
		t.Errorf("warm-up %d, %s", warm, diff)
	}
}

func TestWithoutTimeline(t *testing.T) {
	dir := t.TempDir()
	if err := reporttest.Feed(New(Options{NoTimeline: true}), reporttest.Run(dir), reporttest.Outcome()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "timeline.csv")); !errors.Is(err, os.ErrNotExist) {
		t.Error("a time line was written")
	}
}

// TestWriteErrorIsReturned uses the device that is always full.
func TestWriteErrorIsReturned(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full here")
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	c := New(Options{})
	dir := t.TempDir()
	if err := c.Begin(reporttest.Run(dir)); err != nil {
		t.Fatal(err)
	}
	c.file.Close()
	c.file, c.rows = full, csv.NewWriter(full)
	if err := c.Observe(reporttest.Intervals()[0], nil, nil); err == nil {
		t.Error("a full disk was not told")
	}
	if err := c.End(&report.Outcome{}); err != nil {
		t.Errorf("the totals are another file: %v", err)
	}
}

// TestBesideTheTimes: numbers of answers and corrected times stand in columns behind those that were there before.
func TestBesideTheTimes(t *testing.T) {
	run, intervals, o := reporttest.Beside(t.TempDir())
	var totals, timeline strings.Builder
	if err := WriteTotals(&totals, run, o); err != nil {
		t.Fatal(err)
	}
	if err := WriteTimeline(&timeline, run, intervals); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "t.csv")
	for text, want := range map[string]map[string]string{
		totals.String(): {
			"label": "GET /search", "metric": "took", "metric_count": "100", "metric_min": "1.000", "metric_mean": "5.500", "metric_p50": "5.000",
			"metric_p95": "10.000", "metric_max": "10.000", "response_p50_ms": "50.015", "corrected_p50_ms": "40.031", "corrected_max_ms": "100.031",
		},
		timeline.String(): {"label": "GET /search", "second": "0", "metric": "took", "metric_count": "10", "metric_p50": "5.000", "metric_max": "10.000"},
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for column := range want {
			got[column] = read(t, name)[0][column]
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	rows := read(t, name)
	if got := rows[1]["metric"] + rows[1]["metric_count"]; got != "" {
		t.Errorf("a label without a number has %q", got)
	}
}
