package load

import (
	"math/rand/v2"
	"testing"
	"time"
)

const second = time.Second

func shape(t testing.TB, spec Spec) Shape {
	t.Helper()
	s, err := New(spec)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestUsers(t *testing.T) {
	ramp := Spec{Level: 10, RampUp: 100 * second, HoldFor: 50 * second}
	steps := Spec{Level: 10, RampUp: 60 * second, HoldFor: 60 * second, Steps: 4}
	stages := Spec{Stages: []Stage{{10 * second, 5}, {10 * second, 5}, {10 * second, 2}, {0, 8}, {4 * second, 8}}}
	tests := []struct {
		name string
		spec Spec
		at   time.Duration
		want int
	}{
		{"before the start", ramp, -1, 0},
		{"the first user is there at once", ramp, 0, 1},
		{"just before the second", ramp, 10*second - 1, 1},
		{"the second starts at R/C", ramp, 10 * second, 2},
		{"the last starts at R − R/C", ramp, 90 * second, 10},
		{"all in the hold part", ramp, 149 * second, 10},
		{"none from the end on", ramp, 150 * second, 0},
		{"no ramp", Spec{Level: 7, HoldFor: second}, 0, 7},
		{"without an end", Spec{Level: 7, RampUp: 7 * second, Endless: true}, 1e6 * second, 7},
		{"one user", Spec{Level: 1, RampUp: 10 * second}, 0, 1},
		{"no user", Spec{Level: 0, HoldFor: 10 * second}, 0, 0},
		{"ends at R without a hold part", Spec{Level: 4, RampUp: 4 * second}, 4 * second, 0},
		{"first step at once, ⌊10·1/4 + ½⌋", steps, 0, 3},
		{"second step, ⌊10·2/4 + ½⌋", steps, 15 * second, 5},
		{"just before it", steps, 15*second - 1, 3},
		{"third step, ⌊10·3/4 + ½⌋", steps, 30 * second, 8},
		{"fourth step", steps, 45 * second, 10},
		{"steps without a ramp do nothing", Spec{Level: 10, HoldFor: second, Steps: 4}, 0, 10},
		{"stages grow", stages, 4 * second, 3},
		{"stages hold", stages, 15 * second, 5},
		{"stages shrink late", stages, 23 * second, 5},
		{"stages shrink", stages, 24 * second, 4},
		{"stages jump", stages, 30 * second, 8},
		{"stages end", stages, 34 * second, 0},
		{"more users than nanoseconds", Spec{Level: 1000, RampUp: 100, HoldFor: second}, 99, 991},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := shape(t, test.spec)
			if got := s.Users(test.at); got != test.want {
				t.Errorf("users at %v = %d, want %d", test.at, got, test.want)
			}
			if got := s.Level(test.at); got != float64(test.want) {
				t.Errorf("level at %v = %v, want %d", test.at, got, test.want)
			}
		})
	}
}

func TestUserStart(t *testing.T) {
	tests := []struct {
		name string
		spec Spec
		user int
		want time.Duration
		ok   bool
	}{
		{"first", Spec{Level: 3, RampUp: 10 * second}, 0, 0, true},
		{"never early: a third rounds up", Spec{Level: 3, RampUp: 10 * second}, 1, 3333333334, true},
		{"two thirds", Spec{Level: 3, RampUp: 10 * second}, 2, 6666666667, true},
		{"one too many", Spec{Level: 3, RampUp: 10 * second}, 3, 0, false},
		{"all at once", Spec{Level: 3, HoldFor: second}, 2, 0, true},
		{"of the second step", Spec{Level: 10, RampUp: 60 * second, Steps: 4}, 4, 15 * second, true},
		{"in a later stage", Spec{Stages: []Stage{{second, 2}, {second, 2}, {2 * second, 4}}}, 3, 3 * second, true},
		{"after a jump", Spec{Stages: []Stage{{second, 2}, {0, 9}, {second, 9}}}, 8, second, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, ok := shape(t, test.spec).UserStart(test.user)
			if got != test.want || ok != test.ok {
				t.Errorf("got %v, %v, want %v, %v", got, ok, test.want, test.ok)
			}
		})
	}
}

// randomClosed is any closed plan, often with very short or very long legs.
func randomClosed(r *rand.Rand) Spec {
	duration := func() time.Duration {
		return []time.Duration{0, 1, time.Duration(r.IntN(1000)), time.Duration(r.Int64N(int64(3 * time.Hour)))}[r.IntN(4)]
	}
	spec := Spec{Level: float64(r.IntN(200)), RampUp: duration(), HoldFor: duration(), Steps: r.IntN(2) * r.IntN(12), Endless: r.IntN(4) == 0}
	if r.IntN(2) == 0 {
		for range 1 + r.IntN(5) {
			spec.Stages = append(spec.Stages, Stage{duration(), float64(r.IntN(100))})
		}
	}
	return spec
}

// TestChangesAreAllThereIs walks from change to change: between two of them the number of users never moves, and each user starts at
// the change that makes room for it.
func TestChangesAreAllThereIs(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 500 {
		spec := randomClosed(r)
		s := shape(t, spec)
		users, most := 0, 0
		for at := time.Duration(-1); ; {
			next, n, ok := s.NextChange(at)
			if !ok {
				if end, ends := s.Duration(); ends && s.Users(end) != 0 {
					t.Fatalf("%+v: %d users after the end", spec, s.Users(end))
				}
				break
			}
			if next <= at || n == users || s.Users(next) != n || s.Users(next-1) != users {
				t.Fatalf("%+v: change after %v at %v from %d to %d; users before %d, then %d", spec, at, next, users, n, s.Users(next-1), s.Users(next))
			}
			if gap := int64(next - at); gap > 2 {
				if probe := at + 1 + time.Duration(r.Int64N(gap-1)); s.Users(probe) != users {
					t.Fatalf("%+v: %d users at %v, but none changed since %v", spec, s.Users(probe), probe, at)
				}
			}
			for ; most < n; most++ {
				if start, ok := s.UserStart(most); !ok || start != next {
					t.Fatalf("%+v: user %d starts at %v, %v; there is room from %v on", spec, most, start, ok, next)
				}
			}
			at, users = next, n
		}
		if _, ok := s.UserStart(most); ok || float64(most) > s.Peak() {
			t.Fatalf("%+v: %d users were alive at most, peak is %v", spec, most, s.Peak())
		}
	}
}

// TestRampIsItsFormula compares with the definition at every 100 ms.
func TestRampIsItsFormula(t *testing.T) {
	const c, r = 37, 61 * second
	s := shape(t, Spec{Level: c, RampUp: r, HoldFor: 5 * second})
	for at := time.Duration(0); at < r+5*second; at += 100 * time.Millisecond {
		want := 0
		for k := range int64(c) {
			if int64(r)*k <= int64(at)*c {
				want++
			}
		}
		if got := s.Users(at); got != want {
			t.Errorf("at %v: %d users, want %d", at, got, want)
		}
	}
}

func TestBadSpecs(t *testing.T) {
	tests := []struct {
		name string
		spec Spec
		want string
	}{
		{"half a user", Spec{Level: 2.5}, "2.5 users are not a whole number"},
		{"negative", Spec{Level: -1}, "level -1 is less than nothing"},
		{"too fast", Spec{Open: true, Level: 2e6}, "2000000 per second are more than 1000000"},
		{"too many", Spec{Level: 2e7}, "20000000 users are more than 10000000"},
		{"ramp", Spec{RampUp: -second}, "duration -1s is negative"},
		{"stage", Spec{Stages: []Stage{{-second, 1}}}, "duration -1s is negative"},
		{"steps", Spec{Steps: -1}, "-1 steps are less than none"},
		{"too many steps", Spec{RampUp: second, Steps: 1 << 30}, "1073741824 steps are more than 100000"},
		{"overflow", Spec{RampUp: 1<<63 - 1, HoldFor: 1<<63 - 1}, "the load is longer than 1281023h53m38.427387904s"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if _, err := New(test.spec); err == nil || err.Error() != test.want {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}
