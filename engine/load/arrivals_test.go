package load

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"
)

func TestArrivals(t *testing.T) {
	constant := Spec{Open: true, Level: 10, HoldFor: 10 * second}
	ramp := Spec{Open: true, Level: 10, RampUp: 10 * second, HoldFor: 10 * second}
	tests := []struct {
		name string
		spec Spec
		k    int64
		want time.Duration
		ok   bool
	}{
		{"first at once", constant, 0, 0, true},
		{"evenly", constant, 1, 100 * time.Millisecond, true},
		{"last before the end", constant, 99, 9900 * time.Millisecond, true},
		{"none at the end", constant, 100, 0, false},
		{"first of a ramp", ramp, 0, 0, true},
		{"ramp: √(2kR/λ)", ramp, 2, 2 * second, true},
		{"ramp, rounded up", ramp, 1, 1414213563, true},
		{"end of the ramp", ramp, 50, 10 * second, true},
		{"after the ramp", ramp, 51, 10100 * time.Millisecond, true},
		{"slower than one per second", Spec{Open: true, Level: 1.0 / 60, HoldFor: time.Hour}, 7, 7 * time.Minute, true},
		{"once an hour for a year", Spec{Open: true, Level: 1.0 / 3600, HoldFor: 8760 * time.Hour}, 8759, 8759 * time.Hour, true},
		{"steps: a quarter of the rate first", Spec{Open: true, Level: 4, RampUp: 40 * second, Steps: 4}, 9, 9 * second, true},
		{"steps: then half of it", Spec{Open: true, Level: 4, RampUp: 40 * second, Steps: 4}, 12, 11 * second, true},
		{"waits for a rate", Spec{Open: true, Stages: []Stage{{5 * second, 0}, {0, 1}, {5 * second, 1}}}, 0, 5 * second, true},
		{"goes on after a pause", Spec{Open: true, Stages: []Stage{{0, 1}, {5 * second, 1}, {0, 0}, {5 * second, 0}, {0, 1}, {5 * second, 1}}}, 6, 11 * second, true},
		{"ramp down", Spec{Open: true, Stages: []Stage{{0, 10}, {10 * second, 0}}}, 48, 8 * second, true},
		{"end of a ramp down", Spec{Open: true, Stages: []Stage{{0, 10}, {10 * second, 0}}}, 50, 0, false},
		{"no rate", Spec{Open: true, HoldFor: second}, 0, 0, false},
		{"closed", Spec{Level: 5, HoldFor: second}, 0, 0, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, ok := shape(t, test.spec).ArrivalAt(test.k)
			if ok != test.ok || ok && got != test.want {
				t.Errorf("arrival %d at %v, %v, want %v, %v", test.k, got, ok, test.want, test.ok)
			}
		})
	}
	if n, ok := shape(t, constant).Total(); n != 100 || !ok {
		t.Errorf("total = %d, %v", n, ok)
	}
	if n, _ := shape(t, Spec{Open: true, Level: 1.0 / 3, HoldFor: 10 * second}).Total(); n != 4 {
		t.Errorf("total = %d, want those at 0, 3, 6 and 9 s", n)
	}
}

// integral is the exact number of arrivals at t of the shape's rates as given: the reference.
func integral(spec Spec, t time.Duration) *big.Rat {
	type part struct {
		length   time.Duration
		from, to float64
	}
	var parts []part
	switch {
	case len(spec.Stages) > 0:
		level := 0.0
		for _, stage := range spec.Stages {
			parts = append(parts, part{stage.Duration, level, stage.Level})
			level = stage.Level
		}
	default:
		parts = []part{{spec.RampUp, 0, spec.Level}, {spec.HoldFor, spec.Level, spec.Level}}
	}
	rat := func(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }
	seconds := func(d time.Duration) *big.Rat { return big.NewRat(int64(d), int64(time.Second)) }
	sum := new(big.Rat)
	for _, p := range parts {
		if t <= 0 || p.length == 0 {
			continue
		}
		in := min(t, p.length)
		t -= in
		// from·t + (to − from)·t²/2D
		x := seconds(in)
		sum.Add(sum, new(big.Rat).Mul(rat(p.from), x))
		square := new(big.Rat).Mul(x, x)
		slope := new(big.Rat).Sub(rat(p.to), rat(p.from))
		slope.Quo(slope, seconds(2*p.length))
		sum.Add(sum, square.Mul(square, slope))
	}
	return sum
}

// randomOpen is an open plan whose rates lie within a factor of a thousand, so that they are kept exactly.
func randomOpen(r *rand.Rand) Spec {
	base := math.Exp(r.Float64()*18 - 8) // from one in an hour to 20,000 per second
	rate := func() float64 {
		return []float64{0, base, min(base*(1+r.Float64()*999), MaxRate), math.Ceil(base)}[r.IntN(4)]
	}
	duration := func() time.Duration {
		return []time.Duration{0, time.Duration(1 + r.IntN(1e6)), time.Duration(r.Int64N(int64(time.Minute))), time.Duration(r.Int64N(int64(5 * time.Hour)))}[r.IntN(4)]
	}
	spec := Spec{Open: true}
	if r.IntN(3) == 0 {
		spec.Level, spec.RampUp, spec.HoldFor = base, duration(), duration()
		return spec
	}
	for range 1 + r.IntN(5) {
		spec.Stages = append(spec.Stages, Stage{duration(), rate()})
	}
	return spec
}

// TestArrivalIsExactInverse holds arrivals against the exact integral: due at the first nanosecond that reaches k, not one earlier.
func TestArrivalIsExactInverse(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	checked := 0
	for range 400 {
		spec := randomOpen(r)
		s := shape(t, spec)
		end, _ := s.Duration()
		total, _ := s.Total()
		for range 10 {
			k := r.Int64N(total + 2)
			if r.IntN(4) == 0 {
				k = max(total-1-r.Int64N(3), 0)
			}
			at, ok := s.ArrivalAt(k)
			if ok != (k < total) {
				t.Fatalf("%+v: arrival %d of %d: %v", spec, k, total, ok)
			}
			if !ok {
				continue
			}
			checked++
			want := new(big.Rat).SetInt64(k)
			if at < 0 || at >= end {
				t.Fatalf("%+v: arrival %d at %v of %v", spec, k, at, end)
			}
			// Rates are kept to 2^-60 of the highest: allow as much of the arrivals so far, and a nanosecond for the same reason.
			slack := new(big.Rat).Mul(want, big.NewRat(1, 1e15))
			if integral(spec, at+1).Cmp(new(big.Rat).Sub(want, slack)) < 0 {
				t.Fatalf("%+v: arrival %d at %v is early", spec, k, at)
			}
			if at > 1 && k > 0 && integral(spec, at-2).Cmp(want.Add(want, slack)) >= 0 {
				t.Fatalf("%+v: arrival %d at %v is late", spec, k, at)
			}
			if n := s.Arrivals(at); n <= k {
				t.Fatalf("%+v: %d arrivals at %v, where number %d is due", spec, n, at, k)
			}
			if n := s.Arrivals(at - 1); n > k {
				t.Fatalf("%+v: %d arrivals just before %v, where number %d is due", spec, n, at, k)
			}
		}
	}
	if checked < 1000 {
		t.Errorf("only %d arrivals were checked", checked)
	}
}

// TestCountOverAnyWindow holds counts against the integral, ± 1.
func TestCountOverAnyWindow(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 300 {
		spec := randomOpen(r)
		s := shape(t, spec)
		end, _ := s.Duration()
		for range 10 {
			from := time.Duration(r.Int64N(int64(end) + 1))
			to := from + time.Duration(r.Int64N(int64(end-from)+1))
			got := float64(s.Arrivals(to) - s.Arrivals(from))
			want, _ := new(big.Rat).Sub(integral(spec, to), integral(spec, from)).Float64()
			if math.Abs(got-want) > 1+1e-6 {
				t.Fatalf("%+v: %v arrivals from %v to %v, want %v", spec, got, from, to, want)
			}
		}
	}
}

func TestScheduleWalksThroughAllArrivals(t *testing.T) {
	s := shape(t, Spec{Open: true, Stages: []Stage{{second, 100}, {0, 0}, {second, 0}, {second, 50}, {2 * second, 0}}})
	total, _ := s.Total()
	walk := s.Schedule()
	last := time.Duration(0)
	for n := int64(0); ; n++ {
		k, due, ok := walk.Next()
		if !ok {
			if n != total {
				t.Errorf("%d arrivals, want %d", n, total)
			}
			break
		}
		if want, _ := s.ArrivalAt(n); k != n || due != want || due < last {
			t.Fatalf("arrival %d at %v, want number %d at %v", k, due, n, want)
		}
		last = due
	}
	if _, _, ok := walk.Next(); ok {
		t.Error("goes on after the end")
	}
}

func TestPoisson(t *testing.T) {
	s := shape(t, Spec{Open: true, Level: 1000, RampUp: 20 * second, HoldFor: 20 * second})
	walk := func(seed, stream uint64) (times []time.Duration) {
		c := s.Poisson(seed, stream)
		for {
			k, due, ok := c.Next()
			if !ok {
				return times
			}
			if k != int64(len(times)) || k > 0 && due < times[k-1] {
				t.Fatalf("arrival %d at %v is out of order", k, due)
			}
			times = append(times, due)
		}
	}
	first, again, other := walk(1, 2), walk(1, 2), walk(1, 3)
	if len(first) != len(again) || first[len(first)-1] != again[len(again)-1] {
		t.Error("the same seed gives other arrivals")
	}
	if len(first) == len(other) && first[10] == other[10] {
		t.Error("another stream gives the same arrivals")
	}
	// Counts over windows of equal expectation have mean and variance of that expectation.
	const windows, expect = 300, 100.0
	var sum, squares float64
	at := 0
	for i := range windows {
		end, _ := s.ArrivalAt(int64(expect * float64(i+1)))
		n := 0.0
		for ; at < len(first) && end > 0 && first[at] < end; at++ {
			n++
		}
		if i == windows-1 {
			break // its end is the end of the plan
		}
		sum += n
		squares += n * n
	}
	mean := sum / (windows - 1)
	variance := squares/(windows-1) - mean*mean
	if math.Abs(mean-expect) > 3 || variance < 0.7*expect || variance > 1.4*expect {
		t.Errorf("counts have mean %v and variance %v, want %v for both", mean, variance, expect)
	}
}

func FuzzArrivals(f *testing.F) {
	f.Add(10.0, int64(time.Second), 20.0, int64(time.Minute), int64(3))
	f.Add(1e-6, int64(1), 1e6, int64(1<<61), int64(1<<50))
	f.Fuzz(func(t *testing.T, r0 float64, d0 int64, r1 float64, d1, k int64) {
		s, err := New(Spec{Open: true, Stages: []Stage{{0, r0}, {time.Duration(d0), r1}, {time.Duration(d1), r0}}})
		if err != nil {
			return
		}
		if k < 0 {
			k = -(k + 1)
		}
		at, ok := s.ArrivalAt(k)
		if end, _ := s.Duration(); ok && (at < 0 || at >= end) {
			t.Fatalf("at %v of %v", at, end)
		}
		if ok && (s.Arrivals(at) <= k || s.Arrivals(at-1) > k) {
			t.Fatalf("arrival %d at %v; %d are due then, %d before", k, at, s.Arrivals(at), s.Arrivals(at-1))
		}
		s.Points()
	})
}

func BenchmarkArrivalAt_constant(b *testing.B) {
	s := shape(b, Spec{Open: true, Level: 12345, Endless: true})
	k := int64(0)
	for b.Loop() {
		s.ArrivalAt(k)
		k++
	}
}

func BenchmarkArrivalAt_ramp(b *testing.B) {
	s := shape(b, Spec{Open: true, Level: 12345, RampUp: 1000 * time.Hour})
	k := int64(0)
	for b.Loop() {
		s.ArrivalAt(k)
		k++
	}
}
