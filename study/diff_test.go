package study

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
)

// noisy is a run of some seconds whose requests take about ms, log-normally, in a run that is off by a percent or two as a whole.
func noisy(random *rand.Rand, seconds, perSecond int, ms float64) Result {
	drift := math.Exp(0.01 * random.NormFloat64())
	list := make([]second, seconds)
	for i := range list {
		slow := math.Exp(0.02 * random.NormFloat64())
		for range perSecond {
			list[i].responses = append(list[i].responses, int64(ms*1e6*drift*slow*math.Exp(0.3*random.NormFloat64())))
		}
	}
	return made(list)
}

// kept makes stored runs of results.
func kept(name string, results ...Result) *Stored {
	s := &Stored{Name: name, confidence: 0.95}
	for _, r := range results {
		s.Runs = append(s.Runs, StoredRun{Intervals: r.Intervals, figures: criteria.NewStored(r.Intervals), labels: labelsOf(r.Intervals)})
	}
	return s
}

func find(t *testing.T, c *report.Comparison, label, metric string) report.ComparisonRow {
	t.Helper()
	for _, r := range c.Rows {
		if r.Label == label && r.Metric == metric {
			return r
		}
	}
	t.Fatalf("no row %s %s in %+v", label, metric, c.Rows)
	return report.ComparisonRow{}
}

func TestDiff(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	run := func(ms float64) Result { return noisy(random, 30, 100, ms) }
	several := func(ms float64, n int) (list []Result) {
		for range n {
			list = append(list, run(ms))
		}
		return list
	}
	for _, tt := range []struct {
		name    string
		a, b    *Stored
		verdict report.Effect
		ranged  bool
		note    string
	}{
		{"six runs a side, 30 % slower", kept("a", several(10, 6)...), kept("b", several(13, 6)...), report.Slower, true, ""},
		{"six runs a side, 30 % faster", kept("a", several(13, 6)...), kept("b", several(10, 6)...), report.Faster, true, ""},
		{"single runs, 50 % slower", kept("a", run(10)), kept("b", run(15)), report.Slower, true, "one run a side"},
		{"too few runs a side", kept("a", several(10, 2)...), kept("b", several(13, 2)...), report.NoEffect, false, "too few"},
		{"one run against five, 50 % slower", kept("a", several(10, 5)...), kept("b", run(15)), report.Slower, true, ""},
		{"one run against five of its own", kept("a", several(10, 5)...), kept("b", run(10)), report.NoEffect, true, ""},
		{"one run against two", kept("a", several(10, 2)...), kept("b", run(10)), report.NoEffect, false, "three runs"},
		{"short single runs", kept("a", noisy(random, 5, 50, 10)), kept("b", noisy(random, 5, 50, 20)), report.NoEffect, false, "too short"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := Diff(tt.a, tt.b, 0.95)
			r := find(t, c, "search", "p50")
			if r.Verdict != tt.verdict || (r.Low != nil) != tt.ranged {
				t.Errorf("%+v", r)
			}
			if notes := strings.Join(c.Notes, "; "); tt.note != "" && !strings.Contains(notes, tt.note) {
				t.Errorf("notes %q, want %q", notes, tt.note)
			}
		})
	}
}

func TestDiffOfAnotherScenarioSaysSo(t *testing.T) {
	a, b := kept("a", steady(1, 5, 1e6)), kept("b", steady(1, 5, 1e6))
	b.Runs[0].labels = []string{"other"}
	c := Diff(a, b, 0.95)
	if text := strings.Join(c.Findings, "; "); !strings.Contains(text, "no label in common: a has search, and b has other") {
		t.Error(text)
	}
}

func TestSpreadOfStoredRuns(t *testing.T) {
	s := kept("a", steady(2, 50, 10e6), steady(2, 50, 11e6), steady(2, 50, 12e6))
	v, ok := s.Value("p50", false, "", "search")
	if !ok || math.Abs(v-0.011) > 0.0001 {
		t.Errorf("median %v %v", v, ok)
	}
	low, high, ok := s.Spread("p50", false, "", "search")
	if !ok || low > 0.010 || high < 0.012 {
		t.Errorf("spread %v…%v %v", low, high, ok)
	}
	if _, _, ok := kept("a", steady(1, 5, 1e6)).Spread("p50", false, "", ""); ok {
		t.Error("one run has a spread")
	}
}

func TestSaveAndOpen(t *testing.T) {
	root := t.TempDir()
	run := filepath.Join(root, "run")
	writeRun(t, run, steady(3, 10, 5e6).Intervals)
	if _, err := Save(root, "../x", []string{run}); err == nil {
		t.Error("a name with a path was taken")
	}
	if _, err := Save(root, "main", []string{run, run}); err != nil {
		t.Fatal(err)
	}
	s, err := OpenRuns(root, "main")
	if err != nil || len(s.Runs) != 2 || !slices.Equal(s.Labels(), []string{"search"}) {
		t.Fatalf("%v %+v", err, s)
	}
	if _, err := OpenRuns(root, "mian"); err == nil || !strings.Contains(err.Error(), "baselines are main") {
		t.Errorf("%v", err)
	}
	other := filepath.Join(root, "other")
	intervals := steady(1, 10, 5e6).Intervals
	intervals[0].Rows[0].Label = "else"
	writeRun(t, other, intervals)
	if _, err := Save(root, "mixed", []string{run, other}); err == nil || !strings.Contains(err.Error(), "different labels") {
		t.Errorf("%v", err)
	}
	if s, err := OpenRuns(root, "main"); err != nil || len(s.Runs) != 2 {
		t.Errorf("a failed save touched another baseline: %v", err)
	}
}

func TestSummaryAlone(t *testing.T) {
	name := filepath.Join(t.TempDir(), "summary.json")
	text := `{"name":"x","total":{"count":200,"failures":4,"rate":20,"response_ms":{"p50":10,"p95":20,"p99":30,"p999":40,"mean":12},"codes":{"200":196,"503":4}},
		"labels":[{"label":"search","kind":"request","count":200,"failures":4,"rate":20,"response_ms":{"p50":10},"codes":{}}]}`
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := OpenRuns("", name)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		subject string
		percent bool
		want    float64
	}{{"p95", false, 0.02}, {"p99.9", false, 0.04}, {"avg-rt", false, 0.012}, {"fail", true, 2}, {"fail", false, 4}, {"succ", false, 196}, {"rc5??", true, 2}, {"rate", false, 20}} {
		if got, ok := s.Value(tt.subject, tt.percent, "", ""); !ok || math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("%s: %v %v, want %v", tt.subject, got, ok, tt.want)
		}
	}
	if _, ok := s.Value("p42", false, "", ""); ok {
		t.Error("a percentile that was never written has a value")
	}
}

func writeRun(t *testing.T, dir string, intervals []*metrics.Interval) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(dir, logFile))
	if err != nil {
		t.Fatal(err)
	}
	log, err := metrics.NewLogWriter(f, map[string]any{"name": "x"})
	if err != nil {
		t.Fatal(err)
	}
	for _, iv := range intervals {
		if err := log.Append(iv); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
}
