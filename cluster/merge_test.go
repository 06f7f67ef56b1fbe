package cluster

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/metrics"
)

func second(n, finished int64, events ...metrics.Event) *metrics.Interval {
	return &metrics.Interval{
		Second: n, Source: "a", Sequence: 9, Final: true, Events: events,
		Rows: []metrics.Row{{Execution: "x", Label: "l", Finished: finished, FirstStart: n}},
		Load: []metrics.Load{{Execution: "x", Second: n, Users: finished, Started: finished, Planned: 3}},
	}
}

// TestMergerLosesNothing gives seconds that come in order, late, and after the last one that was given away.
func TestMergerLosesNothing(t *testing.T) {
	m := newMerger()
	type given struct {
		Second, Finished, Users int64
		Sequence                uint64
		Final                   bool
	}
	var got []given
	take := func(final bool) {
		iv := m.take(final)
		g := given{Second: iv.Second, Finished: iv.Total("").Finished, Sequence: iv.Sequence, Final: iv.Final}
		if len(iv.Load) > 0 {
			g.Users = iv.Load[0].Users
		}
		if iv.Source != "" {
			t.Errorf("second %d is of %q", iv.Second, iv.Source)
		}
		got = append(got, g)
	}
	m.add(second(0, 1))
	m.add(second(0, 2))
	m.add(second(1, 4))
	take(false)         // both of second 0
	m.add(second(0, 8)) // late: counted in second 1, but its users are not alive there
	take(false)
	take(false) // nobody told of second 2
	m.add(second(3, 16))
	m.add(second(5, 32))
	take(true)
	want := []given{{0, 3, 3, 1, false}, {1, 12, 4, 2, false}, {2, 0, 0, 3, false}, {5, 48, 32, 4, true}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestEventsAreToldOnce drops what several agents say alike, and what the controller tells itself.
func TestEventsAreToldOnce(t *testing.T) {
	m := newMerger()
	m.add(second(0, 1, metrics.Event{Kind: "load", Text: "paused"}, metrics.Event{Kind: "warning", Text: "hot"}))
	of := second(0, 1, metrics.Event{Kind: "load", Text: "paused"}, metrics.Event{Kind: "stage", Text: "begins"}, metrics.Event{Kind: "warning", Text: "hot"}, metrics.Event{Kind: "warning", Text: "cold"})
	of.Rows = append(of.Rows, metrics.Row{Execution: "x", Label: "a", WarmUp: true, Finished: 5, Failed: 2}) // is not told of an agent
	ofAgent(of, metrics.Agent{Name: "a"})
	m.add(of)
	m.add(second(1, 1, metrics.Event{Kind: "load", Text: "paused"}))
	var got []string
	for range 2 {
		for _, e := range m.take(false).Events {
			got = append(got, e.Kind+" "+e.Text)
		}
	}
	if diff := cmp.Diff([]string{"load paused", "warning cold", "warning hot", "load paused"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if of.Load[0].Planned != 0 || of.Agents[0].Finished != 1 || of.Agents[0].Failed != 0 || of.Agents[0].Users != 1 {
		t.Errorf("%+v, %+v", of.Load, of.Agents)
	}
}

// TestMemberKnowsWhatIsMissing takes ticks that are lost, doubled and late.
func TestMemberKnowsWhatIsMissing(t *testing.T) {
	m := &member{ticks: map[uint64]bool{}}
	for _, step := range []struct {
		sequence    uint64
		fresh       bool
		first, last uint64 // 0: nothing is missing
	}{
		{1, true, 0, 0}, {1, false, 0, 0}, {2, true, 0, 0}, {5, true, 3, 4}, {5, false, 3, 4}, {4, true, 3, 3}, {3, true, 0, 0}, {4, false, 0, 0},
	} {
		if fresh := m.take(step.sequence); fresh != step.fresh {
			t.Errorf("tick %d: fresh is %v", step.sequence, fresh)
		}
		if first, last, missing := m.gap(); missing != (step.first > 0) || first != step.first || last != step.last {
			t.Errorf("after tick %d: %d to %d are missing (%v), want %d to %d", step.sequence, first, last, missing, step.first, step.last)
		}
	}
	m.done = &done{Ticks: 7}
	if first, last, missing := m.gap(); !missing || first != 6 || last != 7 || m.complete() {
		t.Errorf("at the end %d to %d are missing (%v)", first, last, missing)
	}
	m.take(6)
	m.take(7)
	if _, _, missing := m.gap(); missing || !m.complete() {
		t.Error("nothing is missing any more")
	}
}

// TestAgentThatIsLostAgain tells in the results of each loss, though in the same words.
func TestAgentThatIsLostAgain(t *testing.T) {
	r := &running{c: &Controller{members: []*member{{name: "a"}}}, merger: newMerger()}
	for range 2 {
		r.events = []metrics.Event{{Kind: "warning", Text: "agent a (host) is lost"}}
		if iv := r.take(false); len(iv.Events) != 1 {
			t.Errorf("second %d has the events %v", iv.Second, iv.Events)
		}
	}
}

// TestSecondOfALoss has an agent lost in a second that is given away later: the ones before it are not told as if it had been lost in them.
func TestSecondOfALoss(t *testing.T) {
	m := &member{name: "a", state: metrics.AgentLost, since: 2}
	r := &running{c: &Controller{members: []*member{m}}, merger: newMerger()}
	for second, want := range []metrics.AgentState{metrics.AgentRunning, metrics.AgentRunning, metrics.AgentLost} {
		if got := r.take(false).Agents[0].State; got != want {
			t.Errorf("in second %d it is %s, want %s", second, got, want)
		}
	}
	m.since = 9 // it had nothing more to tell
	if got := r.take(true).Agents[0].State; got != metrics.AgentLost || m.since != 3 {
		t.Errorf("in the end it is %s since second %d", got, m.since)
	}
}
