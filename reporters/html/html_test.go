package html

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
)

func TestReporter(t *testing.T) {
	dir := t.TempDir()
	h := New(Options{Configuration: "settings: {seed: 1}"})
	if err := h.Begin(report.Run{Name: "smoke", Dir: dir, Machines: []report.Machine{{Host: "<here>", Processors: 4, Used: 2}}}); err != nil {
		t.Fatal(err)
	}
	snap := metrics.NewSnapshot()
	madeRun{seconds: 3, labels: labelsNamed(2), rate: 20, slowness: 1, seed: 1}.intervals(func(iv *metrics.Interval) {
		snap.Add(iv)
		if err := h.Observe(iv, snap, nil); err != nil {
			t.Fatal(err)
		}
	})
	o := &report.Outcome{Result: report.ResultPassed, Snapshot: snap}
	if err := h.End(o); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "report.html")
	page, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	checkPage(t, string(page))
	for _, want := range []string{"settings: {seed: 1}", "&lt;here&gt;", "2 used of 4", "PASSED"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("no %q in the page", want)
		}
	}
	if diff := cmp.Diff([]report.Artifact{{Path: name, Kind: "html"}}, o.Files); diff != "" {
		t.Error(diff)
	}
}

func TestReporterRefusesAFolder(t *testing.T) {
	dir := t.TempDir()
	if err := New(Options{Filename: dir}).Begin(report.Run{Dir: dir}); err == nil {
		t.Error("a folder is taken as the file to write")
	}
}

func TestChange(t *testing.T) {
	for _, tt := range []struct {
		name        string
		now, before float64
		worse       bool
		want        *change
	}{
		{"slower", 120, 100, true, &change{"+20.0%", "bad-text"}},
		{"faster", 80, 100, true, &change{"−20.0%", "good-text"}},
		{"higher rate", 120, 100, false, &change{"+20.0%", "good-text"}},
		{"too little to colour", 102, 100, true, &change{"+2.0%", "soft"}},
		{"same", 100, 100, true, &change{"±0%", "soft"}},
		{"many times", 350, 100, true, &change{"×3.5", "bad-text"}},
		{"nothing before", 5, 0, true, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, newChange(tt.now, tt.before, tt.worse)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1234: "-1,234"} {
		if got := report.Thousands(n); got != want {
			t.Errorf("report.Thousands(%d) is %s, want %s", n, got, want)
		}
	}
}
