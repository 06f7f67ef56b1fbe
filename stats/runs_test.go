package stats

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func near(want, got, tolerance float64) bool { return math.Abs(want-got) <= tolerance }

func TestMedian(t *testing.T) {
	tests := []struct {
		name      string
		runs      []float64
		value     float64
		low, high float64
		few       bool
	}{
		{"none", nil, 0, 0, 0, true},
		{"one", []float64{3}, 3, math.Inf(-1), math.Inf(1), true},
		{"five reach 95 % on one side only", []float64{5, 1, 4, 2, 3}, 3, math.Inf(-1), 5, true},
		{"six do", []float64{6, 5, 1, 4, 2, 3}, 3.5, 1, 6, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			keep := slices.Clone(test.runs)
			got, err := Median(test.runs, 0.95)
			if errors.Is(err, ErrTooFew) != test.few {
				t.Errorf("error %v", err)
			}
			if got.Value != test.value || got.Low != test.low || got.High != test.high {
				t.Errorf("got %+v", got)
			}
			if !slices.Equal(keep, test.runs) {
				t.Error("the runs were sorted in place")
			}
		})
	}
}

func TestCompare(t *testing.T) {
	base := []float64{100, 101, 99, 100.5, 99.5}
	scaled := func(by float64) []float64 {
		out := make([]float64, len(base))
		for i, v := range base {
			out[i] = v * by
		}
		return out
	}
	tests := []struct {
		name              string
		baseline, variant []float64
		verdict           Verdict
		percent           float64
		warning           string
	}{
		{"slower by 5 %", base, scaled(1.05), Higher, 5, ""},
		{"faster by half", base, scaled(0.5), Lower, -50, ""},
		{"the same", base, base, Unshown, 0, ""},
		{"three runs show nothing", base[:3], scaled(2)[:3], Unshown, 100, "3 and 3 runs are too few to show a difference at 95 %, 4 of each are needed"},
		{"one against many", base[:1], scaled(2), Unshown, 100, "1 and 5 runs are too few to show a difference at 95 %, 4 of each are needed"},
		{"from nothing to something", []float64{0, 0, 0, 0}, []float64{1, 1, 1, 2}, Higher, maxPercent, ""},
		{"nothing in both", []float64{0, 0, 0, 0}, []float64{0, 0, 0, 0}, Unshown, 0, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := Compare(test.baseline, test.variant, 0.95)
			if err != nil {
				t.Fatal(err)
			}
			if got.Verdict() != test.verdict || !near(test.percent, got.Percent, 1.5) || got.Warning != test.warning {
				t.Errorf("%v, %v, p %v, warning %q; want %v, %v %%, warning %q", got, got.Verdict(), got.P, got.Warning, test.verdict, test.percent, test.warning)
			}
			if test.verdict != Unshown && got.P >= 0.05 {
				t.Errorf("p = %v does not agree", got.P)
			}
		})
	}
	for name, runs := range map[string][]float64{"none": nil, "negative": {-1}, "not a number": {math.NaN()}} {
		if _, err := Compare(base, runs, 0.95); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestCompareErrorRates repeats comparisons: of equal sides hardly more than 5 % may show a difference, and a planted one of 5 % must be
// found where runs differ by 1 %.
func TestCompareErrorRates(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	runs := func(mean float64) []float64 {
		out := make([]float64, 6)
		for i := range out {
			out[i] = mean * math.Exp(0.01*r.NormFloat64())
		}
		return out
	}
	const trials = 1000
	wrong, found, holds := 0, 0, 0
	for range trials {
		same, err := Compare(runs(100), runs(100), 0.95)
		if err != nil {
			t.Fatal(err)
		}
		if same.Verdict() != Unshown {
			wrong++
		}
		slower, err := Compare(runs(100), runs(105), 0.95)
		if err != nil {
			t.Fatal(err)
		}
		if slower.Verdict() == Higher {
			found++
		}
		if slower.Low <= 5 && 5 <= slower.High {
			holds++
		}
	}
	if wrong > trials*7/100 || found < trials*99/100 || holds < trials*93/100 {
		t.Errorf("of %d: %d false findings, %d found, %d ranges hold the truth", trials, wrong, found, holds)
	}
}

func TestWelch(t *testing.T) {
	// The example of unequal variances' usual introduction: t = −2.46, 25.0 degrees of freedom, p = 0.021.
	a := []float64{27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6, 23.1, 19.6, 19.0, 21.7, 21.4}
	b := []float64{27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0, 24.8, 20.2, 21.9, 22.1, 22.9, 20.5, 24.4}
	d, p, err := Welch(a, b, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	if !near(0.021, p, 0.0006) || d.Verdict() != Higher || !near(d.Percent, (d.Low+d.High)/2, 1e-9) {
		t.Errorf("p = %v, %v", p, d)
	}
	if _, p, _ := Welch([]float64{1, 1}, []float64{2, 2}, 0.95); p != 0 {
		t.Errorf("without any spread p = %v", p)
	}
	if d, p, _ := Welch([]float64{1, 1}, []float64{1, 1}, 0.95); p != 1 || d.Verdict() != Unshown {
		t.Errorf("the same: p = %v, %v", p, d)
	}
	if _, _, err := Welch(a, b[:1], 0.95); !errors.Is(err, ErrTooFew) {
		t.Errorf("one run: %v", err)
	}
}

func TestPredictionAndMean(t *testing.T) {
	runs := []float64{10, 12, 11, 9, 13} // s = 1.5811, t = 2.7764
	p, err := Prediction(runs, 0.95)
	if err != nil || !near(11-4.8089, p.Low, 1e-3) || !near(11+4.8089, p.High, 1e-3) {
		t.Errorf("prediction %+v, %v", p, err)
	}
	if p.Holds(16) || !p.Holds(15) {
		t.Errorf("%+v holds 16 or not 15", p)
	}
	m, err := Mean(runs, 0.95)
	if err != nil || !near(11-1.9632, m.Low, 1e-3) || !near(1.9632/11, m.RelativeWidth(), 1e-3) {
		t.Errorf("mean %+v, %v", m, err)
	}
	if _, err := Prediction(runs[:2], 0.95); !errors.Is(err, ErrTooFew) {
		t.Errorf("two runs: %v", err)
	}
	if _, err := Mean(runs[:1], 0.95); !errors.Is(err, ErrTooFew) {
		t.Errorf("one run: %v", err)
	}
}

func TestTQuantile(t *testing.T) {
	for _, test := range []struct{ freedom, p, want float64 }{
		{1, 0.975, 12.7062}, {4, 0.975, 2.7764}, {30, 0.975, 2.0423}, {1e6, 0.975, 1.95996}, {4, 0.995, 4.6041},
	} {
		if got := tQuantile(test.freedom, test.p); !near(test.want, got, 1e-4*test.want) {
			t.Errorf("t(%v, %v) = %v, want %v", test.freedom, test.p, got, test.want)
		}
	}
}

func TestProportion(t *testing.T) {
	tests := []struct {
		k, n      int64
		low, high float64
	}{
		{10, 100, 0.0552, 0.1744}, {0, 50, 0, 0.0713}, {50, 50, 0.9287, 1},
	}
	for _, test := range tests {
		got, err := Proportion(test.k, test.n, 0.95)
		if err != nil || !near(test.low, got.Low, 1e-4) || !near(test.high, got.High, 1e-4) {
			t.Errorf("%d of %d: %+v, %v", test.k, test.n, got, err)
		}
	}
	for _, bad := range [][2]int64{{0, 0}, {-1, 5}, {6, 5}} {
		if _, err := Proportion(bad[0], bad[1], 0.95); err == nil {
			t.Errorf("%v is a share", bad)
		}
	}
}

func TestHolm(t *testing.T) {
	got := Holm([]float64{0.01, 0.04, 0.03, 0.005})
	if d := cmp.Diff([]float64{0.03, 0.06, 0.06, 0.02}, got, cmpopts.EquateApprox(0, 1e-12)); d != "" {
		t.Error(d)
	}
	if got := Holm([]float64{0.9, 0.8}); got[0] != 1 || got[1] != 1 {
		t.Errorf("got %v", got)
	}
}

func TestVerdictWords(t *testing.T) {
	for v, want := range map[Verdict]string{Lower: "lower", Higher: "higher", Unshown: "no difference shown"} {
		if v.String() != want {
			t.Errorf("%d is %q", v, v.String())
		}
	}
	if got := (Difference{Percent: 5.25, Low: -1, High: 10}).String(); got != "+5.2 % [-1.0, +10.0]" {
		t.Errorf("%q", got)
	}
}
