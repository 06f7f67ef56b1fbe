package html

import (
	_ "embed"
	"html/template"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/reporters/charts"
	"github.com/stacrun/stacrun/reporters/report"
)

//go:embed assets/study.html.tmpl
var studyText string

// study is what the page of a study shows.
type study struct {
	Title, Word, Sign, Result, About, Note, Version string

	Policy  string
	Style   template.CSS
	Script  template.JS
	Notices []notice
	Legend  []legend
	Curves  []curve
	Columns []string
	Rows    []studyRow
	Facts   []Fact
}

type curve struct {
	Title string
	SVG   template.HTML
}

type studyRow struct {
	Name, Remark, Class string
	Cells               []cell
}

// lineClasses tell the addresses of a sweep apart; further ones begin anew.
func lineClasses() []string { return []string{"p50", "p95", "p99", "p90", "gc", "max"} }

// WriteSweep writes the page of a sweep over addresses and numbers of users: curves of response times,
// throughput and failures over the users, a line for each address, and the table of all runs.
func WriteSweep(w io.Writer, s *report.Sweep) error {
	t, err := template.New("study").Parse(studyText)
	if err != nil {
		return err
	}
	return t.Execute(w, newSweep(s))
}

func newSweep(s *report.Sweep) *study {
	p := &study{
		Title: report.Clean(s.Name), Word: "COMPLETE", Sign: "✓", Result: "passed", Version: s.Version,
		Style: template.CSS(styleText), Script: template.JS(scriptText), Policy: policy(), //nolint:gosec // our own files
		Note: "One run for each point. A hollow point is one whose figures are the generator's limit, not the server's.",
	}
	if !s.Started.IsZero() {
		p.About = s.Started.Format("2 January 2006, 15:04:05 MST")
	}
	if p.Title == "" {
		p.Title = "Sweep"
	}
	if n := s.Missing(); n > 0 || s.Interrupted {
		p.Word, p.Sign, p.Result = "INCOMPLETE", "■", "interrupted"
		p.Notices = append(p.Notices, notice{"The sweep is not complete:", strconv.Itoa(n) + " of its runs are missing", false})
	}
	if slices.ContainsFunc(s.Rows, func(r report.SweepRow) bool { return r.GeneratorLimited }) {
		p.Notices = append(p.Notices, notice{"The generator was the bottleneck in some runs.", "Their points are hollow, and the table says why.", false})
	}
	classes := lineClasses()
	for i, api := range s.APIs {
		p.Legend = append(p.Legend, legend{ID: classes[i%len(classes)], Name: report.Clean(api)})
	}
	milliseconds := func(of func(*report.SweepRow) float64) func(*report.SweepRow) float64 {
		return func(r *report.SweepRow) float64 { return of(r) / 1e3 }
	}
	p.addCurve(s, "median", "Median response time", unitSeconds, milliseconds(func(r *report.SweepRow) float64 { return r.MedianMS }))
	p.addCurve(s, "p95", "p95 response time", unitSeconds, milliseconds(func(r *report.SweepRow) float64 { return r.P95MS }))
	p.addCurve(s, "p99", "p99 response time", unitSeconds, milliseconds(func(r *report.SweepRow) float64 { return r.P99MS }))
	p.addCurve(s, "rate", "Throughput", unitRate, func(r *report.SweepRow) float64 { return r.RPS })
	p.addCurve(s, "failures", "Failed requests", unitPercent, func(r *report.SweepRow) float64 { return 100 * float64(r.Failures) / float64(r.Requests) })
	p.addRows(s)
	for _, f := range []Fact{
		{"time of each run", criteria.Seconds(s.RunTimeS)}, {"spawn rate", report.PerSecond(s.SpawnRate, true)},
		{"warm-up", criteria.Seconds(s.WarmUpS)}, {"document", report.Clean(s.Document)}, {"stacrun", s.Version},
	} {
		if f.Value != "" {
			p.Facts = append(p.Facts, f)
		}
	}
	return p
}

func (p *study) addCurve(s *report.Sweep, id, title, unit string, value func(*report.SweepRow) float64) {
	format := formatOf(unit)
	c := charts.Curve{ID: "curve-" + id, Height: 230, Format: format, Across: number, Name: "users", Label: title + " over the number of users"}
	users := slices.Sorted(slices.Values(s.Users))
	for _, n := range users {
		c.X = append(c.X, float64(n))
	}
	for i, api := range s.APIs {
		line := charts.CurveLine{ID: p.Legend[i].ID}
		for _, n := range users {
			v, doubtful := math.NaN(), false
			if row := s.Row(api, n); row != nil && row.Requests > 0 {
				v, doubtful = value(row), row.GeneratorLimited
				c.Label += "; " + report.Clean(api) + " with " + strconv.Itoa(n) + ": " + format(v)
			}
			line.Values, line.Doubtful = append(line.Values, v), append(line.Doubtful, doubtful)
		}
		c.Lines = append(c.Lines, line)
	}
	p.Curves = append(p.Curves, curve{Title: title, SVG: template.HTML(c.SVG())}) //nolint:gosec // charts escapes what it is given
}

func (p *study) addRows(s *report.Sweep) {
	p.Columns = []string{"users", "requests", "failed", "rate", "min", "mean", "median", "p95", "p99", "max", "received", "generator"}
	for i := range s.Rows {
		r := &s.Rows[i]
		row := studyRow{Name: report.Clean(r.API), Remark: report.Clean(r.Error)}
		if r.GeneratorLimited && row.Remark == "" {
			row.Remark = report.Clean(r.GeneratorReason)
		}
		add := func(text, class string) { row.Cells = append(row.Cells, cell{text, class}) }
		add(strconv.Itoa(r.Users), "strong")
		add(count(r.Requests), "")
		if r.Requests == 0 {
			for len(row.Cells) < len(p.Columns) {
				add("–", "")
			}
			p.Rows = append(p.Rows, row)
			continue
		}
		class := ""
		if r.Failures > 0 {
			class = "bad-text"
		}
		add(count(r.Failures)+" ("+report.Share(r.Failures, r.Requests)+")", class)
		add(report.PerSecond(r.RPS, true), "")
		for _, ms := range []float64{r.MinMS, r.MeanMS, r.MedianMS, r.P95MS, r.P99MS, r.MaxMS} {
			add(criteria.Seconds(ms/1e3), "")
		}
		add(report.Bytes(r.BytesReceived), "")
		class = ""
		if r.GeneratorLimited {
			class = "warn-text"
		}
		add(criteria.Percent(r.GeneratorCPU), class)
		p.Rows = append(p.Rows, row)
	}
}
