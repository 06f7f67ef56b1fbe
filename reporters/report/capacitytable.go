package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// WriteText prints the answer, then the curve of load against response times.
func (c *Capacity) WriteText(w io.Writer, width int, color bool) error {
	out := &Writer{W: w}
	p := Palette{On: color}
	for _, line := range c.Answer() {
		out.Line(line)
	}
	t := &Table{Palette: p, Marks: map[int]func(string) string{}, Columns: []Column{
		{Title: c.Unit()}, {Title: "achieved"}, {Title: "p50"}, {Title: "p95"}, {Title: "p99", Drop: 2}, {Title: "failures"}, {Title: "dropped", Drop: 3},
		{Title: "held"}, {Title: "p95 curve", Drop: 1},
	}}
	top := 0.0
	for _, s := range c.Curve {
		top = max(top, s.P95MS)
	}
	for i := range c.Curve {
		s := &c.Curve[i]
		if !s.Held {
			t.Marks[i] = p.Bad
		}
		t.Rows = append(t.Rows, append(s.cells(), barOf(s.P95MS, top)))
	}
	if len(c.Curve) > 0 {
		out.Line()
	}
	for _, line := range t.Lines(width) {
		out.Line(line)
	}
	return out.Err
}

// WriteMarkdown prints the answer and the curve for a pull request.
func (c *Capacity) WriteMarkdown(w io.Writer) error {
	out := &Writer{W: w}
	answer := c.Answer()
	out.Line("**", MarkdownText(answer[0]), "**")
	remarks(out, answer[1:])
	if len(c.Curve) == 0 {
		return out.Err
	}
	out.Line()
	out.Line("| ", c.Unit(), " | achieved | p50 | p95 | p99 | failures | dropped | held |")
	out.Line("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |")
	for i := range c.Curve {
		out.Line("| ", strings.Join(c.Curve[i].cells(), " | "), " |")
	}
	return out.Err
}

// cells are the figures of a step: load, achieved, times, failures, dropped, and whether it held.
func (s *CapacityStep) cells() []string {
	held := "yes"
	if !s.Held {
		held = "no: " + s.LimitedBy
	}
	return []string{
		level(s.Level), PerSecond(s.Achieved, true), Nanoseconds(s.P50MS * 1e6), Nanoseconds(s.P95MS * 1e6), Nanoseconds(s.P99MS * 1e6),
		strconv.FormatFloat(s.Failures, 'g', 3, 64) + "%", Thousands(s.Dropped), held,
	}
}

// CapacityColumns are the columns of the CSV form.
func CapacityColumns() []string {
	return []string{
		"arrival_rate", "concurrency", "achieved_per_s", "p50_ms", "p95_ms", "p99_ms", "failures_percent", "dropped", "held", "limited_by", "generator", "artifacts",
	}
}

// WriteCSV writes the curve, a line per step; the load stands in one of the first two columns.
func (c *Capacity) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	if err := out.Write(CapacityColumns()); err != nil {
		return err
	}
	for i := range c.Curve {
		s := &c.Curve[i]
		record := []string{
			exact(s.Rate), exact(s.Users), exact(&s.Achieved), exact(&s.P50MS), exact(&s.P95MS), exact(&s.P99MS), exact(&s.Failures),
			strconv.FormatInt(s.Dropped, 10), strconv.FormatBool(s.Held), s.LimitedBy, s.Generator, s.Artifacts,
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// Answer is the result in sentences, the answer itself first.
func (c *Capacity) Answer() (lines []string) {
	what := "capacity: " + level(c.Low) + " " + c.Unit()
	switch {
	case c.Low == 0:
		what = "no load held the objectives " + strings.Join(c.Objectives, ", ")
	case c.AtLeast:
		what = "capacity: at least " + level(c.Low) + " " + c.Unit()
	case c.High != nil:
		what += fmt.Sprintf(" (held at %s, no longer at %s)", level(c.Low), level(*c.High))
	}
	lines = append(lines, what)
	if c.Reason != "" {
		lines = append(lines, Clean(c.Reason))
	}
	if c.Confirmed > 0 {
		lines = append(lines, "confirmed by "+Plural(c.Confirmed, "further run")+" at "+level(c.Low)+" "+c.Unit())
	} else if c.Low > 0 {
		lines = append(lines, "not confirmed: the load was measured once")
	}
	if c.Knee != nil {
		lines = append(lines, "knee: from about "+level(*c.Knee)+" "+c.Unit()+" on response times grow faster than the load")
	}
	return lines
}

func level(v float64) string {
	if v >= 100 || v == math.Trunc(v) {
		return strconv.FormatFloat(math.Round(v), 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'f', 1, 64)
}

// barOf draws a value on a logarithmic scale up to top, so that a queue that has filled does not hide the rest.
func barOf(v, top float64) string {
	const cells = 20
	if v <= 0 || top <= 0 {
		return ""
	}
	n := int(math.Round(cells * (1 + math.Log10(v/top)/3)))
	return strings.Repeat("█", min(max(n, 1), cells)) + strings.Repeat(" ", cells-min(max(n, 1), cells))
}

// Sort orders the curve by load, and repeats of a load as they were measured.
func (c *Capacity) Sort() {
	slices.SortStableFunc(c.Curve, func(a, b CapacityStep) int {
		switch {
		case a.Level < b.Level:
			return -1
		case a.Level > b.Level:
			return 1
		}
		return 0
	})
}
