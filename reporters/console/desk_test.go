package console

import (
	"io"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
	"github.com/stacrun/stacrun/reporters/reporttest"
)

func TestKeysTurnPages(t *testing.T) {
	m := watched(100, 30, reporttest.Intervals()...)
	for _, want := range []string{"last 10s", "GET /search", "✗ p95 of GET /search", "connection reset by peer", "no event so far", "last 10s"} {
		if text := m.View().Content; !strings.Contains(text, want) || !strings.Contains(text, "q stop") {
			t.Errorf("no %q in\n%s", want, text)
		}
		m.Update(tea.KeyPressMsg{Code: tea.KeyTab})
	}
	m.Update(tea.KeyPressMsg{Code: tea.KeyTab, Mod: tea.ModShift})
	if text := m.View().Content; !strings.Contains(text, "last 10s") {
		t.Errorf("shift and tab do not go back:\n%s", text)
	}
	m.Update(tea.KeyPressMsg{Code: '4', Text: "4"})
	if text := m.View().Content; !strings.Contains(text, "connection reset by peer") {
		t.Errorf("4 is not the fourth page:\n%s", text)
	}
	m.Update(tea.KeyPressMsg{Code: '?', Text: "?"})
	if text := m.View().Content; !strings.Contains(text, "Ctrl-Z") || !strings.Contains(text, "results") {
		t.Errorf("no help:\n%s", text)
	}
	m.Update(tea.KeyPressMsg{Code: tea.KeyEscape})
	if text := m.View().Content; !strings.Contains(text, "connection reset by peer") {
		t.Errorf("esc does not leave the help:\n%s", text)
	}
}

func TestKeysActOnTheRun(t *testing.T) {
	m := watched(100, 30, reporttest.Intervals()...)
	press := func(keys ...tea.KeyPressMsg) {
		for _, key := range keys {
			m.Update(key)
		}
	}
	press(
		tea.KeyPressMsg{Code: '+', Text: "+"}, tea.KeyPressMsg{Code: '-', Text: "-"}, tea.KeyPressMsg{Code: 'p', Text: "p"},
		tea.KeyPressMsg{Code: 'x', Text: "x"}, tea.KeyPressMsg{Code: tea.KeyUp},
	)
	iv := &metrics.Interval{Second: 10, Events: []metrics.Event{{Kind: "load", Text: "browse: paused"}}, Load: []metrics.Load{{Execution: "browse", Planned: 4}}}
	c := New(Options{Out: io.Discard})
	m.Update(news{state: c.take(iv, reporttest.Snapshot([]*metrics.Interval{iv}), nil, 30)})
	if text := m.View().Content; !strings.Contains(text, "p resume") || !strings.Contains(text, "did pause, resume false") {
		t.Errorf("not paused:\n%s", text)
	}
	press(tea.KeyPressMsg{Code: tea.KeySpace, Text: " "}, tea.KeyPressMsg{Code: 'q', Text: "q"}, tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl})
	want := []string{"change [{browse false 4}] 1", "change [{browse false 4}] -1", "pause, resume false", "pause, resume true", "stop", "interrupt"}
	if diff := cmp.Diff(want, m.hands.(*hands).did); diff != "" {
		t.Error(diff)
	}
	m.Update(news{said: "stopping"})
	if text := m.View().Content; !strings.Contains(text, "stopping") {
		t.Errorf("no message in\n%s", text)
	}
}

func TestEveryPageFits(t *testing.T) {
	iv := &metrics.Interval{}
	for i := range 100 {
		iv.Rows = append(iv.Rows, metrics.Row{Execution: "e", Label: strings.Repeat("長い ", i), Finished: int64(i + 1), LastEnd: 1e9})
		iv.Errors = append(iv.Errors, metrics.ErrorText{Label: "l", Fault: metrics.FaultReset, Text: strings.Repeat("text ", i), Count: 1})
		iv.Events = append(iv.Events, metrics.Event{Kind: "load", Text: strings.Repeat("event ", i)})
	}
	for _, size := range [][2]int{{10, 2}, {40, 8}, {60, 15}, {140, 20}, {200, 60}} {
		m := watched(size[0], size[1], iv)
		for page := range pageNames() {
			lines := strings.Split(m.View().Content, "\n")
			if size[1] >= leastRows && len(lines) != size[1] {
				t.Errorf("page %d takes %d of %d rows", page, len(lines), size[1])
			}
			for _, line := range lines {
				if report.Width(line) > max(size[0], leastColumns) {
					t.Errorf("page %d on %v: %q is too wide", page, size, line)
				}
			}
			if !strings.Contains(lines[len(lines)-1], "q stop") {
				t.Errorf("page %d on %v has no line of keys:\n%s", page, size, strings.Join(lines, "\n"))
			}
			m.press("tab")
		}
	}
}

// TestWithoutSeconds looks at the view before the first second has passed.
func TestWithoutSeconds(t *testing.T) {
	m := watched(80, 24)
	for _, key := range []string{"tab", "?", "?", "p", "+"} {
		m.press(key)
		if text := m.View().Content; text == "" {
			t.Errorf("nothing is shown after %q", key)
		}
	}
}

func TestNobodyAtTheDesk(t *testing.T) {
	var nobody *Desk
	nobody.Note("page")
	if nobody.Say("nobody sees this") || nobody.Close() != nil {
		t.Error("somebody was told")
	}
	desk := &Desk{}
	if desk.Say("not yet") || desk.Close() != nil {
		t.Error("said something where nothing is shown")
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
