package report

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// WriteTable prints the rows with their ranges and verdicts, then notes and findings.
func (c *Comparison) WriteTable(w io.Writer, width int, color bool) error {
	out := &Writer{W: w}
	p := Palette{On: color}
	out.Line(p.Bold(Clean(c.Heading())))
	t := &Table{Palette: p, Marks: map[int]func(string) string{}, Columns: []Column{
		{Title: "label"}, {Title: "metric"}, {Title: "baseline", Drop: 1}, {Title: "variant", Drop: 1}, {Title: "difference"},
		{Title: fmt.Sprintf("%g%% interval", 100*c.Confidence)}, {Title: "verdict"},
	}}
	label := ""
	for i, r := range c.Rows {
		shown := Clean(r.Label)
		if i > 0 && r.Label == label {
			shown = ""
		}
		label = r.Label
		t.Rows = append(t.Rows, append([]string{shown}, r.Cells()...))
		switch r.Verdict {
		case Faster:
			t.Marks[i] = p.Good
		case Slower:
			t.Marks[i] = p.Bad
		}
	}
	for _, line := range t.Lines(width) {
		out.Line(line)
	}
	c.remarks(out)
	return out.Err
}

// WriteMarkdown prints the rows as a table for a pull request.
func (c *Comparison) WriteMarkdown(w io.Writer) error {
	out := &Writer{W: w}
	out.Line("**", MarkdownText(c.Heading()), "**")
	out.Line()
	out.Line("| label | metric | baseline | variant | difference | ", fmt.Sprintf("%g %%", 100*c.Confidence), " interval | verdict |")
	out.Line("| --- | --- | ---: | ---: | ---: | --- | --- |")
	for _, r := range c.Rows {
		cells := r.Cells()
		if r.Verdict != NoEffect {
			cells[5] = "**" + cells[5] + "**"
		}
		out.Line("| ", MarkdownText(r.Label), " | ", strings.Join(cells, " | "), " |")
	}
	remarks(out, append(append([]string{}, c.Findings...), c.Notes...))
	return out.Err
}

// Heading names the two sides, after the title where there is one.
func (c *Comparison) Heading() string {
	sides := c.Variant + " against " + c.Baseline
	if c.Title == "" {
		return sides
	}
	return c.Title + ": " + sides
}

func (c *Comparison) remarks(out *Writer) {
	for _, text := range c.Findings {
		out.Line("! ", Clean(text))
	}
	for _, text := range c.Notes {
		out.Line("note: ", Clean(text))
	}
}

// Cells are the figures as people read them: metric, baseline, variant, difference, interval, verdict.
func (r *ComparisonRow) Cells() []string {
	difference, interval, verdict := "-", "unknown", string(r.Verdict)
	switch {
	case r.Difference != nil:
		difference = percentText(*r.Difference)
	case r.Variant > r.Baseline:
		difference = "from nothing"
	}
	if r.Low != nil && r.High != nil {
		interval = "[" + percentText(*r.Low) + ", " + percentText(*r.High) + "]"
	}
	if r.Verdict == NoEffect {
		verdict = "no difference shown"
	}
	return []string{r.Metric, r.figure(r.Baseline), r.figure(r.Variant), difference, interval, verdict}
}

func (r *ComparisonRow) figure(v float64) string {
	switch r.Metric {
	case "rate":
		return PerSecond(v, true)
	case "failures":
		return strconv.FormatFloat(v, 'g', 3, 64) + "%"
	}
	return Nanoseconds(v * 1e6)
}

func percentText(p float64) string {
	text := strconv.FormatFloat(p, 'f', 1, 64)
	if text == "-0.0" || text == "0.0" {
		return "0.0%"
	}
	if p > 0 {
		text = "+" + text
	}
	return text + "%"
}

// Rich prints comparisons in the layout of richbench: the times of the baseline, then those of the variant with how many
// times faster, or with a minus slower, they are. Minimum is held against minimum, maximum against maximum, mean against mean.
func Rich(w io.Writer, comparisons []*Comparison, color bool) error {
	out := &Writer{W: w}
	p := Palette{On: color}
	repeats, per := 0, int64(0)
	name := Width("Benchmark")
	for _, c := range comparisons {
		repeats, per = max(repeats, len(c.Times.Baseline)), max(per, c.Times.Per)
		name = max(name, Width(c.rowTitle(comparisons)))
	}
	title := fmt.Sprintf("Benchmarks, repeat=%d, number=1 (seconds for the work of a run)", repeats)
	if per > 0 {
		title = fmt.Sprintf("Benchmarks, repeat=%d, number=1 (seconds per %s requests)", repeats, Thousands(per))
	}
	out.Line(p.Bold(title))
	head := []string{Pad("Benchmark", name, true)}
	for _, column := range []string{"Min", "Max", "Mean"} {
		head = append(head, Pad(column, 7, false))
	}
	for _, column := range []string{"Min (+)", "Max (+)", "Mean (+)"} {
		head = append(head, Pad(column, 15, false))
	}
	out.Line(p.Bold(strings.TrimRight(strings.Join(head, "  "), " ")))
	for _, c := range comparisons {
		if len(c.Times.Baseline) == 0 || len(c.Times.Variant) == 0 {
			continue
		}
		line := []string{Pad(c.rowTitle(comparisons), name, true)}
		before, after := extremes(c.Times.Baseline), extremes(c.Times.Variant)
		for _, v := range before {
			line = append(line, Pad(strconv.FormatFloat(v, 'f', 3, 64), 7, false))
		}
		for i, v := range after {
			line = append(line, p.against(before[i], v))
		}
		out.Line(strings.TrimRight(strings.Join(line, "  "), " "))
	}
	return out.Err
}

// rowTitle names a comparison, and its variant where a title has several.
func (c *Comparison) rowTitle(all []*Comparison) string {
	same := 0
	for _, o := range all {
		if o.Title == c.Title {
			same++
		}
	}
	if c.Title == "" || same > 1 {
		return Clean(strings.TrimSpace(c.Title + " " + c.Variant))
	}
	return Clean(c.Title)
}

// against writes a time with the factor to the one that it is held against.
func (p Palette) against(before, after float64) string {
	text := strconv.FormatFloat(after, 'f', 3, 64)
	if after < before {
		factor := "(" + strconv.FormatFloat(before/after, 'f', 1, 64) + "x)"
		return Pad(text+" "+p.faster(100*(before-after)/before, factor), 15, false)
	}
	factor := 1.0
	if before > 0 {
		factor = after / before
	}
	return Pad(text+" "+p.Bad("(-"+strconv.FormatFloat(factor, 'f', 1, 64)+"x)"), 15, false)
}

// faster has four greens, by how many percent were saved.
func (p Palette) faster(percent float64, text string) string {
	code := "46" // green1
	switch {
	case percent < 10:
		code = "49" // medium_spring_green
	case percent < 20:
		code = "48" // spring_green1
	case percent < 40:
		code = "42" // spring_green2
	}
	return p.color(code, text)
}

// extremes are minimum, maximum and mean.
func extremes(values []float64) [3]float64 {
	low, high, sum := math.Inf(1), math.Inf(-1), 0.0
	for _, v := range values {
		low, high, sum = min(low, v), max(high, v), sum+v
	}
	return [3]float64{low, high, sum / float64(len(values))}
}
