package stats

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stacrun/stacrun/metrics"
)

// drifting makes seconds whose level wanders, as that of a real server does: each second's is mostly that of the one before.
func drifting(r *rand.Rand, seconds, perSecond int, mean float64) []*metrics.Series {
	out := make([]*metrics.Series, seconds)
	level := r.NormFloat64()
	for i := range out {
		level = 0.6*level + 0.8*r.NormFloat64()
		out[i] = &metrics.Series{}
		for range perSecond {
			out[i].Record(int64(mean * 1e6 * math.Exp(0.03*level+0.2*r.NormFloat64())))
		}
	}
	return out
}

func TestQuantileDifferenceFindsWhatWasPlanted(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const trials = 60
	o := Options{Resamples: 300}
	wrong, found, holds := 0, 0, 0
	for i := range trials {
		o.Seed = uint64(i)
		a, b, slow := drifting(r, 60, 50, 10), drifting(r, 60, 50, 10), drifting(r, 60, 50, 10.6)
		same, err := QuantileDifference(a, b, 50, o)
		if err != nil {
			t.Fatal(err)
		}
		if same.Verdict() != Unshown {
			wrong++
		}
		slower, err := QuantileDifference(a, slow, 50, o)
		if err != nil {
			t.Fatal(err)
		}
		if slower.Verdict() == Higher {
			found++
		}
		if slower.Low <= 6 && 6 <= slower.High {
			holds++
		}
	}
	// Ranges from a dozen blocks are somewhat too narrow; independent seconds would be far off.
	if wrong > trials*20/100 || found < trials*90/100 || holds < trials*80/100 {
		t.Errorf("of %d: %d false findings, %d found, %d ranges hold the truth", trials, wrong, found, holds)
	}
}

func TestIntervalsHoldTheTruth(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 2))
	const trials = 60
	median, mean := 0, 0
	truth := 10e6 * math.Exp((0.03*0.03+0.2*0.2)/2)
	for i := range trials {
		s := drifting(r, 120, 20, 10)
		q, err := QuantileInterval(s, 50, Options{Resamples: 300, Seed: uint64(i)})
		if err != nil {
			t.Fatal(err)
		}
		if q.Holds(10e6) {
			median++
		}
		m, err := MeanInterval(s, Options{Resamples: 300, Seed: uint64(i)})
		if err != nil {
			t.Fatal(err)
		}
		if m.Holds(truth) {
			mean++
		}
	}
	if median < trials*80/100 || mean < trials*80/100 {
		t.Errorf("of %d: %d ranges hold the median, %d the mean", trials, median, mean)
	}
}

func TestBootstrapIsRepeatable(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 2))
	a, b := drifting(r, 60, 20, 10), drifting(r, 90, 20, 10)
	first, err := QuantileDifference(a, b, 95, Options{Seed: 1, Resamples: 200})
	if err != nil {
		t.Fatal(err)
	}
	again, _ := QuantileDifference(a, b, 95, Options{Seed: 1, Resamples: 200})
	other, _ := QuantileDifference(a, b, 95, Options{Seed: 2, Resamples: 200})
	if first != again || first == other {
		t.Errorf("seed 1: %v and %v, seed 2: %v", first, again, other)
	}
}

func TestQuantileIsThatOfTheRun(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 2))
	seconds := drifting(r, 30, 30, 10)
	seconds[7] = nil
	seconds[8] = &metrics.Series{}
	var all metrics.Series
	for _, s := range seconds {
		if s != nil {
			all.Merge(s)
		}
	}
	for _, q := range []float64{1, 50, 90, 99} {
		got, err := QuantileInterval(seconds, q, Options{Resamples: 50})
		if err != nil {
			t.Fatal(err)
		}
		if want := all.Quantile(q); got.Value != want || !got.Holds(want) {
			t.Errorf("p%v: %+v, want %v", q, got, want)
		}
	}
	got, err := MeanInterval(seconds, Options{Resamples: 50})
	if err != nil || math.Abs(got.Value-all.Mean()) > 1e-6 {
		t.Errorf("mean %+v, %v, want %v", got, err, all.Mean())
	}
}

// TestLongRunsAreCutIntoPieces takes a run with more seconds than the table has rows, the last piece being shorter.
func TestLongRunsAreCutIntoPieces(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 3))
	seconds := drifting(r, 3*maxPieces+1, 3, 10)
	var all metrics.Series
	for _, s := range seconds {
		all.Merge(s)
	}
	f := newQuantile(seconds, 95)
	if n, piece := f.size(); n > maxPieces || piece != 5 {
		t.Errorf("%d pieces of %d s", n, piece)
	}
	if got, want := whole(f), all.Quantile(95); got != want {
		t.Errorf("p95 = %v, want %v", got, want)
	}
	got, err := QuantileInterval(seconds, 95, Options{Resamples: 100})
	if err != nil || !got.Holds(all.Quantile(95)) || got.RelativeWidth() > 0.05 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestTooShort(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 2))
	_, err := QuantileDifference(drifting(r, 29, 1, 10), drifting(r, 60, 1, 10), 50, Options{})
	if !errors.Is(err, ErrTooFew) || err.Error() != "29 s are too short to tell the spread, 30 s are needed: too few observations" {
		t.Errorf("29 s: %v", err)
	}
	if _, err := QuantileInterval(make([]*metrics.Series, 60), 50, Options{}); !errors.Is(err, ErrTooFew) {
		t.Errorf("no samples: %v", err)
	}
	if _, err := RatioDifference(Counts{Num: []float64{1}}, Counts{}, Options{}); err == nil {
		t.Error("a ratio with one side")
	}
}

func TestRatioDifference(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 2))
	rows := func(failing float64) (out []*metrics.Row) {
		for range 60 {
			row := &metrics.Row{Finished: 100 + r.Int64N(10)}
			for range row.Finished {
				if r.Float64() < failing {
					row.Failed++
				}
			}
			out = append(out, row)
		}
		return out
	}
	few, many := rows(0.02), rows(0.05)
	d, err := RatioDifference(Failures(few), Failures(many), Options{})
	if err != nil || d.Verdict() != Higher || d.Low > 150 || d.High < 150 {
		t.Errorf("failures: %v, %v", d, err)
	}
	d, err = RatioDifference(Rates(few), Rates(many), Options{})
	if err != nil || d.Verdict() != Unshown || math.Abs(d.Baseline-104.5) > 2 {
		t.Errorf("rates: %+v, %v", d, err)
	}
}

func TestRows(t *testing.T) {
	row := func(execution, label string, kind metrics.Kind, n int64, warm bool) metrics.Row {
		r := metrics.Row{Execution: execution, Label: label, Kind: kind, WarmUp: warm, Finished: n}
		r.Service.Record(n * 1e6)
		r.Response = r.Service
		return r
	}
	intervals := []*metrics.Interval{
		{Second: 7, Rows: []metrics.Row{row("x", "a", 0, 1, false)}},
		{Second: 3, Rows: []metrics.Row{row("x", "a", 0, 2, false), row("x", "b", 0, 4, false), row("x", "a", 1, 8, false)}},
		{Second: 3, Source: "agent", Rows: []metrics.Row{row("y", "a", 0, 16, false)}},
		{Second: 1, Rows: []metrics.Row{row("x", "a", 0, 32, true)}},
	}
	tests := []struct {
		name string
		sel  Selection
		want []int64
	}{
		{"all requests", Selection{}, []int64{22, 0, 0, 0, 1}},
		{"a label", Selection{Label: "a"}, []int64{18, 0, 0, 0, 1}},
		{"of an execution", Selection{Execution: "x", Label: "a"}, []int64{2, 0, 0, 0, 1}},
		{"a transaction", Selection{Label: "a", Kind: metrics.TransactionKind}, []int64{8}},
		{"nothing", Selection{Label: "z"}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			rows := test.sel.Rows(intervals)
			if len(rows) != len(test.want) {
				t.Fatalf("%d seconds, want %d", len(rows), len(test.want))
			}
			for i, r := range rows {
				if r.Finished != test.want[i] {
					t.Errorf("second %d: %d, want %d", i, r.Finished, test.want[i])
				}
			}
			if len(Responses(rows)) != len(rows) {
				t.Error("series are missing")
			}
		})
	}
}

func BenchmarkQuantileDifference_oneHour(b *testing.B) {
	r := rand.New(rand.NewPCG(9, 2))
	x, y := drifting(r, 3600, 200, 10), drifting(r, 3600, 200, 10)
	for b.Loop() {
		if _, err := QuantileDifference(x, y, 95, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
