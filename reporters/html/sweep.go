package html

import (
	"math"
	"slices"
	"strconv"

	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/reporters/charts"
	"github.com/stacrun/stacrun/reporters/report"
)

// lineClasses tell the addresses of a sweep apart; further ones begin anew.
func lineClasses() []string { return []string{"p50", "p95", "p99", "p90", "gc", "max"} }

// newSweep shows curves of response times, throughput and failures over the users, a line for each address, and the table of all runs.
func newSweep(s *report.Sweep, links linker) *studyPage {
	p := begin(report.Head{Name: s.Name, Started: s.Started, Version: s.Version}, "sweep")
	switch n := s.Missing(); {
	case n > 0:
		p.incomplete("INCOMPLETE")
		p.Notices = append(p.Notices, notice{"The sweep is not complete:", "it lacks " + report.Plural(n, "run") + "; --resume measures only what is missing", false})
	case s.Interrupted:
		p.incomplete("INTERRUPTED")
		p.Notices = append(p.Notices, notice{"The sweep was interrupted:", "no run of it is missing", false})
	}
	if slices.ContainsFunc(s.Rows, func(r report.SweepRow) bool { return r.GeneratorLimited }) {
		p.Notices = append(p.Notices, notice{"The generator was the bottleneck in some runs.", "Their points are hollow, and the table says why.", false})
	}
	for _, finding := range s.Findings {
		p.Notices = append(p.Notices, notice{"The answers differ:", report.Clean(finding), false})
	}
	p.Parts = []studyPart{sweepCurves(s), sweepRuns(s, links), {ID: "study", Name: "The sweep", Facts: facts(
		Fact{"time of each run", criteria.Seconds(s.RunTimeS)}, Fact{"spawn rate", report.PerSecond(s.SpawnRate, true)},
		Fact{"warm-up", criteria.Seconds(s.WarmUpS)}, Fact{"document", report.Clean(s.Document)}, Fact{"folder", report.Clean(links.study.Dir)},
		Fact{"stacrun", s.Version},
	)}}
	return p
}

func sweepCurves(s *report.Sweep) studyPart {
	part := studyPart{
		ID: "curves", Name: "Over the number of users",
		Note: "One run for each point. A hollow point is one whose figures are the generator's limit, not the server's.",
	}
	classes := lineClasses()
	for i, api := range s.APIs {
		part.Legend = append(part.Legend, legend{ID: classes[i%len(classes)], Name: report.Clean(api)})
	}
	for _, c := range []struct {
		id, title, unit string
		value           func(*report.SweepRow) float64
	}{
		{"median", "Median response time", unitSeconds, func(r *report.SweepRow) float64 { return r.MedianMS / 1e3 }},
		{"p95", "p95 response time", unitSeconds, func(r *report.SweepRow) float64 { return r.P95MS / 1e3 }},
		{"p99", "p99 response time", unitSeconds, func(r *report.SweepRow) float64 { return r.P99MS / 1e3 }},
		{"rate", "Throughput", unitRate, func(r *report.SweepRow) float64 { return r.RPS }},
		{"failures", "Failed requests", unitPercent, (*report.SweepRow).FailedPercent},
	} {
		part.draw(c.title, sweepCurve(s, part.Legend, c.id, c.title, formatOf(c.unit), c.value))
	}
	return part
}

func sweepCurve(s *report.Sweep, legend []legend, id, title string, format func(float64) string, value func(*report.SweepRow) float64) *charts.Curve {
	c := &charts.Curve{ID: "curve-" + id, Height: 230, Format: format, Across: number, Name: "users", Label: title + " over the number of users"}
	users := slices.Sorted(slices.Values(s.Users))
	for _, n := range users {
		c.X = append(c.X, float64(n))
	}
	for i, api := range s.APIs {
		line := charts.CurveLine{ID: legend[i].ID, Name: legend[i].Name}
		for _, n := range users {
			v, doubtful := math.NaN(), false
			if row := s.Row(api, n); row != nil && row.Requests > 0 {
				v, doubtful = value(row), row.GeneratorLimited
				c.Label += "; " + line.Name + " with " + strconv.Itoa(n) + ": " + format(v)
			}
			line.Values, line.Doubtful = append(line.Values, v), append(line.Doubtful, doubtful)
		}
		c.Lines = append(c.Lines, line)
	}
	return c
}

func sweepRuns(s *report.Sweep, links linker) studyPart {
	table := studyTable{First: "Address", Columns: figureColumns(
		"users", "requests", "failed", "rate", "min", "mean", "median", "p95", "p99", "max", "received", "generator",
	)}
	for i := range s.Rows {
		r := &s.Rows[i]
		row := studyRow{Name: report.Clean(r.API), Remark: report.Clean(r.Error), Link: links.to(r.Artifacts)}
		if r.GeneratorLimited && row.Remark == "" {
			row.Remark = report.Clean(r.GeneratorReason)
		}
		add := func(text, class string, value float64) {
			row.Cells = append(row.Cells, studyCell{Text: text, Class: class, Value: exactly(value)})
		}
		add(strconv.Itoa(r.Users), "strong", float64(r.Users))
		add(report.Thousands(r.Requests), "", float64(r.Requests))
		if r.Requests == 0 {
			for len(row.Cells) < len(table.Columns) {
				row.Cells = append(row.Cells, studyCell{Text: "–"})
			}
			table.Rows = append(table.Rows, row)
			continue
		}
		class := ""
		if r.Failures > 0 {
			class = "bad-text"
		}
		add(report.Thousands(r.Failures)+" ("+report.Share(r.Failures, r.Requests)+")", class, float64(r.Failures))
		add(report.PerSecond(r.RPS, true), "", r.RPS)
		for _, ms := range []float64{r.MinMS, r.MeanMS, r.MedianMS, r.P95MS, r.P99MS, r.MaxMS} {
			add(criteria.Seconds(ms/1e3), "", ms)
		}
		add(report.Bytes(r.BytesReceived), "", float64(r.BytesReceived))
		class = ""
		if r.GeneratorLimited {
			class = "warn-text"
		}
		add(criteria.Percent(r.GeneratorCPU), class, r.GeneratorCPU)
		table.Rows = append(table.Rows, row)
	}
	return studyPart{ID: "runs", Name: "Runs", Tables: []studyTable{table}}
}
