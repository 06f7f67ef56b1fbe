package engine

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/metrics"
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

// Requests of arrivals that a pause in the warm-up has moved behind it count as warm-up as their iterations do, and so do what sums them up
// and those of branches. What begins later in such an iteration is measured from its own start, as without a pause.
func TestPauseInTheWarmUpMovesNoRequestOutOfIt(t *testing.T) {
	const head = "\nscenarios: {s: {default-address: 'http://fake', requests: ["
	for name, requests := range map[string]string{
		"request":     "/",
		"thinking":    "{url: /, think-time: 1ms}",
		"transaction": "{transaction: t, do: [/]}",
		"one sample":  "{transaction: t, force-parent-sample: true, do: [/]}",
		"with timers": "{transaction: t, force-parent-sample: true, include-timers: true, do: [/]}",
		"branches":    "{parallel: [/, /]}",
	} {
		t.Run(name, func(t *testing.T) {
			d := dryRun(t, "execution: [{arrival-rate: 10/s, hold-for: 5s, warm-up: 1s, concurrency: 1, max-concurrency: 1, scenario: s}]"+head+requests+"]}}\n", slow(700*time.Millisecond), func(e *Engine) {
				time.Sleep(600 * time.Millisecond)
				_ = e.Control(Command{Pause: true})
				time.Sleep(1400 * time.Millisecond)
				_ = e.Control(Command{Resume: true})
			})
			l := d.Loads()[0]
			if l.WarmUp.Started == 0 || l.WarmUp.RequestsStarted == 0 || l.WarmUp.Started != l.Started || l.WarmUp.RequestsStarted != l.RequestsStarted {
				t.Errorf("%+v, want all iterations and requests in the warm-up", l)
			}
			for _, s := range d.samples {
				if s.Flags&metrics.WarmUp == 0 {
					t.Errorf("a sample of kind %v that was due at %v is measured", s.Kind, time.Duration(s.Scheduled))
				}
			}
		})
	}
	d := dryRun(t, "execution: [{arrival-rate: 10/s, total-iterations: 5, warm-up: 1s, max-concurrency: 1, scenario: s}]"+head+"/, /]}}\n", slow(100*time.Millisecond), func(e *Engine) {
		time.Sleep(580 * time.Millisecond)
		_ = e.Control(Command{Pause: true})
		time.Sleep(1400 * time.Millisecond)
		_ = e.Control(Command{Resume: true})
	})
	if l := d.Loads()[0]; l.WarmUp.Started != 5 || l.WarmUp.RequestsStarted != 8 || l.RequestsStarted != 10 {
		t.Errorf("%+v, want all iterations, and all requests but the second ones of the two that were moved, in the warm-up", l)
	}
}
