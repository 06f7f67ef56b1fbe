package charts

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestTicks(t *testing.T) {
	for _, tt := range []struct {
		name string
		top  float64
		n    int
		want []float64
	}{
		{"round top", 100, 4, []float64{0, 50, 100}},
		{"between", 0.33, 4, []float64{0, 0.1, 0.2, 0.3, 0.4}},
		{"no floating point dust", 0.3, 3, []float64{0, 0.1, 0.2, 0.3}},
		{"small", 0.0007, 4, []float64{0, 0.0002, 0.0004, 0.0006, 0.0008}},
		{"large", 123_456, 4, []float64{0, 50_000, 100_000, 150_000}},
		{"nothing", 0, 4, []float64{0, 1}},
		{"not a number", math.NaN(), 4, []float64{0, 1}},
		{"without end", math.Inf(1), 4, []float64{0, 1}},
		{"negative", -3, 4, []float64{0, 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Ticks(tt.top, tt.n)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestTicksHold checks for values of all sizes that the axis ends at or just above the top, and
// that its steps are few.
func TestTicksHold(t *testing.T) {
	for v := 1e-9; v < 1e12; v *= 1.07 {
		ticks := Ticks(v, 4)
		last := ticks[len(ticks)-1]
		if last < v*(1-1e-6) || last > 2.6*v || len(ticks) > 6 {
			t.Fatalf("axis of %g is %v", v, ticks)
		}
	}
}

func TestLogTicks(t *testing.T) {
	for _, tt := range []struct {
		name      string
		low, high float64
		n         int
		want      []float64
	}{
		{"one decade", 1, 10, 10, []float64{1, 2, 5, 10}},
		{"three decades, 1 and 3", 1, 1000, 8, []float64{1, 3, 10, 30, 100, 300, 1000}},
		{"many decades", 1, 1e6, 8, []float64{1, 10, 100, 1e3, 1e4, 1e5, 1e6}},
		{"more than there is room for", 1, 1e6, 4, []float64{1, 100, 1e4, 1e6}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, LogTicks(tt.low, tt.high, tt.n)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTimeStep(t *testing.T) {
	for _, tt := range []struct{ span, want time.Duration }{
		{0, time.Second}, {9 * time.Second, time.Second}, {2 * time.Minute, 15 * time.Second},
		{time.Hour, 10 * time.Minute}, {24 * time.Hour, 3 * time.Hour}, {30 * 24 * time.Hour, 72 * time.Hour},
	} {
		if got := TimeStep(tt.span, 10); got != tt.want {
			t.Errorf("TimeStep(%s) is %s, want %s", tt.span, got, tt.want)
		}
	}
}
