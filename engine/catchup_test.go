package engine

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stacrun/stacrun/metrics"
)

// stallingClock stands in for a process that did not run for a while: to it the time jumps.
type stallingClock struct {
	Clock
	at, took time.Duration
}

func (c stallingClock) Now() int64 {
	now := c.Clock.Now()
	if now >= int64(c.at) {
		now += int64(c.took)
	}
	return now
}

// stalledRun runs a document whose generator stands still for a while, and gives its request samples in the order of
// their schedule.
func stalledRun(t *testing.T, text string, at, took time.Duration) ([]metrics.Sample, *metrics.Snapshot) {
	t.Helper()
	return stalledRunWhile(t, text, at, took, nil)
}

func stalledRunWhile(t *testing.T, text string, at, took time.Duration, while func(*Engine)) ([]metrics.Sample, *metrics.Snapshot) {
	t.Helper()
	plan := compile(t, text)
	snap := metrics.NewSnapshot()
	var samples []metrics.Sample
	synctest.Test(t, func(t *testing.T) {
		clock := stallingClock{NewClock(), at, took}
		srv := &fakeServer{clock: clock}
		e := New(plan, RunOptions{Clock: clock, Connect: srv.connect, Samples: func(batch []metrics.Sample) {
			for _, s := range batch {
				if s.Kind == metrics.RequestKind {
					samples = append(samples, s)
				}
			}
		}})
		if while != nil {
			go while(e)
		}
		out, err := e.Start(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for iv := range out {
			snap.Add(iv)
		}
		synctest.Wait()
	})
	if err := snap.Reconcile(); err != nil {
		t.Error(err)
	}
	slices.SortFunc(samples, func(a, b metrics.Sample) int { return int(a.Scheduled - b.Scheduled) })
	return samples, snap
}

// The generator stands still for a second. Each arrival stays due when it was; those that were missed begin at twice the
// pace of the schedule, behind the 20 ms of it that begin at once; the rest begins when it is due. For any number of processors.
func TestArrivalsAfterAStallOfTheGenerator(t *testing.T) {
	if testing.Short() {
		t.Skip("24,000 iterations")
	}
	const (
		at, took = 2 * time.Second, time.Second
		ms       = int64(time.Millisecond)
	)
	for _, procs := range []int{1, 2, 4, 8} {
		t.Run(fmt.Sprint(procs), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			samples, snap := stalledRun(t, "execution: [{arrival-rate: 1000/s, hold-for: 6s, max-concurrency: 2000, scenario: s}]"+oneRequest, at, took)
			if it := snap.Iterations(); it.Scheduled != 6000 || it.Started != 6000 || len(samples) != 6000 {
				t.Fatalf("%+v and %d samples, want 6000", it, len(samples))
			}
			late := 0
			var starts []int64
			for k, s := range samples {
				due := int64(k) * ms
				if s.Scheduled != due {
					t.Fatalf("arrival %d is due at %d ns, want %d", k, s.Scheduled, due)
				}
				if s.End-s.Scheduled != s.Response() || s.Start < due {
					t.Fatalf("arrival %d began at %d, response time %d", k, s.Start, s.Response())
				}
				want := due
				if due >= int64(at) && due < int64(at+took)+980*ms {
					// Due after the stall had begun and before it was caught up with.
					want = max(due, int64(at+took)+(due-int64(at+catchUpAtOnce))/catchUpPace, min(due+int64(took), int64(at+took)))
					late++
				}
				if s.Start < want-ms || s.Start > want+ms {
					t.Fatalf("arrival %d, due at %d µs, began at %d µs, want %d", k, due/1000, s.Start/1000, want/1000)
				}
				starts = append(starts, s.Start)
			}
			slices.Sort(starts)
			for _, window := range []int64{ms, 10 * ms, 100 * ms, 500 * ms} {
				most := int(catchUpPace*window+int64(catchUpAtOnce))/int(ms) + 1
				for i := most; i < len(starts); i++ {
					if starts[i]-starts[i-most] < window {
						t.Fatalf("more than %d arrivals began within %d ms of %d µs", most, window/ms, starts[i-most]/1000)
					}
				}
			}
			if late < 1000 {
				t.Errorf("%d arrivals were late", late)
			}
		})
	}
}

// A slow plan is not hurried either: four of the ten that were missed begin no closer than half of their distance.
func TestSlowArrivalsAfterAStall(t *testing.T) {
	samples, _ := stalledRun(t, "execution: [{arrival-rate: 30/m, hold-for: 60s, scenario: s}]"+oneRequest, 11*time.Second, 9*time.Second)
	if len(samples) != 30 {
		t.Fatalf("%d arrivals, want 30", len(samples))
	}
	for i, s := range samples {
		if i > 0 && s.Start-samples[i-1].Start < int64(time.Second)-int64(catchUpAtOnce) {
			t.Errorf("arrival %d began %d ms after the one before, planned are 2 s", i, (s.Start-samples[i-1].Start)/1e6)
		}
	}
	if last := samples[29]; last.Start != last.Scheduled {
		t.Errorf("the last arrival began %d ns late, though all was caught up with", last.Start-last.Scheduled)
	}
}

// Arrivals that the generator reaches only after max-wait, or after the end, are dropped with the reason.
func TestStallBeyondMaxWaitAndTheEnd(t *testing.T) {
	samples, snap := stalledRun(t, "execution: [{arrival-rate: 100/s, hold-for: 10s, max-wait: 1s, max-concurrency: 500, scenario: s}]"+oneRequest, 2*time.Second, 5*time.Second)
	for _, s := range samples {
		if s.Start-s.Scheduled > int64(time.Second) {
			t.Errorf("an arrival began %d ms late", (s.Start-s.Scheduled)/1e6)
		}
	}
	if d := snap.Dropped(); d[metrics.DropWaitedTooLong] < 400 || d[metrics.DropEnded] != 0 || snap.Iterations().Scheduled != 1000 {
		t.Errorf("dropped %v of %d; some 400 waited too long", d, snap.Iterations().Scheduled)
	}
	_, snap = stalledRun(t, "execution: [{arrival-rate: 100/s, hold-for: 4s, scenario: s}]"+oneRequest, 2*time.Second, 5*time.Second)
	if it := snap.Iterations(); it.Scheduled != 400 || snap.Dropped()[metrics.DropEnded] != it.Dropped || it.Dropped < 198 || it.Dropped > 200 {
		t.Errorf("%+v, want 400 scheduled, and the latter half dropped because the plan had ended", it)
	}
}

// However arrivals and stalls fall, what begins within a window spans no more of the schedule than it may, and in the end all is
// caught up with.
func TestCatchUpKeepsItsBound(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		var due []int64
		for at := int64(0); len(due) < 3000; {
			at += int64(random.ExpFloat64() * float64([]int64{1e4, 1e6, 3e7, 1e9}[len(due)/500%4]))
			due = append(due, at)
		}
		var pace catchUp
		starts := make([]int64, 0, len(due))
		for now := int64(0); len(starts) < len(due); {
			until := pace.until(now)
			if until > now {
				t.Fatalf("at %d ns it was ahead: %d", now, until)
			}
			for len(starts) < len(due) && due[len(starts)] <= until {
				starts = append(starts, now)
			}
			next := now + int64(wakeEvery)
			if len(starts) < len(due) && due[len(starts)] > now {
				pace.sleep(due[len(starts)])
				next = max(next, due[len(starts)])
			}
			switch n := random.IntN(5000); {
			case n == 0:
				next += random.Int64N(int64(2 * time.Second))
			case n < 50:
				next += random.Int64N(int64(30 * time.Millisecond))
			case n < 100:
				next = now + (next-now)/2 // woken early
			}
			now = next
		}
		for i := range starts {
			for j := i; j < min(len(starts), i+200); j++ {
				if spans := due[j] - due[i]; spans > catchUpPace*(starts[j]-starts[i])+int64(catchUpAtOnce) {
					t.Fatalf("within %d ns began what was due within %d ns", starts[j]-starts[i], spans)
				}
			}
		}
		now := pace.looked
		behind := now - pace.reached
		for end := now + behind; now < end; {
			now += int64(wakeEvery)
			pace.until(now)
		}
		if pace.reached != now { // it gains as much as passes
			t.Fatalf("%d ns behind, and after as long %d", behind, now-pace.reached)
		}
	}
}
