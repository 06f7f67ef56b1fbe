package html

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/stacrun/stacrun/internal/browser"
	"github.com/stacrun/stacrun/reporters/report"
)

func writtenStudy(t *testing.T, s *report.Study) string {
	t.Helper()
	var b strings.Builder
	if err := WriteStudy(&b, s, ""); err != nil {
		t.Fatal(err)
	}
	checkPage(t, b.String())
	return b.String()
}

// madeCompared is two comparisons: one with differences, one that knows nothing of its spread.
func madeCompared() *report.Compared {
	c := &report.Compared{Head: report.Head{Name: "clients", Version: "1.0.0", Started: time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC)}}
	one := &report.Comparison{
		Title: "1 thread vs. 32", Baseline: "baseline", Variant: "<b>32 threads", Confidence: 0.95,
		Times:     report.RunTimes{Per: 1000, Baseline: []float64{1.2, 1.25, 1.19, 1.22}, Variant: []float64{0.8, 0.82, 0.79, 0.85}},
		Artifacts: report.RunFolders{Baseline: []string{"a/run-1", "a/run-2", "a/run-3", "a/run-4"}, Variant: []string{"b/run-1", "b/run-2", "b/run-3", "b/run-4"}},
		Notes:     []string{"of 24 rows at 95 %, about 1 would show a difference by chance alone"}, Findings: []string{"unequal work: </script> is 10 % of the requests"},
	}
	for k, label := range []string{report.AllRequests, "GET /search", "item <id>"} {
		for i, metric := range report.Metrics() {
			d := float64(10*(i-2)*(k+1)) / 2
			row := report.ComparisonRow{Name: one.Variant, Label: label, Metric: metric, Baseline: 20, Variant: 20 * (1 + d/100), Runs: 4, Verdict: report.NoEffect}
			row.Difference, row.Low, row.High = report.Relative(d), report.Relative(d-4), report.Relative(d+6)
			switch {
			case metric == "failures":
				row.Baseline, row.Variant, row.Difference, row.Low, row.High = 0, 1, nil, nil, nil
			case d-4 > 0 == (metric != "rate") && math.Abs(d) > 6:
				row.Verdict = report.Slower
			case math.Abs(d) > 6:
				row.Verdict = report.Faster
			}
			one.Rows = append(one.Rows, row)
		}
	}
	two := &report.Comparison{Baseline: "main", Variant: "now", Confidence: 0.9, Notes: []string{"no spread known"}}
	for _, metric := range report.Metrics() {
		two.Rows = append(two.Rows, report.ComparisonRow{Name: "now", Label: report.AllRequests, Metric: metric, Baseline: 3, Variant: 40, Difference: report.Relative(1233.3), Verdict: report.NoEffect, Runs: 1})
	}
	c.Comparisons = []*report.Comparison{one, two}
	return c
}

func madeCapacity() *report.Capacity {
	c := &report.Capacity{Head: report.Head{Name: "search", Version: "1.0.0"}, Objectives: []string{"p95<250ms", "fail<1%"}, Confirmed: 2, LimitedBy: report.LimitedByLatency}
	low, high, knee := 395.0, 414.0, 320.0
	c.Rate, c.Low, c.High, c.Knee = &low, low, &high, &knee
	c.FirstFailed, c.Reason = "p95 was 1.2s", "at 414 iterations/s the first to give way was latency: p95 was 1.2s"
	for _, load := range []float64{10, 20, 40, 80, 160, 320, 380, 395, 395, 395, 414, 414, 500, 640} {
		s := report.CapacityStep{Level: load, P50MS: 3 + load/100, P95MS: 9 + load/20, P99MS: 15 + load/10, Achieved: min(load, 401), Held: load < 400}
		s.Rate = &s.Level
		if !s.Held {
			s.P50MS, s.P95MS, s.P99MS, s.Dropped, s.LimitedBy, s.Broken = 400, 1200, 1900, int64(load-400), report.LimitedByLatency, []string{"p95 was 1.2s", "<b>"}
		}
		if load == 640 {
			s.Generator, s.LimitedBy, s.Failures = "the processors were used to 96%", report.LimitedByGenerator, 3.5
		}
		c.Curve = append(c.Curve, s)
	}
	return c
}

func TestStudies(t *testing.T) {
	interrupted := madeCapacity()
	interrupted.Interrupted, interrupted.Low, interrupted.Confirmed = true, 0, 0
	users := 12.0
	for name, s := range map[string]*report.Study{
		"no comparison":       {Compared: &report.Compared{Interrupted: true}},
		"comparisons":         {Compared: madeCompared()},
		"no step":             {Capacity: &report.Capacity{}},
		"capacity":            {Capacity: madeCapacity()},
		"interrupted":         {Capacity: interrupted},
		"users, one step":     {Capacity: &report.Capacity{Concurrency: &users, AtLeast: true, Low: users, Curve: []report.CapacityStep{{Level: users, Users: &users, Held: true}}}},
		"a sweep of a folder": {Sweep: madeSweep(), Dir: "not/there"},
	} {
		t.Run(name, func(t *testing.T) { writtenStudy(t, s) })
	}
}

// TestStudyLinks: a run that has a page is linked, from wherever the page of the study lies, and also when the study was moved.
func TestStudyLinks(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a study, moved #1")
	run := filepath.Join(dir, "step-01-10")
	if err := os.MkdirAll(run, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(run, "report.html"), []byte("<p>"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := &report.Capacity{Curve: []report.CapacityStep{{Level: 10, Artifacts: "somewhere/else/step-01-10"}, {Level: 20, Artifacts: "somewhere/else/step-02-20"}}}
	for _, tt := range []struct{ folder, want string }{
		{dir, `href="./step-01-10/report.html"`},
		{filepath.Dir(dir), `href="./a%20study%2C%20moved%20%231/step-01-10/report.html"`},
		{filepath.Join(dir, "x"), `href="./../step-01-10/report.html"`},
	} {
		var b strings.Builder
		if err := WriteStudy(&b, &report.Study{Dir: dir, Capacity: c}, tt.folder); err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(b.String(), "report.html"); got != 1 || !strings.Contains(b.String(), tt.want) {
			t.Errorf("%s: %d links, want one with %s", tt.folder, got, tt.want)
		}
	}
}

// TestStudiesInBrowser opens the pages without network, in light and dark, wide and narrow.
func TestStudiesInBrowser(t *testing.T) {
	b := browser.Open(t)
	for name, s := range map[string]*report.Study{
		"sweep": {Sweep: madeSweep()}, "compared": {Compared: madeCompared()}, "capacity": {Capacity: madeCapacity()},
	} {
		b.Part(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), name+".html")
			if err := os.WriteFile(file, []byte(writtenStudy(t, s)), 0o600); err != nil {
				t.Fatal(err)
			}
			b.Do(chromedp.EmulateViewport(1280, 900), chromedp.Navigate("file://"+file))
			b.Pictures("study-" + name)
			b.Scheme("light", "")
			light := b.Text(`getComputedStyle(document.body).backgroundColor`)
			b.Scheme("dark", "")
			if dark := b.Text(`getComputedStyle(document.body).backgroundColor`); dark == light {
				t.Errorf("dark is as light as light: %s", dark)
			}
			b.Do(chromedp.EmulateViewport(400, 800))
			if got := b.Text(`String(document.documentElement.scrollWidth)`); got != "400" {
				t.Errorf("the page is %s pixels wide, want 400", got)
			}
			// Whatever is drawn is said: each drawing that is not hidden has a label.
			if got := b.Text(`String([...document.querySelectorAll('svg')].filter(s => !s.parentElement.closest('svg') && !s.closest('[aria-hidden]') && !s.getAttribute('aria-label')).length)`); got != "0" {
				t.Errorf("%s drawings have no label", got)
			}
			if got := b.Text(`(document.querySelector('#theme').click(), document.documentElement.dataset.theme)`); got != "light" {
				t.Errorf("theme %q after a click", got)
			}
			b.Text(`(document.querySelector('#theme').click(), document.querySelector('#theme').click(), '')`) // it is remembered
		})
	}
	for _, request := range b.Requests() {
		if !strings.HasPrefix(request, "file://") && !strings.HasPrefix(request, "about:") {
			t.Errorf("the page asked for %s", request)
		}
	}
	for _, problem := range b.Problems() {
		t.Errorf("the browser complains: %s", problem)
	}
}

// TestStudyFigures: the figures on the page are those of the study, as it is kept.
func TestStudyFigures(t *testing.T) {
	c := madeCompared()
	page := writtenStudy(t, &report.Study{Compared: c})
	for _, row := range c.Rows() {
		for _, value := range []float64{row.Baseline, row.Variant} {
			if want := `data-value="` + exactly(value) + `"`; !strings.Contains(page, want) {
				t.Errorf("%s %s: no %s", row.Label, row.Metric, want)
			}
		}
	}
}
