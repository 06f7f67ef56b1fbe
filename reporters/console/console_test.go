package console

import (
	"flag"
	"strconv"
	"strings"
	"testing"

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
	iv.Load[0].Dropped[metrics.DropEnded] = 4
	if err := c.Observe(iv, reporttest.Snapshot([]*metrics.Interval{iv}), nil); err != nil {
		t.Fatal(err)
	}
	if want := "running x\n00:01  1 user  0.0/s  4 iterations dropped  no answer yet\n"; b.String() != want {
		t.Errorf("got %q", b.String())
	}
}

// screen is a small terminal: it knows what the live view uses.
type screen struct {
	columns int
	lines   []string
	row     int
	column  int
}

func (s *screen) Write(b []byte) (int, error) {
	text := string(b)
	for text != "" {
		if rest, ok := strings.CutPrefix(text, "\x1b["); ok {
			end := strings.IndexAny(rest, "AJmHK")
			n, _ := strconv.Atoi(rest[:end])
			switch rest[end] {
			case 'A':
				s.row = max(0, s.row-n)
			case 'K':
				s.line()
				s.lines[s.row] = ""
			}
			text = rest[end+1:]
			continue
		}
		r := []rune(text)[0]
		text = text[len(string(r)):]
		switch r {
		case '\r':
			s.column = 0
		case '\n':
			s.row, s.column = s.row+1, 0
			s.line()
		default:
			width := report.Width(string(r))
			if s.column+width > s.columns {
				s.row, s.column = s.row+1, 0
			}
			s.line()
			s.lines[s.row] += string(r)
			s.column += width
		}
	}
	return len(b), nil
}

func (s *screen) line() string {
	for len(s.lines) <= s.row {
		s.lines = append(s.lines, "")
	}
	return s.lines[s.row]
}

func (s *screen) text() string { return strings.TrimRight(strings.Join(s.lines, "\n"), "\n") + "\n" }

func TestLiveView(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {40, 10}} {
		t.Run(strconv.Itoa(size[0]), func(t *testing.T) {
			s := &screen{columns: size[0]}
			_, _ = s.Write([]byte("$ stacrun search.yml\n"))
			c := New(Options{Out: s, Live: true, Color: true, Size: func() (int, int) { return size[0], size[1] }})
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
			reporttest.Golden(t, "live_"+strconv.Itoa(size[0])+".txt", s.text())
			if n := len(s.lines); n > size[1]+1 {
				t.Errorf("%d lines on %d rows", n, size[1])
			}
			if err := c.End(reporttest.Outcome()); err != nil {
				t.Fatal(err)
			}
			if want := "$ stacrun search.yml\n"; s.text() != want {
				t.Errorf("left behind: %q", s.text())
			}
		})
	}
}

func TestLiveViewAfterTheTerminalBecameNarrower(t *testing.T) {
	columns := 100
	var b strings.Builder
	v := newView(&b, func() (int, int) { return columns, 24 })
	lines := func(int, int) []string { return []string{strings.Repeat("x", 90), "short"} }
	if err := v.draw(lines); err != nil {
		t.Fatal(err)
	}
	columns = 50
	b.Reset()
	if err := v.draw(lines); err != nil {
		t.Fatal(err)
	}
	if want := "\r\x1b[2K" + strings.Repeat("\x1b[1A\x1b[2K", 3) + "x"; !strings.HasPrefix(b.String(), want) {
		t.Errorf("the wrapped line takes two rows: %q", b.String())
	}
}

func TestManyLabelsFit(t *testing.T) {
	iv := &metrics.Interval{}
	for i := range 200 {
		row := metrics.Row{Execution: "e", Label: "label " + strconv.Itoa(i), Finished: int64(i + 1), LastEnd: 1e9}
		iv.Rows = append(iv.Rows, row)
	}
	snap := reporttest.Snapshot([]*metrics.Interval{iv})
	c := New(Options{Live: true})
	lines := c.frame(iv, snap, reporttest.Verdicts())(80, 24)
	if len(lines) > 24 {
		t.Errorf("%d lines", len(lines))
	}
	text := strings.Join(lines, "\n")
	if !strings.Contains(text, "label 199") || !strings.Contains(text, "more labels") || strings.Contains(text, "label 17 ") {
		t.Errorf("not the busiest labels:\n%s", text)
	}
}

func TestBlocks(t *testing.T) {
	if got := blocks([]float64{0, 1, 50, 100}); got != " ▁▄█" {
		t.Errorf("%q", got)
	}
	if got := blocks([]float64{0, 0}); got != "  " {
		t.Errorf("%q", got)
	}
}

func TestClosedOutput(t *testing.T) {
	for _, live := range []bool{true, false} {
		// Progress that cannot be shown neither ends a run nor fails it.
		outcome := reporttest.Outcome()
		err := reporttest.Feed(New(Options{Out: &reporttest.Full{Room: 200}, Live: live, Every: 1}), reporttest.Run(""), outcome)
		if last := outcome.Notices[len(outcome.Notices)-1]; err != nil || last != "the progress of the run could not be shown: "+reporttest.ErrFull.Error() {
			t.Errorf("live %v: %v, %q", live, err, last)
		}
	}
}
