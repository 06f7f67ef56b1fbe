package console

import (
	"flag"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
	"github.com/stacrun/stacrun/reporters/reporttest"
)

var _ = flag.Bool("update", false, "write the goldens")

func TestPlainLines(t *testing.T) {
	var b strings.Builder
	if err := reporttest.Feed(New(Options{Out: &b}), reporttest.Run(""), reporttest.Outcome()); err != nil {
		t.Fatal(err)
	}
	reporttest.Golden(t, "plain.txt", b.String())
	if strings.ContainsRune(b.String(), '\x1b') {
		t.Error("an escape in plain lines")
	}
}

func TestQuietTellsOnlyWhatTriggered(t *testing.T) {
	var b strings.Builder
	if err := reporttest.Feed(New(Options{Out: &b, Quiet: true}), reporttest.Run(""), reporttest.Outcome()); err != nil {
		t.Fatal(err)
	}
	want := "00:01  criterion failed: p95 of GET /search>50ms for 3s: observed 100ms, limit <= 50ms\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

func TestNothingYet(t *testing.T) {
	var b strings.Builder
	c := New(Options{Out: &b, Every: 1})
	if err := c.Begin(report.Run{Name: "x"}); err != nil {
		t.Fatal(err)
	}
	iv := &metrics.Interval{Load: []metrics.Load{{Execution: "x", Users: 1}}}
	iv.Load[0].Dropped[metrics.DropEnded] = 7
	iv.Load[0].WarmUp.Dropped[metrics.DropEnded] = 3 // they are not told
	if err := c.Observe(iv, reporttest.Snapshot([]*metrics.Interval{iv}), nil); err != nil {
		t.Fatal(err)
	}
	if err := c.out.Flush(); err != nil {
		t.Fatal(err)
	}
	if want := "running x\n00:01  1 user  0.0/s  4 iterations dropped  no answer yet\n"; b.String() != want {
		t.Errorf("got %q", b.String())
	}
}

// watched is the model of a live view that was shown those seconds, on a terminal of that size.
func watched(columns, rows int, intervals ...*metrics.Interval) *model {
	c := New(Options{Out: io.Discard})
	_ = c.Begin(reporttest.Run(""))
	m := &model{run: reporttest.Run("results"), live: &live{}, hands: &hands{}}
	m.Update(tea.WindowSizeMsg{Width: columns, Height: rows})
	snap := metrics.NewSnapshot()
	for _, iv := range intervals {
		snap.Add(iv)
		m.Update(news{state: c.take(iv, snap, reporttest.Verdicts(), rows)})
	}
	return m
}

// hands note what keys asked for.
type hands struct{ did []string }

func (h *hands) Interrupt() string { return h.note("interrupt") }
func (h *hands) Stop() string      { return h.note("stop") }
func (h *hands) Pause(resume bool) string {
	return h.note("pause, resume " + strconv.FormatBool(resume))
}

func (h *hands) Change(levels []Level, direction float64) string {
	return h.note(fmt.Sprint("change ", levels, direction))
}

func (h *hands) note(text string) string {
	h.did = append(h.did, text)
	return "did " + text
}

func TestLiveView(t *testing.T) {
	for _, size := range [][2]int{{40, 10}, {60, 15}, {80, 24}, {120, 40}, {200, 60}} {
		t.Run(strconv.Itoa(size[0]), func(t *testing.T) {
			m := watched(size[0], size[1], reporttest.Intervals()...)
			text := m.View().Content
			reporttest.Golden(t, "live_"+strconv.Itoa(size[0])+".txt", text+"\n")
			lines := strings.Split(text, "\n")
			if len(lines) != size[1] {
				t.Errorf("%d lines on %d rows", len(lines), size[1])
			}
			for _, line := range lines {
				if report.Width(line) > size[0] {
					t.Errorf("%q is wider than %d columns", line, size[0])
				}
			}
		})
	}
}

// TestAgents shows a distributed run, one of whose agents is lost.
func TestAgents(t *testing.T) {
	iv := &metrics.Interval{
		Load: []metrics.Load{{Execution: "x", Users: 3, Planned: 4}},
		Rows: []metrics.Row{{Execution: "x", Label: "l", Finished: 8, LastEnd: 1e9}},
		Agents: []metrics.Agent{
			{Name: "a", Share: .5}, {Name: "b", Share: .25, State: metrics.AgentEnded}, {Name: "c", Share: .25, State: metrics.AgentLost},
		},
	}
	text := watched(120, 30, iv).View().Content
	if want := "agents    1 of 3 running, 25% of the load is missing: c 25% lost, a 50%, b 25% ended\n"; !strings.Contains(text, want) {
		t.Errorf("no %q in\n%s", want, text)
	}
	if line := plainLine(report.Run{}, iv, reporttest.Snapshot([]*metrics.Interval{iv}), 1); !strings.Contains(line, "1 of 3 agents missing") {
		t.Errorf("%q", line)
	}
	iv.Agents = nil
	if text := watched(120, 30, iv).View().Content; strings.Contains(text, "agents") {
		t.Errorf("agents of a run in one process:\n%s", text)
	}
}

// TestLastPlainLine has a last second in which nothing is left of the load, as the engine gives it.
func TestLastPlainLine(t *testing.T) {
	answered := &metrics.Interval{Second: 1, Final: true, Load: []metrics.Load{{Execution: "x", UsersPeak: 4}}, Rows: []metrics.Row{
		{Execution: "x", Label: "l", Finished: 5, LastEnd: 1.5e9},
	}}
	nothing := &metrics.Interval{Second: 1, Final: true, Load: []metrics.Load{{Execution: "x"}}}
	first := &metrics.Interval{Load: []metrics.Load{{Execution: "x", Users: 4}}, Rows: []metrics.Row{{Execution: "x", Label: "l", Finished: 8, LastEnd: 1e9}}}
	for last, want := range map[*metrics.Interval]string{
		answered: "00:01/00:01  4 users  10.0/s  no answer yet\n", // 5 in half a second
		nothing:  "",
	} {
		var b strings.Builder
		c := New(Options{Out: &b, Every: 1})
		run := report.Run{Name: "x", Duration: time.Second}
		if err := c.Begin(run); err != nil {
			t.Fatal(err)
		}
		snap := metrics.NewSnapshot()
		for _, iv := range []*metrics.Interval{first, last} {
			snap.Add(iv)
			if err := c.Observe(iv, snap, nil); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.out.Flush(); err != nil {
			t.Fatal(err)
		}
		want = "running x\n00:01/00:01  4 users  8.0/s  no answer yet\n" + want
		if diff := cmp.Diff(want, b.String()); diff != "" {
			t.Error(diff)
		}
	}
}

func TestManyLabelsFit(t *testing.T) {
	iv := &metrics.Interval{}
	for i := range 200 {
		row := metrics.Row{Execution: "e", Label: "label " + strconv.Itoa(i), Finished: int64(i + 1), LastEnd: 1e9}
		iv.Rows = append(iv.Rows, row)
	}
	text := watched(80, 24, iv).View().Content
	if !strings.Contains(text, "label 199") || strings.Contains(text, "label 17 ") {
		t.Errorf("not the busiest labels:\n%s", text)
	}
	more := regexp.MustCompile(`… and (\d+) more labels`).FindStringSubmatch(text)
	if shown := strings.Count(text, "label ") - 1; more == nil || more[1] != strconv.Itoa(200-shown) {
		t.Errorf("%d of 200 labels are shown, and %v are said to be missing:\n%s", shown, more, text)
	}
}

func TestBlocks(t *testing.T) {
	tests := []struct {
		values []float64
		height int
		want   []string
	}{
		{[]float64{0, 1, 50, 100}, 1, []string{" ▁▄█"}},
		{[]float64{0, 0}, 1, []string{"  "}},
		{[]float64{0, 1, 25, 50, 75, 100}, 2, []string{"    ▄█", " ▁▄███"}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, blocks(tt.values, tt.height)); diff != "" {
			t.Error(diff)
		}
	}
}

func TestClosedOutput(t *testing.T) {
	// Progress that cannot be shown neither ends a run nor fails it.
	outcome := reporttest.Outcome()
	err := reporttest.Feed(New(Options{Out: &reporttest.Full{Room: 200}, Every: 1}), reporttest.Run(""), outcome)
	if last := outcome.Notices[len(outcome.Notices)-1]; err != nil || last != "the progress of the run could not be shown: "+reporttest.ErrFull.Error() {
		t.Errorf("%v, %q", err, last)
	}
}
