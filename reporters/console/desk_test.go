package console

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
	"github.com/stacrun/stacrun/reporters/reporttest"
)

func TestKeysTurnPagesAndTell(t *testing.T) {
	desk := &Desk{}
	desk.Turn(1) // before there is anything
	if desk.Say("nobody sees this") || len(desk.Levels()) > 0 {
		t.Error("said something where nothing is shown")
	}
	s := &screen{columns: 100}
	c := New(Options{Out: s, Live: true, Desk: desk, Size: func() (int, int) { return 100, 30 }})
	if err := c.Begin(reporttest.Run("")); err != nil {
		t.Fatal(err)
	}
	snap := metrics.NewSnapshot()
	for _, iv := range reporttest.Intervals() {
		snap.Add(iv)
		if err := c.Observe(iv, snap, reporttest.Verdicts()); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"last 10s", "GET /search", "✗ p95 of GET /search", "connection reset by peer", "no event so far", "last 10s"} {
		if text := s.text(); !strings.Contains(text, want) || !strings.Contains(text, "q stop") {
			t.Errorf("no %q in\n%s", want, text)
		}
		desk.Turn(1)
	}
	desk.Turn(-1)
	if !desk.Say("12 users") || !strings.Contains(s.text(), "12 users") {
		t.Errorf("no message in\n%s", s.text())
	}
	want := []Level{{Execution: "browse", Planned: 4}}
	if diff := cmp.Diff(want, desk.Levels()); diff != "" {
		t.Error(diff)
	}
	iv := &metrics.Interval{Second: 10, Events: []metrics.Event{{Kind: "load", Text: "browse: paused"}}}
	snap.Add(iv)
	if err := c.Observe(iv, snap, nil); err != nil {
		t.Fatal(err)
	}
	if !desk.Levels()[0].Paused || !strings.Contains(s.text(), "p resume") {
		t.Errorf("not paused:\n%s", s.text())
	}
	if err := c.End(reporttest.Outcome()); err != nil {
		t.Fatal(err)
	}
	if desk.Say("too late") || strings.TrimSpace(s.text()) != "" {
		t.Errorf("left behind: %q", s.text())
	}
}

func TestEveryPageFits(t *testing.T) {
	iv := &metrics.Interval{}
	for i := range 100 {
		iv.Rows = append(iv.Rows, metrics.Row{Execution: "e", Label: strings.Repeat("long ", i), Finished: int64(i + 1), LastEnd: 1e9})
		iv.Errors = append(iv.Errors, metrics.ErrorText{Label: "l", Fault: metrics.FaultReset, Text: strings.Repeat("text ", i), Count: 1})
		iv.Events = append(iv.Events, metrics.Event{Kind: "load", Text: strings.Repeat("event ", i)})
	}
	snap := reporttest.Snapshot([]*metrics.Interval{iv})
	for _, size := range [][2]int{{40, 8}, {60, 15}, {200, 60}} {
		desk := &Desk{}
		s := &screen{columns: size[0]}
		c := New(Options{Out: s, Live: true, Desk: desk, Size: func() (int, int) { return size[0], size[1] }})
		_ = c.Begin(reporttest.Run(""))
		_ = c.Observe(iv, snap, reporttest.Verdicts())
		for page := range pageNames() {
			if n := len(s.lines); n > size[1] {
				t.Errorf("page %d takes %d of %d rows", page, n, size[1])
			}
			if !strings.Contains(s.text(), "q stop") {
				t.Errorf("page %d on %v has no line of keys:\n%s", page, size, s.text())
			}
			desk.Turn(1)
		}
	}
}

func TestWindowsFill(t *testing.T) {
	v := criteria.Verdict{
		Rule: config.Criterion{Logic: "for", Timeframe: 10 * time.Second}, Text: "p95>1s for 10s", Observed: "2s", Limit: "<= 1s", Windowed: true, Progress: .4,
	}
	if got, want := criterionLine(report.Palette{}, v), "~ ████░░░░░░ p95>1s for 10s: 2s, limit <= 1s"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestLogsOfCI(t *testing.T) {
	outcome := reporttest.Outcome()
	outcome.Verdicts[0].Rule.Pos = diag.Pos{File: "load, 50%.yml", Line: 7, Column: 3}
	outcome.Errors = []string{"disk\nfull"}
	tests := []struct {
		name        string
		ci          CI
		quiet       bool
		first, last []string
	}{
		{
			name: "github", ci: GitHub, first: []string{"running search: browse; ends after 20s", "::group::progress of search"},
			last: []string{
				"::endgroup::",
				"::error file=load%2C 50%25.yml,line=7,title=criterion failed::p95 of GET /search>50ms for 3s: observed 100ms, limit <= 50ms",
				`::error title=criterion failed::hits of checkout<1: not evaluated, no data: no sample of "checkout" finished in the measured time`,
				"::warning title=criterion noticed::avg-rt>1ms, continue as non-failed: observed 158ms, limit <= 1ms",
				"::error title=load test::disk full",
			},
		},
		{
			name: "github, quiet", ci: GitHub, quiet: true,
			last: []string{"::warning title=criterion noticed::avg-rt>1ms, continue as non-failed: observed 158ms, limit <= 1ms", "::error title=load test::disk full"},
		},
		{
			name: "gitlab", ci: GitLab,
			first: []string{"running search: browse; ends after 20s", "\x1b[0Ksection_start:1000:stacrun_progress[collapsed=true]\r\x1b[0Kprogress of search"},
			last: []string{
				"\x1b[0Ksection_end:1000:stacrun_progress\r\x1b[0K",
				"\x1b[31mcriterion failed: p95 of GET /search>50ms for 3s: observed 100ms, limit <= 50ms\x1b[0m",
				"\x1b[31mcriterion failed: hits of checkout<1: not evaluated, no data: no sample of \"checkout\" finished in the measured time\x1b[0m",
				"\x1b[33mcriterion noticed: avg-rt>1ms, continue as non-failed: observed 158ms, limit <= 1ms\x1b[0m",
				"\x1b[31mload test: disk full\x1b[0m",
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var b strings.Builder
			c := New(Options{Out: &b, CI: tt.ci, Quiet: tt.quiet, Now: func() time.Time { return time.Unix(1000, 0) }})
			o := *outcome
			if err := reporttest.Feed(c, reporttest.Run(""), &o); err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimRight(b.String(), "\n"), "\n")
			if diff := cmp.Diff(tt.first, lines[:len(tt.first)], cmpEmpty()); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(tt.last, lines[len(lines)-len(tt.last):]); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// cmpEmpty takes nil and empty lists for equal.
func cmpEmpty() cmp.Option {
	return cmp.FilterValues(func(a, b []string) bool { return len(a)+len(b) == 0 }, cmp.Ignore())
}

func TestWhoseLogItIs(t *testing.T) {
	for name, want := range map[string]CI{"GITHUB_ACTIONS": GitHub, "GITLAB_CI": GitLab, "CI": NoCI} {
		got := CIOf(func(key string) (string, bool) { return map[string]string{name: "true"}[key], key == name })
		if got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
