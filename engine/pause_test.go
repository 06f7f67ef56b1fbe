package engine

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// What is still to come moves on by a pause, and is no less punctual behind it.
func TestPauseMovesTheSchedule(t *testing.T) {
	d := dryRun(t, "execution: [{arrival-rate: 1/s, total-iterations: 4, scenario: s}]"+oneRequest, slow(time.Millisecond), func(e *Engine) {
		time.Sleep(900 * time.Millisecond)
		_ = e.Control(Command{Pause: true})
		time.Sleep(10 * time.Second)
		_ = e.Control(Command{Resume: true})
	})
	if diff := cmp.Diff([]int64{0, 11000, 12000, 13000}, d.starts()); diff != "" {
		t.Errorf("starts in ms (-want +got):\n%s", diff)
	}
}

// A rate that is set during a pause holds from its end on, with what of the schedule had passed before it.
func TestRateIsSetInAPause(t *testing.T) {
	for _, rate := range []float64{1, 2} {
		d := dryRun(t, "execution: [{arrival-rate: 1/s, total-iterations: 5, scenario: s}]"+oneRequest, slow(time.Millisecond), func(e *Engine) {
			time.Sleep(1500 * time.Millisecond)
			_ = e.Control(Command{Pause: true})
			time.Sleep(4 * time.Second)
			_ = e.Control(Command{Rate: &rate})
			time.Sleep(5 * time.Second)
			_ = e.Control(Command{Resume: true})
		})
		want := []int64{0, 1000, 11000, 12000, 13000}
		if rate == 2 {
			want = []int64{0, 1000, 10750, 11250, 11750}
		}
		if diff := cmp.Diff(want, d.starts()); diff != "" {
			t.Errorf("starts in ms at %v/s (-want +got):\n%s", rate, diff)
		}
	}
}

// An arrival of the warm-up that a pause has moved behind it counts in the warm-up as fallen due and as begun.
func TestPauseInTheWarmUp(t *testing.T) {
	d := dryRun(t, "execution: [{arrival-rate: 10/s, hold-for: 30s, warm-up: 2s, max-concurrency: 1, scenario: s}]"+oneRequest, slow(600*time.Millisecond), func(e *Engine) {
		time.Sleep(1700 * time.Millisecond)
		_ = e.Control(Command{Pause: true})
		time.Sleep(20 * time.Second)
		_ = e.Control(Command{Resume: true})
	})
	l := d.Loads()[0]
	for _, warmUp := range []bool{true, false} {
		p := l.Part(warmUp)
		ended := p.Started
		for _, n := range p.Dropped {
			ended += n
		}
		if p.Scheduled == 0 || ended != p.Scheduled || p.Started != p.Finished+p.Interrupted {
			t.Errorf("warm-up %v: %+v, want as many begun or dropped as fell due, and ended as begun", warmUp, p)
		}
	}
}
