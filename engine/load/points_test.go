package load

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestPoints(t *testing.T) {
	tests := []struct {
		name    string
		spec    Spec
		stepped bool
		has     []Point // in this order
		last    Point
	}{
		{
			"users one by one", Spec{Level: 5, RampUp: 10 * second, HoldFor: 10 * second}, true,
			[]Point{{0, 1}, {2 * second, 2}, {4 * second, 3}, {6 * second, 4}, {8 * second, 5}}, Point{20 * second, 5},
		},
		{
			"steps", Spec{Level: 10, RampUp: 40 * second, HoldFor: 20 * second, Steps: 4}, true,
			[]Point{{0, 3}, {10 * second, 5}, {20 * second, 8}, {30 * second, 10}}, Point{60 * second, 10},
		},
		{
			"a rate on a ramp", Spec{Open: true, Level: 8, RampUp: 10 * second, HoldFor: 10 * second}, false,
			[]Point{{0, 0}, {5 * second, 4}, {10 * second, 8}}, Point{20 * second, 8},
		},
		{
			"a rate that jumps and falls", Spec{Open: true, Stages: []Stage{{10 * second, 4}, {0, 8}, {10 * second, 2}}}, false,
			[]Point{{0, 0}, {10 * second, 4}, {10 * second, 8}}, Point{20 * second, 2},
		},
		{
			"a rate in steps", Spec{Open: true, Level: 8, RampUp: 10 * second, Steps: 2}, true,
			[]Point{{0, 4}, {5 * second, 8}}, Point{10 * second, 8},
		},
		{
			"without an end", Spec{Level: 2, RampUp: 10 * second, Endless: true}, true,
			[]Point{{0, 1}, {5 * second, 2}}, Point{70 * second, 2},
		},
		{
			"without an end or a ramp", Spec{Level: 2, Endless: true}, true, []Point{{0, 2}}, Point{time.Minute, 2},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := shape(t, test.spec)
			points := s.Points()
			if s.Stepped() != test.stepped {
				t.Errorf("stepped: %v", s.Stepped())
			}
			if len(points) <= 20 {
				t.Errorf("only %d points", len(points))
			}
			rest := points
			for _, want := range test.has {
				i := slices.Index(rest, want)
				if i < 0 {
					t.Fatalf("%v is missing in %v", want, points)
				}
				rest = rest[i+1:]
			}
			if d := cmp.Diff(test.last, points[len(points)-1]); d != "" {
				t.Error(d)
			}
		})
	}
	if d := cmp.Diff([]Point{{0, 0}}, Shape{}.Points()); d != "" {
		t.Error(d)
	}
}

// TestPointsDrawTheShape reads levels off the points as a reader would, and compares.
func TestPointsDrawTheShape(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for range 300 {
		spec := randomClosed(r)
		if r.IntN(2) == 0 {
			spec = randomOpen(r)
		}
		s := shape(t, spec)
		points := s.Points()
		horizon := points[len(points)-1].T
		if len(points) > 2000 || !slices.IsSortedFunc(points, func(a, b Point) int { return int(min(max(a.T-b.T, -1), 1)) }) {
			t.Fatalf("%+v: %d points, or out of order", spec, len(points))
		}
		if horizon == 0 || s.Peak() > maxChanges/10 && !s.Open() {
			continue
		}
		for range 20 {
			at := time.Duration(r.Int64N(int64(horizon)))
			i := len(points) - 1
			for points[i].T > at {
				i--
			}
			level := points[i].Level
			if !s.Stepped() {
				next := points[i+1]
				level += (next.Level - level) * float64(at-points[i].T) / float64(next.T-points[i].T)
			}
			if want := s.Level(at); math.Abs(level-want) > 1e-6*(1+s.Peak()) {
				t.Fatalf("%+v: at %v the points say %v, the shape %v\n%v", spec, at, level, want, points)
			}
		}
	}
}
