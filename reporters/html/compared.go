package html

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"

	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/reporters/charts"
	"github.com/stacrun/stacrun/reporters/report"
)

// newCompared shows for each comparison the differences with their intervals on one axis, and the runs that they come from.
func newCompared(c *report.Compared, links linker) *studyPage {
	p := begin(c.Head, "comparison")
	if c.Interrupted {
		p.incomplete("INTERRUPTED")
		p.Notices = append(p.Notices, notice{"The comparison was interrupted:", "what was measured until then stands", false})
	}
	for i, one := range c.Comparisons {
		p.Parts = append(p.Parts, differences(one, i))
		if runs := comparedRuns(one, i, links); len(runs.Tables) > 0 {
			p.Parts = append(p.Parts, runs)
		}
	}
	p.Parts = append(p.Parts, studyPart{ID: "study", Name: "The comparison", Facts: facts(
		Fact{"folder", report.Clean(links.study.Dir)}, Fact{"stacrun", c.Version},
	)})
	return p
}

// headline are the metrics over all requests that stand above the table.
func headline() []string { return []string{"p50", "p95", "rate", "failures"} }

func differences(c *report.Comparison, index int) studyPart {
	part := studyPart{
		ID: "comparison-" + strconv.Itoa(index+1), Name: report.Clean(c.Heading()),
		Note: fmt.Sprintf("Medians over runs. A line is the interval that holds the true difference with %g %% confidence; where it crosses "+
			"no difference, none is shown, which does not mean that there is none. Failures are in percent of the requests; for a rate more is faster.", 100*c.Confidence),
	}
	part.Texts = append(part.Texts, clean(c.Findings)...)
	part.Texts = append(part.Texts, clean(c.Notes)...)
	var ranges []charts.Range
	for i := range c.Rows {
		ranges = append(ranges, rangeOf(&c.Rows[i]))
	}
	forest := charts.NewForest(ranges)
	table := studyTable{
		First: "Label", Drawn: "against " + report.Clean(c.Baseline), Columns: slices.Concat([]studyColumn{{"metric", true}},
			figureColumns("difference", fmt.Sprintf("%g %% interval", 100*c.Confidence), "baseline", "variant", "runs"), []studyColumn{{"verdict", true}}),
		Axis: template.HTML(forest.Head(percentTick)), //nolint:gosec // charts escapes what it is given
	}
	label := ""
	for i := range c.Rows {
		r := &c.Rows[i]
		cells := r.Cells()
		row := studyRow{Name: report.Clean(r.Label), Class: "more"}
		if i == 0 || r.Label != label {
			row.Class = "first"
		}
		label = r.Label
		name := row.Name + " " + r.Metric + ": " + cells[3] + ", interval " + cells[4] + ", " + cells[5]
		row.Drawing = template.HTML(forest.Row(ranges[i], effectClass(r.Verdict), name)) //nolint:gosec // charts escapes what it is given
		row.Cells = []studyCell{
			{Text: r.Metric, Class: "strong", Left: true}, {Text: cells[3], Class: effectText(r.Verdict), Value: pointer(r.Difference)},
			{Text: cells[4], Value: pointer(r.Low) + " " + pointer(r.High)}, {Text: cells[1], Value: exactly(r.Baseline)}, {Text: cells[2], Value: exactly(r.Variant)},
			{Text: strconv.Itoa(r.Runs), Value: strconv.Itoa(r.Runs)}, {Text: cells[5], Class: effectText(r.Verdict), Value: string(r.Verdict), Left: true},
		}
		table.Rows = append(table.Rows, row)
		if r.Label == report.AllRequests {
			part.headline(r, cells)
		}
	}
	part.Tables = append(part.Tables, table)
	return part
}

// headline makes a card of a metric over all requests.
func (p *studyPart) headline(r *report.ComparisonRow, cells []string) {
	for _, metric := range headline() {
		if metric == r.Metric {
			class := map[report.Effect]string{report.Faster: "good", report.Slower: "bad"}[r.Verdict]
			p.Cards = append(p.Cards, card{r.Metric + ", all requests", cells[3], cells[1] + " → " + cells[2] + ", " + cells[5], class})
		}
	}
}

func rangeOf(r *report.ComparisonRow) charts.Range {
	number := func(v *float64) float64 {
		if v == nil {
			return math.NaN()
		}
		return *v
	}
	return charts.Range{Value: number(r.Difference), Low: number(r.Low), High: number(r.High)}
}

func pointer(v *float64) string {
	if v == nil {
		return ""
	}
	return exactly(*v)
}

// percentTick writes a difference on the axis.
func percentTick(p float64) string {
	if p == 0 {
		return "0%"
	}
	return signed("%+g%%", significant(p, 3))
}

func effectClass(e report.Effect) string {
	switch e {
	case report.Faster:
		return "faster"
	case report.Slower:
		return "slower"
	}
	return "unclear"
}

func effectText(e report.Effect) string {
	switch e {
	case report.Faster:
		return "good-text"
	case report.Slower:
		return "bad-text"
	}
	return "soft"
}

func clean(texts []string) (list []string) {
	for _, text := range texts {
		list = append(list, report.Clean(text))
	}
	return list
}

// comparedRuns shows how long equal work took in each run, in the order in which they were made, with the pages of the runs.
func comparedRuns(c *report.Comparison, index int, links linker) studyPart {
	part := studyPart{ID: "runs-" + strconv.Itoa(index+1), Name: "Runs of " + report.Clean(c.Heading())}
	timed := len(c.Times.Baseline)+len(c.Times.Variant) > 0 // kept runs have done no work of the same size
	n := max(len(c.Times.Baseline), len(c.Times.Variant), len(c.Artifacts.Baseline), len(c.Artifacts.Variant))
	if n == 0 {
		return part
	}
	what := "time of a run"
	if c.Times.Per > 0 {
		what = "seconds per " + report.Thousands(c.Times.Per) + " requests"
	}
	if timed {
		part.Note = "In the order in which they were made, " + what + "."
	}
	chart := &charts.Curve{
		ID: "curve-runs-" + strconv.Itoa(index+1), Height: 200, Even: true, Format: formatOf(unitSeconds), Across: number, Name: "run",
		Label: "Runs of both sides, " + what,
	}
	table := studyTable{First: "Run", Columns: figureColumns(report.Clean(c.Baseline), report.Clean(c.Variant))}
	for i := range n {
		chart.X = append(chart.X, float64(i+1))
		table.Rows = append(table.Rows, studyRow{Name: strconv.Itoa(i + 1)})
	}
	for _, side := range []struct {
		name, class string
		times       []float64
		folders     []string
	}{{c.Baseline, "p50", c.Times.Baseline, c.Artifacts.Baseline}, {c.Variant, "p95", c.Times.Variant, c.Artifacts.Variant}} {
		name := report.Clean(side.name)
		part.Legend = append(part.Legend, legend{ID: side.class, Name: name})
		line := charts.CurveLine{ID: side.class, Name: name}
		for i := range n {
			cell, v := studyCell{Text: "–"}, math.NaN()
			if i < len(side.times) {
				v = side.times[i]
				cell = studyCell{Text: criteria.Seconds(v), Value: exactly(v)}
				chart.Label += fmt.Sprintf("; run %d of %s: %s", i+1, name, cell.Text)
			}
			if i < len(side.folders) {
				if cell.Link = links.to(side.folders[i]); i >= len(side.times) {
					cell.Text, cell.Left = report.Clean(side.folders[i]), true
				}
			}
			line.Values = append(line.Values, v)
			table.Rows[i].Cells = append(table.Rows[i].Cells, cell)
		}
		chart.Lines = append(chart.Lines, line)
	}
	if timed {
		part.draw("Each run", chart)
	} else {
		part.Legend = nil
	}
	part.Tables = append(part.Tables, table)
	return part
}
