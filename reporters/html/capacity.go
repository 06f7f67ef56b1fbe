package html

import (
	"slices"
	"strconv"
	"strings"

	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/reporters/charts"
	"github.com/stacrun/stacrun/reporters/report"
)

// newCapacity shows the load that was found, how times, throughput and failures went with the load, and each step.
func newCapacity(c *report.Capacity, links linker) *studyPage {
	p := begin(c.Head, "capacity")
	answer := c.Answer()
	p.Reason = answer[0]
	switch {
	case c.Interrupted:
		p.incomplete("INTERRUPTED")
	case c.Low == 0:
		p.Word, p.Sign, p.Result = "NOTHING HELD", "✕", "failed"
	case c.AtLeast:
		p.Word = "AT LEAST " + loadOf(c, c.Low)
	default:
		p.Word = loadOf(c, c.Low)
	}
	if c.LimitedBy == report.LimitedByGenerator {
		p.Notices = append(p.Notices, notice{"The generator was the bottleneck.", report.Clean(c.Reason), false})
	}
	p.Parts = []studyPart{
		{ID: "answer", Name: "Answer", Cards: capacityCards(c), Texts: answer[1:]},
		capacityCurves(c), capacitySteps(c, links),
		{ID: "study", Name: "The search", Facts: facts(
			Fact{"objectives", report.Clean(strings.Join(c.Objectives, ", "))}, Fact{"limited by", c.LimitedBy}, Fact{"first to fail", report.Clean(c.FirstFailed)},
			Fact{"folder", report.Clean(links.study.Dir)}, Fact{"stacrun", c.Version},
		)},
	}
	return p
}

// loadOf writes a load with its unit.
func loadOf(c *report.Capacity, load float64) string {
	if c.Concurrency != nil {
		return number(load) + " users"
	}
	return report.PerSecond(load, true)
}

func capacityCards(c *report.Capacity) []card {
	held := card{"capacity", "none", "no load held the objectives", "bad"}
	if c.Low > 0 {
		held = card{"capacity", loadOf(c, c.Low), "held " + report.Plural(c.Confirmed+1, "time"), "good"}
		if c.AtLeast {
			held.Name = "capacity, at least"
		}
	}
	list := []card{held}
	if c.High != nil {
		list = append(list, card{"no longer at", loadOf(c, *c.High), "limited by " + c.LimitedBy, "bad"})
	}
	if c.Knee != nil {
		list = append(list, card{"knee", loadOf(c, *c.Knee), "from here times grow faster than the load", ""})
	}
	return append(list, card{"steps", strconv.Itoa(len(c.Curve)), "loads measured", ""})
}

// capacityLine is a figure of the steps.
type capacityLine struct {
	id, name string
	plain    bool // drawn to hold others against
	value    func(*report.CapacityStep) float64
}

func capacityCurves(c *report.Capacity) studyPart {
	part := studyPart{
		ID: "curves", Name: "Over the load",
		Note: "A point for each step; some loads were measured several times. A square is a step in which an objective broke, a hollow point one in which the generator was the limit.",
	}
	if len(c.Curve) == 0 {
		return part
	}
	times := []capacityLine{
		{"p99", "p99", false, func(s *report.CapacityStep) float64 { return s.P99MS / 1e3 }},
		{"p95", "p95", false, func(s *report.CapacityStep) float64 { return s.P95MS / 1e3 }},
		{"p50", "p50", false, func(s *report.CapacityStep) float64 { return s.P50MS / 1e3 }},
	}
	done := []capacityLine{{"done", "iterations done", false, func(s *report.CapacityStep) float64 { return s.Achieved }}}
	if c.Concurrency == nil {
		done = append(done, capacityLine{"planned", "iterations asked for", true, func(s *report.CapacityStep) float64 { return s.Level }})
	}
	failed := []capacityLine{{"failed", "failed requests", false, func(s *report.CapacityStep) float64 { return s.Failures }}}
	response := capacityCurve(c, "times", "Response time", formatOf(unitSeconds), times)
	response.Log = true // what comes before the limit is far below what comes after it
	part.draw("Response time, logarithmic", response)
	part.draw("Iterations done", capacityCurve(c, "done", "Iterations done", formatOf(unitRate), done))
	part.draw("Failed requests", capacityCurve(c, "failures", "Failed requests", formatOf(unitPercent), failed))
	for _, l := range slices.Concat(times, done, failed) {
		part.Legend = append(part.Legend, legend{ID: l.id, Name: l.name})
	}
	return part
}

func capacityCurve(c *report.Capacity, id, title string, format func(float64) string, lines []capacityLine) *charts.Curve {
	out := &charts.Curve{
		ID: "curve-" + id, Height: 270, Format: format, Across: number, Name: c.Unit(), Marks: capacityMarks(c), Label: title + " over the load",
	}
	for i := range c.Curve {
		out.X = append(out.X, c.Curve[i].Level)
	}
	for _, l := range lines {
		drawn := charts.CurveLine{ID: l.id, Name: l.name, Plain: l.plain}
		for i := range c.Curve {
			s := &c.Curve[i]
			v := l.value(s)
			drawn.Values = append(drawn.Values, v)
			drawn.Doubtful, drawn.Broken = append(drawn.Doubtful, s.Generator != ""), append(drawn.Broken, !s.Held)
			if !l.plain {
				out.Label += "; " + l.name + " at " + number(s.Level) + ": " + format(v)
			}
		}
		out.Lines = append(out.Lines, drawn)
	}
	return out
}

// capacityMarks are the two ends of the gap in which the limit lies.
func capacityMarks(c *report.Capacity) (marks []charts.CurveMark) {
	if c.Low > 0 {
		marks = append(marks, charts.CurveMark{At: c.Low, ID: "held", Text: "held " + number(c.Low), Left: true})
	}
	if c.High != nil {
		marks = append(marks, charts.CurveMark{At: *c.High, ID: "broke", Text: "not " + number(*c.High)})
	}
	return marks
}

func capacitySteps(c *report.Capacity, links linker) studyPart {
	table := studyTable{First: "Load", Columns: append(figureColumns("done", "p50", "p95", "p99", "failed", "dropped"),
		studyColumn{"held", true}, studyColumn{"what broke", true})}
	for i := range c.Curve {
		s := &c.Curve[i]
		held, class := "yes", "good-text"
		if !s.Held {
			held, class = "no: "+s.LimitedBy, "bad-text"
		}
		row := studyRow{Name: loadOf(c, s.Level), Remark: report.Clean(s.Generator), Link: links.to(s.Artifacts)}
		row.Cells = []studyCell{
			{Text: report.PerSecond(s.Achieved, true), Value: exactly(s.Achieved)},
			{Text: criteria.Seconds(s.P50MS / 1e3), Value: exactly(s.P50MS)}, {Text: criteria.Seconds(s.P95MS / 1e3), Value: exactly(s.P95MS)},
			{Text: criteria.Seconds(s.P99MS / 1e3), Value: exactly(s.P99MS)}, {Text: criteria.Percent(s.Failures), Value: exactly(s.Failures)},
			{Text: report.Thousands(s.Dropped), Value: strconv.FormatInt(s.Dropped, 10)}, {Text: held, Class: class, Value: strconv.FormatBool(s.Held), Left: true},
			{Text: report.Clean(strings.Join(s.Broken, "; ")), Class: "wide", Left: true},
		}
		table.Rows = append(table.Rows, row)
	}
	return studyPart{ID: "steps", Name: "Steps", Tables: []studyTable{table}}
}
