package study

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/reporters/report"
)

// side is a side of a comparison whose address tells the fake runner what it is.
func sideOf(t *testing.T, name, text string) Side {
	t.Helper()
	loader := mustLoad(t, text)
	return Side{Name: name, Load: func() (*config.File, error) {
		return load(loader, []string{"scenarios.s.default-address=http://" + name})
	}}
}

func compareOptions() CompareOptions {
	return CompareOptions{Repeats: 12, Precision: 0.02, Confidence: 0.95, Rest: noRest, Dir: "out"}
}

// TestPlantedSlowdown states the error rates: runs whose own spread is 1 % with seconds that vary by 2 %; 20 trials each.
func TestPlantedSlowdown(t *testing.T) {
	trial := func(seed uint64, slowdown float64) report.Effect {
		random := rand.New(rand.NewPCG(seed, 11))
		runner := &fakeRunner{make: func(file *config.File, _ int) (Result, error) {
			ms := 10.0
			if strings.HasSuffix(address(file), "b") {
				ms *= 1 + slowdown
			}
			return noisy(random, 20, 100, ms), nil
		}}
		pair := Pair{Baseline: sideOf(t, "a", searchDocument), Variants: []Side{sideOf(t, "b", searchDocument)}}
		list, err := RunCompare(context.Background(), runner, []Pair{pair}, compareOptions())
		if err != nil {
			t.Fatal(err)
		}
		return find(t, list[0], report.AllRequests, "p50").Verdict
	}
	const trials = 20
	found, wrong, sign := 0, 0, 0
	for seed := range uint64(trials) {
		switch trial(seed, 0.05) {
		case report.Slower:
			found++
		case report.Faster:
			sign++
		}
		if trial(1000+seed, 0) != report.NoEffect {
			wrong++
		}
	}
	t.Logf("a slowdown of 5 %% is found in %d of %d trials; A against A shows a difference in %d", found, trials, wrong)
	// At 95 % one in twenty trials of A against A shows a difference by chance; four or more would happen once in 60 such tests.
	if found < 19 || sign > 0 || wrong > 3 {
		t.Errorf("found %d, with the wrong sign %d, false alarms %d", found, sign, wrong)
	}
}

func TestCompareInterleavesAndStops(t *testing.T) {
	var order []string
	runner := &fakeRunner{make: func(file *config.File, _ int) (Result, error) {
		order = append(order, strings.TrimPrefix(address(file), "http://"))
		return steady(5, 20, 5e6), nil
	}}
	pair := Pair{Title: "x", Baseline: sideOf(t, "a", searchDocument), Variants: []Side{sideOf(t, "b", searchDocument), sideOf(t, "c", searchDocument)}}
	list, err := RunCompare(context.Background(), runner, []Pair{pair}, compareOptions())
	if err != nil {
		t.Fatal(err)
	}
	// Equal figures are known to any precision after the fewest runs with which a difference could be shown.
	if diff := cmp.Diff("a b c c b a a b c c b a", strings.Join(order, " ")); diff != "" {
		t.Error(diff)
	}
	if len(list) != 2 || list[1].Variant != "c" || list[0].Shown() != 0 {
		t.Errorf("%+v", list)
	}
}

// TestCompareSavesEachRound: what a kill leaves is what was measured until the round before, of all pairs.
func TestCompareSavesEachRound(t *testing.T) {
	runner := &fakeRunner{make: func(*config.File, int) (Result, error) { return steady(2, 20, 5e6), nil }}
	o := compareOptions()
	o.Repeats = 2
	var saved [][]int
	o.Save = func(list []*report.Comparison) error {
		var runs []int
		for _, c := range list {
			runs = append(runs, len(c.Times.Variant))
			if len(c.Artifacts.Variant) != len(c.Times.Variant) || len(c.Artifacts.Baseline) != len(c.Times.Baseline) {
				t.Errorf("folders %+v of runs %+v", c.Artifacts, c.Times)
			}
		}
		saved = append(saved, runs)
		return nil
	}
	pair := Pair{Baseline: sideOf(t, "a", searchDocument), Variants: []Side{sideOf(t, "b", searchDocument)}}
	if _, err := RunCompare(context.Background(), runner, []Pair{pair, pair}, o); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([][]int{{1}, {2}, {2}, {2, 1}, {2, 2}, {2, 2}}, saved); diff != "" { // after each round, and at the end of each pair
		t.Error(diff)
	}
}

func TestCompareDoesNotClaimFromTooFewRuns(t *testing.T) {
	runner := &fakeRunner{make: func(file *config.File, _ int) (Result, error) {
		if strings.HasSuffix(address(file), "b") {
			return steady(40, 20, 50e6), nil
		}
		return steady(40, 20, 5e6), nil
	}}
	for _, repeats := range []int{1, 2, 3} {
		o := compareOptions()
		o.Repeats = repeats
		list, err := RunCompare(context.Background(), runner, []Pair{{Baseline: sideOf(t, "a", searchDocument), Variants: []Side{sideOf(t, "b", searchDocument)}}}, o)
		if err != nil {
			t.Fatal(err)
		}
		if r := find(t, list[0], report.AllRequests, "p50"); r.Verdict != report.NoEffect || r.Low != nil || r.Difference == nil || *r.Difference < 800 {
			t.Errorf("%+v", r)
		}
		if notes := strings.Join(list[0].Notes, "; "); !strings.Contains(notes, "too few") {
			t.Error(notes)
		}
	}
}

const fixedDocument = `
execution: {concurrency: 2, iterations: 10, scenario: s}
scenarios:
  s:
    default-address: http://127.0.0.1:9
    requests: [{url: /, label: search}]
`

// fakeProber answers by address.
type fakeProber map[string][]Answer

func (p fakeProber) Probe(_ context.Context, address string) ([]Answer, error) {
	if answers := p[address]; answers != nil {
		return answers, nil
	}
	return nil, errors.New("refused")
}

func TestUnequalWorkIsFound(t *testing.T) {
	runner := &fakeRunner{make: func(file *config.File, _ int) (Result, error) {
		if strings.HasSuffix(address(file), "b") {
			return steady(2, 9, 5e6), nil
		}
		return steady(2, 10, 5e6), nil
	}}
	two, three := int64(2), int64(3)
	o := compareOptions()
	o.Prober = fakeProber{
		"http://a": {{Question: "box", Status: 200, IDs: []string{"x", "y"}, Matched: &two}, {Question: "sort", Status: 200, IDs: []string{"x", "y"}, Ordered: true}, {Question: "query", Status: 200}},
		"http://b": {{Question: "box", Status: 200, IDs: []string{"y", "x"}, Matched: &three}, {Question: "sort", Status: 200, IDs: []string{"y", "x"}, Ordered: true}, {Question: "query", Status: 400, Text: "unsupported value"}},
	}
	list, err := RunCompare(context.Background(), runner, []Pair{{Title: "t", Baseline: sideOf(t, "a", fixedDocument), Variants: []Side{sideOf(t, "b", fixedDocument)}}}, o)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"unequal work: a made 20 requests a run, b made 18",
		"content: box: http://a says that 2 match, http://b that 3 do",
		"content: sort: both return the same, in another order",
		"content: query: http://a answers 200, http://b answers 400 (unsupported value)",
	}
	if diff := cmp.Diff(want, list[0].Findings); diff != "" {
		t.Error(diff)
	}
}

func TestCompareInterruptedKeepsRuns(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	runner := &fakeRunner{make: func(_ *config.File, n int) (Result, error) {
		if n == 3 {
			cancel()
		}
		return steady(2, 10, 5e6), nil
	}}
	list, err := RunCompare(ctx, runner, []Pair{{Baseline: sideOf(t, "a", searchDocument), Variants: []Side{sideOf(t, "b", searchDocument)}}}, compareOptions())
	if err != nil || len(list) != 1 || len(list[0].Times.Baseline) != 2 {
		t.Errorf("%v %+v", err, list)
	}
}

func TestRichTable(t *testing.T) {
	list := []*report.Comparison{
		{Title: "1 client vs. more clients (async)", Variant: "variant", Times: report.RunTimes{Baseline: []float64{1.64, 2}, Variant: []float64{1.102, 1.2}}},
		{Title: "slower", Variant: "variant", Times: report.RunTimes{Baseline: []float64{1, 1}, Variant: []float64{1.2, 1}}},
	}
	var text bytes.Buffer
	if err := report.Rich(&text, list, false); err != nil {
		t.Fatal(err)
	}
	want := `Benchmarks, repeat=2, number=1 (seconds for the work of a run)
                        Benchmark  Min      Max      Mean     Min (+)          Max (+)          Mean (+)
1 client vs. more clients (async)  1.640    2.000    1.820    1.102 (1.5x)     1.200 (1.7x)     1.151 (1.6x)
                           slower  1.000    1.000    1.000    1.000 (-1.0x)    1.200 (-1.2x)    1.100 (-1.1x)
`
	if diff := cmp.Diff(want, text.String()); diff != "" {
		t.Error(diff)
	}
}
