package cluster

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/engine"
	"github.com/stacrun/stacrun/metrics"
)

const endless = `
execution: [{concurrency: 4, hold-for: 10m, graceful-stop: 5s, scenario: s}]
scenarios: {s: {default-address: %q, think-time: 5ms, requests: [/]}}
`

// until reads intervals until something holds, and adds them up.
func until(t *testing.T, out <-chan *metrics.Interval, snapshot *metrics.Snapshot, holds func(*metrics.Interval) bool) {
	t.Helper()
	for iv := range out {
		snapshot.Add(iv)
		if holds(iv) {
			return
		}
	}
	t.Fatal("the run ended too early")
}

// rest adds up what is left.
func rest(out <-chan *metrics.Interval, snapshot *metrics.Snapshot) {
	for iv := range out {
		snapshot.Add(iv)
	}
}

func users(iv *metrics.Interval) (n int64) {
	for _, l := range iv.Load {
		n += l.Users
	}
	return n
}

// TestControlReachesAllAgents sets users, pauses, resumes and stops while agents run.
func TestControlReachesAllAgents(t *testing.T) {
	server := newTarget(t)
	c := newCrew(t, 2, Options{})
	out := c.begin(t, document(t, "run.yml", fmt.Sprintf(endless, server.URL)))
	snapshot := metrics.NewSnapshot()
	until(t, out, snapshot, func(iv *metrics.Interval) bool { return users(iv) == 4 })
	seven, none := 7, 0
	for _, step := range []struct {
		command engine.Command
		holds   func(*metrics.Interval) bool
	}{
		{engine.Command{Users: &seven}, func(iv *metrics.Interval) bool { return users(iv) == 7 && iv.Load[0].Planned == 7 }},
		{engine.Command{Users: &none}, func(iv *metrics.Interval) bool { return users(iv) == 0 }},
		{engine.Command{Users: &seven}, func(iv *metrics.Interval) bool { return users(iv) == 7 }},
		{engine.Command{Pause: true}, func(iv *metrics.Interval) bool { return iv.Total("").Finished == 0 }},
		{engine.Command{Resume: true}, func(iv *metrics.Interval) bool { return iv.Total("").Finished > 0 }},
	} {
		if err := c.Control(step.command); err != nil {
			t.Fatal(err)
		}
		until(t, out, snapshot, step.holds)
	}
	if err := c.Control(engine.Command{Execution: "nobody", Pause: true}); err == nil {
		t.Error("an execution that does not exist was paused")
	}
	if err := c.Control(engine.Command{Execution: "s", Stop: true}); err != nil {
		t.Fatal(err)
	}
	rest(out, snapshot)
	if err := errors.Join(c.Err(), snapshot.Reconcile()); err != nil {
		t.Error(err)
	}
	if got := snapshot.Total().Exchanges; got != int64(len(server.take())) {
		t.Errorf("%d exchanges are counted, the server says otherwise", got)
	}
	for _, e := range snapshot.Events() {
		if strings.Contains(e.Text, "paused") {
			return
		}
	}
	t.Errorf("the pause is no event: %v", snapshot.Events())
}

// TestStopAndAbort ends a run gracefully, and at once while requests hang.
func TestStopAndAbort(t *testing.T) {
	server := newTarget(t)
	hanging := strings.Replace(endless, "requests: [/]", "requests: [/hold]", 1)
	for _, tt := range []struct {
		name, text  string
		end         func(*Source)
		interrupted int64
	}{
		{"stop", endless, func(s *Source) { s.Stop("enough") }, 0},
		{"abort", hanging, func(s *Source) { s.Abort("enough") }, 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server.take()
			c := newCrew(t, 2, Options{})
			out := c.begin(t, document(t, "run.yml", fmt.Sprintf(tt.text, server.URL)))
			snapshot := metrics.NewSnapshot()
			until(t, out, snapshot, func(iv *metrics.Interval) bool { return users(iv) == 4 })
			tt.end(c.Source)
			rest(out, snapshot)
			if err := errors.Join(c.Err(), snapshot.Reconcile()); err != nil {
				t.Error(err)
			}
			if got := snapshot.Requests().Interrupted; got != tt.interrupted {
				t.Errorf("%d requests were interrupted, want %d", got, tt.interrupted)
			}
			if got := snapshot.Requests().Started; got != int64(len(server.take())) {
				t.Errorf("%d requests are counted, the server says otherwise", got)
			}
		})
	}
}

// TestAgentThatLeaves interrupts an agent where it runs.
func TestAgentThatLeaves(t *testing.T) {
	server := newTarget(t)
	c := newCrew(t, 0, Options{Agents: 0})
	c.opts.Agents = 2
	leave := make(chan string, 1)
	c.join(t, "stays", AgentOptions{})
	c.join(t, "leaves", AgentOptions{Interrupts: leave})
	if err := c.Gather(t.Context(), patience); err != nil {
		t.Fatal(err)
	}
	out := c.begin(t, document(t, "run.yml", fmt.Sprintf(endless, server.URL)))
	snapshot := metrics.NewSnapshot()
	until(t, out, snapshot, func(iv *metrics.Interval) bool { return users(iv) == 4 })
	leave <- "off home"
	until(t, out, snapshot, func(iv *metrics.Interval) bool { return iv.Agents[0].State == metrics.AgentLeft })
	until(t, out, snapshot, func(iv *metrics.Interval) bool { return users(iv) == 2 && iv.Load[0].Planned == 4 })
	c.Stop("enough")
	rest(out, snapshot)
	if err := snapshot.Reconcile(); err != nil {
		t.Error(err)
	}
	if got := snapshot.Requests().Started; got != int64(len(server.take())) {
		t.Errorf("%d requests are counted, the server says otherwise", got)
	}
	if err := c.Err(); err == nil || !strings.Contains(err.Error(), "agent leaves (host) left after") || !strings.Contains(err.Error(), "50% of the planned load is missing") {
		t.Errorf("the result: %v", err)
	}
	if !c.heard("agent leaves (host) has left (off home)") {
		t.Errorf("said: %q", c.said)
	}
}

// TestAgentThatIsCutOff breaks the network of an agent for good, and for a while.
func TestAgentThatIsCutOff(t *testing.T) {
	server := newTarget(t)
	for _, back := range []bool{false, true} {
		t.Run(fmt.Sprintf("back %v", back), func(t *testing.T) {
			server.take()
			c := newCrew(t, 2, Options{})
			out := c.begin(t, document(t, "run.yml", fmt.Sprintf(endless, server.URL)))
			snapshot := metrics.NewSnapshot()
			state := func(want metrics.AgentState) func(*metrics.Interval) bool {
				return func(iv *metrics.Interval) bool { return iv.Agents[0].State == want }
			}
			until(t, out, snapshot, func(iv *metrics.Interval) bool { return users(iv) == 4 })
			c.cutOff(t, "agent-1")
			until(t, out, snapshot, state(metrics.AgentLost))
			if !c.heard("agent agent-1 (host) is lost: nothing came from it for 1m0s; 50% of the load is missing") {
				t.Errorf("said: %q", c.said)
			}
			if back {
				c.bus.Cut("agent-1", false)
				until(t, out, snapshot, state(metrics.AgentRunning))
				until(t, out, snapshot, func(iv *metrics.Interval) bool { return users(iv) == 4 })
			}
			c.Stop("enough")
			rest(out, snapshot)
			if err := snapshot.Reconcile(); err != nil {
				t.Error(err)
			}
			lost := snapshot.Label("s", LostLabel)
			if back {
				// What it told while it was cut off was asked for again: nothing is missing.
				if err := c.Err(); err != nil || lost != nil {
					t.Errorf("it came back: %v, %+v", err, lost)
				}
				if got := snapshot.Requests().Started; got != int64(len(server.take())) {
					t.Errorf("%d requests are counted, the server says otherwise", got)
				}
				return
			}
			// What it says afterwards does not make up for it.
			c.bus.Cut("agent-1", false)
			c.agents.Wait()
			since := snapshot.Agents()[0].Since // the same everywhere
			if err := c.Err(); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("agent agent-1 (host) was lost after %d s", since)) {
				t.Errorf("the result: %v, want it lost after %d s", err, since)
			}
			c.opts.AllowLost = true
			if err := c.Err(); err != nil {
				t.Errorf("it is allowed: %v", err)
			}
		})
	}
}

// TestNobodyIsLeft loses all agents: the run ends.
func TestNobodyIsLeft(t *testing.T) {
	server := newTarget(t)
	c := newCrew(t, 1, Options{AllowLost: true})
	out := c.begin(t, document(t, "run.yml", fmt.Sprintf(endless, server.URL)))
	snapshot := metrics.NewSnapshot()
	until(t, out, snapshot, func(iv *metrics.Interval) bool { return users(iv) == 4 })
	c.cutOff(t, "agent-1")
	rest(out, snapshot)
	if err := c.Err(); err == nil || err.Error() != "no agent is left" {
		t.Errorf("the result: %v", err)
	}
	if err := snapshot.Reconcile(); err != nil {
		t.Error(err)
	}
}

// TestControllerThatGoes closes the bus under an agent: it stops its load.
func TestControllerThatGoes(t *testing.T) {
	server := newTarget(t)
	c := newCrew(t, 1, Options{})
	out := c.begin(t, document(t, "run.yml", fmt.Sprintf(endless, server.URL)))
	until(t, out, metrics.NewSnapshot(), func(iv *metrics.Interval) bool { return users(iv) == 4 })
	if err := c.bus.Close(); err != nil {
		t.Fatal(err)
	}
	c.agents.Wait()
	if got := c.endings["agent-1"]; !strings.Contains(got, ErrGone.Error()) {
		t.Errorf("the agent ended with %s", got)
	}
	sent := server.count()
	time.Sleep(100 * time.Millisecond)
	if more := server.count() - sent; more > 4 { // what each of the users had under way may be counted late
		t.Errorf("%d more requests were sent after that", more)
	}
	c.Abort("over")
	rest(out, metrics.NewSnapshot())
}

// TestExecutionsInOrder runs executions one after the other, each with a cap.
func TestExecutionsInOrder(t *testing.T) {
	server := newTarget(t)
	name := document(t, "run.yml", fmt.Sprintf(`
execution:
- {concurrency: 3, iterations: 3, throughput: 30, scenario: first}
- {concurrency: 2, hold-for: 1s, throughput: 20, scenario: second}
scenarios:
  first: {default-address: %[1]q, requests: [/first]}
  second: {default-address: %[1]q, requests: [/second]}
settings: {}
modules: {local: {sequential: true}}
`, server.URL))
	c := newCrew(t, 2, Options{})
	snapshot := finish(t, c.begin(t, name))
	if err := errors.Join(c.Err(), snapshot.Reconcile()); err != nil {
		t.Error(err)
	}
	first, second := snapshot.ExecutionTotal("first"), snapshot.ExecutionTotal("second")
	if first.Finished != 9 || second.Finished == 0 || second.Finished > 21 {
		t.Errorf("%d and %d requests", first.Finished, second.Finished)
	}
	if second.FirstStart < first.LastEnd {
		t.Errorf("the second began at %d, before the first had ended at %d", second.FirstStart, first.LastEnd)
	}
	var stages []string
	for _, e := range snapshot.Events() {
		if e.Kind == "stage" {
			stages = append(stages, e.Text)
		}
	}
	if diff := cmp.Diff([]string{"first begins", "first ends", "second begins", "second ends"}, stages); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	planned := int64(0)
	for _, l := range snapshot.Loads() {
		if l.Execution == "second" {
			planned = l.RequestsPlanned
		}
	}
	if planned != 20 {
		t.Errorf("%d requests were planned in the second, want 20 of all agents together", planned)
	}
}

// TestAgentsThatAreRefused wants another version, and one too many.
func TestAgentsThatAreRefused(t *testing.T) {
	c := newCrew(t, 1, Options{Version: ""})
	c.join(t, "late", AgentOptions{})
	c.join(t, "late again", AgentOptions{Name: "late"})
	c.join(t, "old", AgentOptions{Version: "0.1"})
	if texts := c.Machines(); len(texts) != 1 || string(texts[0]) != `{"host":"here"}` {
		t.Errorf("machines: %s", texts)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	ended := func(id string) string {
		for ctx.Err() == nil {
			c.mu.Lock()
			text, ok := c.endings[id]
			c.mu.Unlock()
			if ok {
				return text
			}
			time.Sleep(time.Millisecond)
		}
		return "it did not end"
	}
	if got := ended("late again"); !strings.Contains(got, "the run has all its 1 agents") {
		t.Error(got)
	}
	if got := ended("late"); !strings.Contains(got, "the run has all its 1 agents") {
		t.Error(got)
	}
	if got := ended("old"); !strings.Contains(got, "it is version 0.1 and the controller is version : install the same on all machines") {
		t.Error(got)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	told := 0
	for _, text := range c.said {
		if strings.HasPrefix(text, "agent late (host) is refused") {
			told++
		}
	}
	if told != 1 {
		t.Errorf("it was told %d times that an agent is one too many: %q", told, c.said)
	}
}
