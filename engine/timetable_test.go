package engine

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/engine/load"
	"github.com/stacrun/stacrun/metrics"
)

// often sets a rate every 100 ms for the time of a plan.
func often(t *testing.T, total time.Duration, rate func(i int) float64) func(*Engine) {
	return func(e *Engine) {
		for i := range int(total / (100 * time.Millisecond)) {
			time.Sleep(100 * time.Millisecond)
			r := rate(i)
			if err := e.Control(Command{Rate: &r}); err != nil {
				t.Error(err)
			}
		}
	}
}

// A rate that is set goes on where the integral of the rate stands, so that setting it makes no arrivals and loses none.
func TestRateThatIsSetOften(t *testing.T) {
	for _, tt := range []struct {
		name, load string
		rate       func(i int) float64
		want       []int64 // starts in ms
	}{
		{"to what it was", "arrival-rate: 1/s, hold-for: 5500ms", func(int) float64 { return 1 }, []int64{0, 1000, 2000, 3000, 4000, 5000}},
		{"up and down", "arrival-rate: 1/s, hold-for: 4200ms", func(i int) float64 { return []float64{0.5, 1.5}[i%2] }, []int64{0, 1033, 2033, 3033, 4033}},
		{"to nothing in between", "arrival-rate: 2/s, hold-for: 4300ms", func(i int) float64 { return []float64{0, 2}[i%2] }, []int64{0, 900, 1900, 2900, 3900}},
		{"while it rises from nothing", "arrival-rate: 4/s, ramp-up: 4s, hold-for: 1s", func(i int) float64 { return 1 }, []int64{0, 1095, 2095, 3095, 4095}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := dryRun(t, "execution: [{"+tt.load+", scenario: s}]"+oneRequest, slow(time.Millisecond), often(t, 4100*time.Millisecond, tt.rate))
			got := d.starts()
			if diff := cmp.Diff(tt.want, got, cmp.Comparer(func(a, b int64) bool { return a-b <= 1 && b-a <= 1 })); diff != "" {
				t.Errorf("starts in ms (-want +got):\n%s", diff)
			}
		})
	}
}

// What a stall of the generator has left behind is no burst either when the rate is set just then.
func TestRateIsSetBehindAStall(t *testing.T) {
	rate := 10.0
	samples, snap := stalledRunWhile(t, "execution: [{arrival-rate: 1000/s, hold-for: 4s, max-concurrency: 2000, scenario: s}]"+oneRequest,
		time.Second, time.Second, func(e *Engine) {
			time.Sleep(1005 * time.Millisecond) // the clock of the run has jumped to 2.005 s
			if err := e.Control(Command{Rate: &rate}); err != nil {
				t.Error(err)
			}
		})
	if it := snap.Iterations(); it.Scheduled < 2015 || it.Scheduled > 2027 || it.Dropped != 0 {
		t.Errorf("%+v, want some 2,005 arrivals of the first rate and 20 of the second", it)
	}
	// No window w holds more than 2·w + 20 ms of the schedule.
	const w = 50 * int64(time.Millisecond)
	for i := range samples {
		n := 0
		for j := i; j < len(samples) && samples[j].Start < samples[i].Start+w; j++ {
			n++
		}
		if n > 2*50+20+2 {
			t.Fatalf("%d arrivals began within 50 ms at %v", n, time.Duration(samples[i].Start))
		}
	}
}

func TestMaxWaitOfNothing(t *testing.T) {
	d := dryRun(t, "execution: [{arrival-rate: 10/s, hold-for: 2s, max-wait: 0, scenario: s}]"+oneRequest, slow(10*time.Millisecond), nil)
	if it := d.Iterations(); it.Started != 20 || it.Dropped != 0 {
		t.Errorf("%+v, want all 20 to find a free user", it)
	}
	// One user with answers of 250 ms takes each third arrival; nobody waits.
	d = dryRun(t, "execution: [{arrival-rate: 10/s, hold-for: 3s, max-wait: 0, max-concurrency: 1, scenario: s}]"+oneRequest, slow(250*time.Millisecond), nil)
	if it := d.Iterations(); it.Scheduled != 30 || it.Started != 10 || d.Dropped()[metrics.DropWaitedTooLong] != 20 {
		t.Errorf("%+v, %v, want 10 of 30 begun and the rest dropped for waiting", it, d.Dropped())
	}
	for _, s := range d.samples {
		if s.Start != s.Scheduled {
			t.Errorf("one began %d ns late", s.Start-s.Scheduled)
		}
	}
	// That the generator did not run is no wait for a user.
	_, snap := stalledRun(t, "execution: [{arrival-rate: 100/s, hold-for: 2s, max-wait: 0, scenario: s}]"+oneRequest, time.Second, 500*time.Millisecond)
	if it := snap.Iterations(); it.Dropped != 0 {
		t.Errorf("%+v, want none dropped", it)
	}
}

// An arrival that has waited for too long is dropped then and not when the next one comes, and nobody takes it any more.
func TestWaitingEndsOnTime(t *testing.T) {
	two := 2
	d := dryRun(t, "execution: [{arrival-rate: 6/m, hold-for: 19s, max-concurrency: 1, max-wait: 1s, graceful-stop: 30s, scenario: s}]"+oneRequest, slow(40*time.Second), func(e *Engine) {
		time.Sleep(15 * time.Second)
		_ = e.Control(Command{Users: &two})
	})
	if it := d.Iterations(); it.Scheduled != 2 || it.Started != 1 || d.Dropped()[metrics.DropWaitedTooLong] != 1 {
		t.Errorf("%+v, %v, want the second dropped for waiting", it, d.Dropped())
	}
	if at := d.dropAt; at != 11 {
		t.Errorf("dropped in second %d, want 11", at)
	}
}

// A pause moves on what is still to come, and what waits: neither is dropped for it, nor does it count in response times.
func TestPauseIsNoWaiting(t *testing.T) {
	d := dryRun(t, "execution: [{arrival-rate: 2/s, total-iterations: 8, max-concurrency: 1, max-wait: 3s, scenario: s}]"+oneRequest, slow(600*time.Millisecond), func(e *Engine) {
		time.Sleep(1700 * time.Millisecond)
		_ = e.Control(Command{Pause: true})
		time.Sleep(20 * time.Second)
		_ = e.Control(Command{Resume: true})
	})
	if it := d.Iterations(); it.Started != 8 {
		t.Errorf("%+v, want all 8 begun", it)
	}
	for _, s := range d.samples {
		if s.Kind == metrics.RequestKind && s.Response() > int64(1500*time.Millisecond) {
			t.Errorf("a response of %v, that waited at most %v", time.Duration(s.Response()), 700*time.Millisecond)
		}
	}
}

func TestNoUsersOfAnOpenLoad(t *testing.T) {
	none, one := 0, 1
	d := dryRun(t, "execution: [{arrival-rate: 10/s, hold-for: 4s, max-wait: 500ms, scenario: s}]"+oneRequest, slow(time.Millisecond), func(e *Engine) {
		time.Sleep(950 * time.Millisecond)
		_ = e.Control(Command{Users: &none})
		time.Sleep(2 * time.Second)
		_ = e.Control(Command{Users: &one})
	})
	for _, s := range d.samples {
		if at := time.Duration(s.Start); at > 960*time.Millisecond && at < 2950*time.Millisecond {
			t.Errorf("one began at %v, without a user", at)
		}
	}
	if it := d.Iterations(); it.Scheduled != 40 || d.Dropped()[metrics.DropWaitedTooLong] != 15 {
		t.Errorf("%+v, %v, want 15 of 40 dropped for waiting", it, d.Dropped())
	}
}

// A generator that stands still at the end does not make the plan longer.
func TestStallAtTheEndIsNotMeasured(t *testing.T) {
	for _, text := range []string{"arrival-rate: 10/s", "concurrency: 2"} {
		_, snap := stalledRun(t, "execution: [{"+text+", hold-for: 2s, scenario: s}]"+oneRequest, 1950*time.Millisecond, 3*time.Second)
		if _, end, ok := snap.Window(); !ok || end != int64(2*time.Second) {
			t.Errorf("%s: measured until %v, want 2s", text, time.Duration(end))
		}
	}
}

// Any changes at any times: the count stays within one of the integral of the rate, and arrivals come in order.
func TestTimetableFollowsTheIntegral(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		rate := []float64{0, 0.3, 1, 7.5, 250}[r.IntN(5)]
		shape, err := load.Constant(true, rate)
		if err != nil {
			t.Fatal(err)
		}
		table := newTimetable(shape, shape.Schedule(), 0)
		count, integral, now, last := int64(0), 0.0, int64(0), int64(-1)
		for range 60 {
			then := now + r.Int64N(int64(2*time.Second))
			integral += rate * float64(then-now) / 1e9
			for now = then; table.next <= now; table.advance() {
				if table.next < last {
					t.Fatalf("seed %d: %d comes behind %d", seed, table.next, last)
				}
				last = table.next
				count++
			}
			if off := float64(count) - integral; off < -0.001 || off > 1.001 {
				t.Fatalf("seed %d: %d arrivals at an integral of %v", seed, count, integral)
			}
			rate = []float64{0, 0.3, 1, 7.5, 250, 250 * r.Float64()}[r.IntN(6)]
			if shape, err = load.Constant(true, rate); err != nil {
				t.Fatal(err)
			}
			table.set(now, shape, nil)
		}
	}
}
