package stats

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

func near(want, got, tolerance float64) bool { return math.Abs(want-got) <= tolerance }

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

func TestPrediction(t *testing.T) {
	runs := []float64{10, 12, 11, 9, 13} // s = 1.5811, t = 2.7764
	p, err := Prediction(runs, 0.95)
	if err != nil || !near(11-4.8089, p.Low, 1e-3) || !near(11+4.8089, p.High, 1e-3) {
		t.Errorf("prediction %+v, %v", p, err)
	}
	if p.Holds(16) || !p.Holds(15) {
		t.Errorf("%+v holds 16 or not 15", p)
	}
	if _, err := Prediction(runs[:2], 0.95); !errors.Is(err, ErrTooFew) {
		t.Errorf("two runs: %v", err)
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
