package web

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
	"github.com/stacrun/stacrun/reporters/reporttest"
)

// viewer reads states from the stream.
type viewer struct {
	t       *testing.T
	scanner *bufio.Scanner
	close   func()
}

func join(t *testing.T, s *Server) *viewer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.base()+"/api/live", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	scanner := bufio.NewScanner(response.Body)
	scanner.Buffer(nil, 4<<20)
	return &viewer{t, scanner, func() { response.Body.Close() }}
}

// until reads states up to the first that is wanted.
func (v *viewer) until(wanted func(*state) bool) *state {
	v.t.Helper()
	for v.scanner.Scan() {
		text, ok := strings.CutPrefix(v.scanner.Text(), "data: ")
		if !ok {
			continue
		}
		var s state
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			v.t.Fatal(err)
		}
		if wanted(&s) {
			return &s
		}
	}
	v.t.Fatalf("the stream has ended: %v", v.scanner.Err())
	return nil
}

func TestViewersSeeARun(t *testing.T) {
	s, _ := listen(t, "127.0.0.1:0", Options{})
	early := join(t, s)
	early.until(func(s *state) bool { return s.Phase == phaseIdle })
	watch, err := s.Watch()
	if err != nil {
		t.Fatal(err)
	}
	if err := reporttest.Feed(watch, reporttest.Run("/runs/one"), reporttest.Outcome()); err != nil {
		t.Fatal(err)
	}
	late := join(t, s)
	watch.Done(reporttest.Outcome(), nil)
	for name, v := range map[string]*viewer{"early": early, "late": late} {
		got := v.until(func(s *state) bool { return s.Phase == phaseEnded })
		if got.ID != "one" || got.Name != "search" || len(got.Cards) < 8 || len(got.Panels) < 4 || got.Outcome == nil {
			t.Errorf("%s viewer: %+v", name, got)
		}
		if !strings.Contains(got.Panels[0].SVG, "<svg") || len(got.Panels[0].Lines) != 3 || len(got.Times) != len(got.Panels[0].Lines[0].Values) {
			t.Errorf("%s viewer: panel %+v", name, got.Panels[0])
		}
		var names []string
		for _, l := range got.Labels {
			names = append(names, l.Name+" "+l.Cells[0])
		}
		if diff := cmp.Diff([]string{"GET /search 100", `landing, "root" 20`, "検索 über 10", "visit 10"}, names); diff != "" {
			t.Errorf("%s viewer: %s", name, diff)
		}
	}
}

func TestASlowViewerGetsTheNewest(t *testing.T) {
	h := newHub()
	states, _ := h.join()
	for i := range 1000 {
		h.publish(&state{Phase: phaseRunning, Elapsed: fmt.Sprint(i)})
	}
	var got state
	if err := json.Unmarshal(<-states, &got); err != nil || got.Elapsed != "999" {
		t.Errorf("%+v %v", got, err)
	}
	h.leave(states)
	h.publish(&state{})
	if len(states) != 0 {
		t.Error("a viewer who has left still gets states")
	}
	for range maxViewers {
		if _, ok := h.join(); !ok {
			t.Fatal("refused too early")
		}
	}
	if _, ok := h.join(); ok {
		t.Error("no bound on viewers")
	}
}

func TestPausesAreReadFromEvents(t *testing.T) {
	var last *state
	w := newWatch(func(s *state) { last = s })
	snap := metrics.NewSnapshot()
	observe := func(second int64, events ...metrics.Event) {
		iv := &metrics.Interval{Second: second, Load: []metrics.Load{{Execution: "a: b", Users: 2, Planned: 3}}, Events: events}
		snap.Add(iv)
		_ = w.Observe(iv, snap, nil)
	}
	observe(0, metrics.Event{Kind: "load", Text: "a: b: paused"})
	if !last.Executions[0].Paused || last.Executions[0].Now != "2 users" || last.Executions[0].Planned != "of 3" {
		t.Errorf("%+v", last.Executions[0])
	}
	observe(1, metrics.Event{Kind: "load", Text: "a: b: resumed"})
	if last.Executions[0].Paused {
		t.Error("still paused")
	}
	observe(2, metrics.Event{Kind: "stop", Text: "by somebody"})
	if last.Phase != phaseStopping {
		t.Errorf("phase %s", last.Phase)
	}
}

func TestCloseTellsTheLastState(t *testing.T) {
	f := &fake{}
	s, err := Listen("127.0.0.1:0", Options{Runner: f})
	if err != nil {
		t.Fatal(err)
	}
	v := join(t, s)
	v.until(func(s *state) bool { return true })
	watch, err := s.Watch()
	if err != nil {
		t.Fatal(err)
	}
	watch.Done(&report.Outcome{Result: report.ResultError, Errors: []string{"it broke"}}, nil)
	s.Close()
	got := v.until(func(s *state) bool { return s.Phase == phaseEnded })
	if got.Outcome.Result != "error" || len(got.Outcome.Errors) != 1 {
		t.Errorf("%+v", got.Outcome)
	}
}

func TestManyLabelsStaySmall(t *testing.T) {
	iv := &metrics.Interval{}
	for i := range 300 {
		iv.Rows = append(iv.Rows, metrics.Row{Execution: "e", Label: fmt.Sprintf("label %d", i), Finished: int64(i + 1), LastEnd: 1e9})
	}
	snap := reporttest.Snapshot([]*metrics.Interval{iv})
	list, note := labels(snap, snap.Recent(recentSeconds, true))
	if len(list) != maxLabels || list[0].Name != "label 299" || !strings.HasPrefix(note, "200 labels") {
		t.Errorf("%d labels, first %q, note %q", len(list), list[0].Name, note)
	}
}

func TestAgentsAreShown(t *testing.T) {
	snap := metrics.NewSnapshot()
	for second := range int64(3) {
		iv := &metrics.Interval{Second: second, Agents: []metrics.Agent{
			{Name: "a", Host: "one", Second: second, Share: .75, Users: 6, Finished: 10, CPUShare: .25, SchedulerLagP99: 1e6},
			{Name: "b", Host: "two", Second: second, Share: .25, Users: 2, Finished: 4, Failed: 1},
		}}
		if second == 2 {
			iv.Agents[1].State = metrics.AgentLost
		}
		snap.Add(iv)
	}
	want := []agent{
		{Name: "a", Host: "one", State: "running", Cells: []string{"75%", "6", "30", "0%", "25%", "1ms"}},
		{Name: "b", Host: "two", State: "lost since 00:02", Tone: "bad", Cells: []string{"25%", "2", "12", "25%", "0%", "0ms"}},
	}
	if diff := cmp.Diff(want, agents(snap)); diff != "" {
		t.Error(diff)
	}
	if list := agents(metrics.NewSnapshot()); list != nil {
		t.Errorf("agents of a run in one process: %v", list)
	}
}
