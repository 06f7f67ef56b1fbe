package load

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stacrun/stacrun/internal/weigh"
)

func TestThrottle(t *testing.T) {
	throttle := func(rate float64, rampUp time.Duration, steps int) Throttle {
		th, err := NewThrottle(rate, rampUp, steps)
		if err != nil {
			t.Fatal(err)
		}
		return th
	}
	ms := time.Millisecond
	tests := []struct {
		name   string
		cap    Throttle
		next   int64
		now    time.Duration
		permit int64
		due    time.Duration
	}{
		{"first", throttle(10, 0, 0), 0, 0, 0, 0},
		{"in advance", throttle(10, 0, 0), 5, 0, 5, 500 * ms},
		{"on time", throttle(10, 0, 0), 5, 500 * ms, 5, 500 * ms},
		{"an unused one is forgotten", throttle(10, 0, 0), 5, 10 * second, 100, 10 * second},
		{"but for the last one", throttle(10, 0, 0), 5, 10*second + 50*ms, 100, 10 * second},
		{"a fast one remembers 100 ms", throttle(1000, 0, 0), 5, 10 * second, 9901, 9901 * ms},
		{"ramp from nothing", throttle(10, 10*second, 0), 2, 0, 2, 2 * second},
		{"after the ramp", throttle(10, 10*second, 0), 60, 0, 60, 11 * second},
		{"first step", throttle(10, 10*second, 2), 5, 0, 5, second},
		{"second step", throttle(10, 10*second, 2), 35, 0, 35, 6 * second},
		{"one a minute", throttle(1.0/60, 0, 0), 1, second, 1, time.Minute},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			permit, due := test.cap.Permit(test.next, test.now)
			if permit != test.permit || due != test.due {
				t.Errorf("permit %d at %v, want %d at %v", permit, due, test.permit, test.due)
			}
		})
	}
	if got := throttle(10, 10*second, 0).Rate(5 * second); got != 5 {
		t.Errorf("rate = %v", got)
	}
}

// TestThrottleHoldsOverEveryWindow lets users come and pause at random and looks at all windows of one second.
func TestThrottleHoldsOverEveryWindow(t *testing.T) {
	const rate = 200
	th, err := NewThrottle(rate, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(4, 4))
	var sent []time.Duration
	now, next := time.Duration(0), int64(0)
	for now < 60*second {
		permit, due := th.Permit(next, now)
		next = permit + 1
		now = max(now, due)
		sent = append(sent, now)
		if r.IntN(100) == 0 {
			now += time.Duration(r.Int64N(int64(3 * second)))
		}
	}
	first := 0
	for last := range sent {
		for sent[last]-sent[first] >= second {
			first++
		}
		if n := last - first + 1; n > rate+rate/10+1 {
			t.Fatalf("%d requests in the second before %v", n, sent[last])
		}
	}
}

func TestThrottleOfNothingNeverPermits(t *testing.T) {
	th, err := NewThrottle(0, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, due := th.Permit(0, time.Hour); due < 1e6*time.Hour {
		t.Errorf("due at %v", due)
	}
}

func TestPermitDoesNotAllocate(t *testing.T) {
	th, err := NewThrottle(1000, time.Minute, 0)
	if err != nil {
		t.Fatal(err)
	}
	next := int64(0)
	if n := weigh.Allocations(t, 100, func() {
		permit, _ := th.Permit(next, time.Second)
		next = permit + 1
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
