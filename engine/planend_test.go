package engine

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stacrun/stacrun/metrics"
)

// busyClock stands in for a machine that others keep busy from a moment on: each reading is later than the one before.
type busyClock struct {
	Clock
	from, step time.Duration
	sleeps     bool // others get on meanwhile: what reads more often is slower
	read       *atomic.Int64
}

func (c busyClock) Now() int64 {
	now := c.Clock.Now()
	switch {
	case now < int64(c.from):
	case c.sleeps:
		time.Sleep(c.step)
	default:
		now += c.read.Add(1) * int64(c.step)
	}
	return now
}

// endedOn runs a document on a clock of its own, and counts what came of it.
func endedOn(t *testing.T, text string, answer func(string, int) fakeAnswer, clockOf func(Clock) Clock) *metrics.Snapshot {
	t.Helper()
	plan := compile(t, text)
	snap := metrics.NewSnapshot()
	synctest.Test(t, func(t *testing.T) {
		clock := clockOf(NewClock())
		srv := &fakeServer{clock: clock, answer: answer}
		out, err := New(plan, RunOptions{Clock: clock, Connect: srv.connect}).Start(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for iv := range out {
			snap.Add(iv)
		}
	})
	if err := snap.Reconcile(); err != nil {
		t.Error(err)
	}
	return snap
}

// What falls due a tenth of a millisecond before the end finds the users that are free, however late pacer and user get the processor.
func TestLastArrivalBegins(t *testing.T) {
	const load = "execution: [{arrival-rate: 10, hold-for: 1.9001s, scenario: s}]"
	const nested = "\nscenarios: {s: {default-address: 'http://fake', requests: [{transaction: a, do: [{transaction: b, do: [{transaction: c, do: [" +
		"{transaction: d, do: [{transaction: e, do: [/]}]}]}]}]}]}}\n"
	from := 1900 * time.Millisecond
	clocks := map[string]func(Clock) Clock{
		"the pacer is 1 ms late":   func(c Clock) Clock { return stallingClock{c, from, time.Millisecond} },
		"the pacer is 150 ms late": func(c Clock) Clock { return stallingClock{c, from, 150 * time.Millisecond} },
		"20 µs a reading": func(c Clock) Clock {
			return busyClock{Clock: c, from: from, step: 20 * time.Microsecond, read: new(atomic.Int64)}
		},
		"80 µs a reading": func(c Clock) Clock {
			return busyClock{Clock: c, from: from, step: 80 * time.Microsecond, read: new(atomic.Int64)}
		},
		"the user is slower": func(c Clock) Clock { return busyClock{Clock: c, from: from, step: time.Millisecond, sleeps: true} },
	}
	for name, clockOf := range clocks {
		t.Run(name, func(t *testing.T) {
			snap := endedOn(t, load+nested, nil, clockOf)
			if it, r := snap.Iterations(), snap.Loads()[0].RequestsStarted; it.Scheduled != 20 || it.Finished != 20 || r != 20 {
				t.Errorf("%+v and %d requests, %v dropped, want 20 of each", it, r, snap.Dropped())
			}
		})
	}
}

// Behind the end nobody waits for a user: neither what fell due last, nor what the generator is late for, nor what a user's setup holds back.
func TestLastArrivalsFindNoUser(t *testing.T) {
	firstIsLong := func(_ string, n int) fakeAnswer {
		if n == 0 {
			return fakeAnswer{after: 1810 * time.Millisecond, status: 200}
		}
		return fakeAnswer{after: time.Millisecond, status: 200}
	}
	for _, tt := range []struct {
		name, load, steps string
		answer            func(string, int) fakeAnswer
		at, late          time.Duration
		started, dropped  int64
	}{
		{"busy", "arrival-rate: 10", "requests: [/]", slow(101 * time.Millisecond), 1900 * time.Millisecond, time.Millisecond, 19, 1},
		{"free behind the end", "arrival-rate: 10", "requests: [/]", slow(190_010 * time.Microsecond), 1900 * time.Millisecond, time.Millisecond, 10, 10},
		{"free before the last ones are caught up with", "arrival-rate: 100", "requests: [/]", firstIsLong, 1800 * time.Millisecond, 200 * time.Millisecond, 1, 190},
		{"in its setup", "arrival-rate: 10", "setup: [/setup], requests: [/]", slow(3 * time.Second), 1900 * time.Millisecond, time.Millisecond, 0, 20},
	} {
		t.Run(tt.name, func(t *testing.T) {
			snap := endedOn(t, "execution: [{"+tt.load+", hold-for: 1.9001s, max-concurrency: 1, scenario: s}]\nscenarios: {s: {default-address: 'http://fake', "+tt.steps+"}}\n",
				tt.answer, func(c Clock) Clock { return stallingClock{c, tt.at, tt.late} })
			if it := snap.Iterations(); it.Started != tt.started || it.Dropped != tt.dropped || snap.Dropped()[metrics.DropEnded] != tt.dropped {
				t.Errorf("%+v, %v dropped, want %d started, and %d dropped at the end", it, snap.Dropped(), tt.started, tt.dropped)
			}
		})
	}
}

// What a stall just before the end has left behind is caught up with at the pace of any other, for the second that a generator may be late.
func TestCatchUpBehindTheEnd(t *testing.T) {
	samples, snap := stalledRun(t, "execution: [{arrival-rate: 100/s, hold-for: 2s, scenario: s}]"+oneRequest, 1900*time.Millisecond, 500*time.Millisecond)
	if it := snap.Iterations(); it.Scheduled != 200 || it.Finished != 200 {
		t.Errorf("%+v, %v dropped, want 200 scheduled and finished", it, snap.Dropped())
	}
	atOnce := 0
	for _, s := range samples {
		if s.Start-int64(2400*time.Millisecond) < int64(time.Millisecond) && s.Start >= int64(2400*time.Millisecond) {
			atOnce++
		}
	}
	if atOnce < 1 || atOnce > 3 {
		t.Errorf("%d began at once behind the stall, want what falls due in %v of the schedule", atOnce, catchUpAtOnce)
	}
}

// A user begins what it was given though the plan's time is up by then, but not where the run was stopped or is paused.
func TestUserThatComesLateForItsArrival(t *testing.T) {
	for _, tt := range []struct{ timeUp, paused, want bool }{{false, false, false}, {true, false, true}, {true, true, false}} {
		x := &running{gate: newGate()}
		x.timeUp.Store(tt.timeUp)
		x.level.setPaused(tt.paused, 0)
		x.gate.close()
		if got := x.mayTake(new(user)); got != tt.want {
			t.Errorf("%+v: %v", tt, got)
		}
	}
}
