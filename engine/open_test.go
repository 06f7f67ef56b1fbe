package engine

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/metrics"
)

func TestOpenArrivalsAreOnSchedule(t *testing.T) {
	d := dryRun(t, "execution: [{arrival-rate: 4/s, hold-for: 2s, scenario: s}]"+oneRequest, slow(10*time.Millisecond), nil)
	if diff := cmp.Diff([]int64{0, 250, 500, 750, 1000, 1250, 1500, 1750}, d.starts()); diff != "" {
		t.Errorf("starts in ms (-want +got):\n%s", diff)
	}
	if d.took != 2*time.Second {
		t.Errorf("took %v, want 2s: the plan keeps its length", d.took)
	}
	for _, s := range d.samples {
		if s.Start < s.Scheduled {
			t.Errorf("a request began %d ns before it was due", s.Scheduled-s.Start)
		}
	}
}

func TestOpenArrivalsWaitInOrder(t *testing.T) {
	// One user, answers of 1 s, four arrivals a second: each waits for those before it.
	d := dryRun(t, "execution: [{arrival-rate: 4/s, hold-for: 1s, max-concurrency: 1, graceful-stop: 10s, scenario: s}]"+oneRequest, slow(1100*time.Millisecond), nil)
	it := d.Iterations()
	if it.Scheduled != 4 || it.Started != 1 || it.Dropped != 3 {
		t.Errorf("%+v, want 4 scheduled, 1 started, 3 dropped when the plan ended", it)
	}
	if got := d.Dropped()[metrics.DropEnded]; got != 3 {
		t.Errorf("%d dropped at the end, want 3", got)
	}
	d = dryRun(t, "execution: [{arrival-rate: 4/s, total-iterations: 4, max-concurrency: 1, scenario: s}]"+oneRequest, slow(time.Second), nil)
	var response []int64
	for _, s := range d.samples {
		if s.Kind == metrics.RequestKind {
			response = append(response, s.Response()/1e6)
			if s.Service() != int64(time.Second) {
				t.Errorf("service time %d", s.Service())
			}
		}
	}
	if diff := cmp.Diff([]int64{1000, 1750, 2500, 3250}, response); diff != "" {
		t.Errorf("response times in ms (-want +got):\n%s", diff)
	}
}

func TestOpenDropsWhatWaitedTooLong(t *testing.T) {
	d := dryRun(t, "execution: [{arrival-rate: 10/s, hold-for: 3s, max-concurrency: 1, max-wait: 500ms, scenario: s}]"+oneRequest, slow(time.Second), nil)
	drops := d.Dropped()
	if drops[metrics.DropWaitedTooLong] == 0 {
		t.Errorf("nothing was dropped for waiting: %v", drops)
	}
	for _, s := range d.samples {
		if s.Kind == metrics.RequestKind && s.Start-s.Scheduled > int64(500*time.Millisecond) {
			t.Errorf("an arrival waited %d ms", (s.Start-s.Scheduled)/1e6)
		}
	}
}

func TestOpenPoisson(t *testing.T) {
	text := "execution: [{arrival-rate: 100/s, distribution: poisson, hold-for: 10s, scenario: s}]" + oneRequest
	one, two := dryRun(t, text, slow(time.Millisecond), nil), dryRun(t, text, slow(time.Millisecond), nil)
	if diff := cmp.Diff(one.starts(), two.starts()); diff != "" {
		t.Errorf("the same seed gave another schedule:\n%s", diff)
	}
	if n := len(one.starts()); n < 850 || n > 1150 {
		t.Errorf("%d arrivals, want some 1000", n)
	}
}

func TestOpenStages(t *testing.T) {
	d := dryRun(t, "execution: [{stages: [{duration: 1s, arrival-rate: 10/s}, {duration: 1s, arrival-rate: 10/s}], scenario: s}]"+oneRequest, slow(time.Millisecond), nil)
	// The integral of the rate is 5 over the ramp and 10 over the plateau.
	if it := d.Iterations(); it.Scheduled != 15 || it.Dropped != 0 {
		t.Errorf("%+v, want 15 scheduled", it)
	}
	if diff := cmp.Diff([]string{"stage: s begins", "stage: s: stage 2 of 2, to 10/s in 1s", "stage: s ends"}, d.events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestOpenUsersGrowWithNeed(t *testing.T) {
	d := dryRun(t, "execution: [{arrival-rate: 10/s, hold-for: 3s, max-concurrency: 100, scenario: s}]"+oneRequest, slow(time.Second), nil)
	users := map[uint32]bool{}
	for _, s := range d.samples {
		users[s.User] = true
		if s.Kind == metrics.RequestKind && s.Start != s.Scheduled {
			t.Errorf("an arrival waited %d ns though users were to be had", s.Start-s.Scheduled)
		}
	}
	if len(users) < 10 || len(users) > 12 {
		t.Errorf("%d users, want 10 or 11 (Little's law)", len(users))
	}
}

func TestRateIsChangedWhileRunning(t *testing.T) {
	rate := 20.0
	d := dryRun(t, "execution: [{arrival-rate: 2/s, hold-for: 4s, scenario: s}]"+oneRequest, slow(time.Millisecond), func(e *Engine) {
		time.Sleep(2 * time.Second)
		if err := e.Control(Command{Rate: &rate}); err != nil {
			t.Error(err)
		}
	})
	if n := d.Iterations().Scheduled; n < 43 || n > 45 {
		t.Errorf("%d arrivals, want 4 + 40", n)
	}
}

// A user that stops itself makes room for the arrivals that wait, in their order, as one that becomes free does.
func TestStoppingUserMakesRoom(t *testing.T) {
	d := dryRun(t, `
execution: [{arrival-rate: 10/s, total-iterations: 5, max-concurrency: 1, scenario: s}]
scenarios: {s: {default-address: 'http://fake', requests: [/, {action: stop}]}}
`, slow(450*time.Millisecond), nil)
	if got, want := d.starts(), []int64{0, 450, 900, 1350, 1800}; !slices.Equal(got, want) {
		t.Errorf("starts in ms %v, want %v; %v dropped", got, want, d.Dropped())
	}
	for i, s := range d.samples {
		if i > 0 && s.Kind == metrics.RequestKind && s.Scheduled < d.samples[i-1].Scheduled {
			t.Errorf("one that fell due at %v came behind one of %v", time.Duration(s.Scheduled), time.Duration(d.samples[i-1].Scheduled))
		}
	}
}
