package final

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
)

// Options of final-stats. Switches have Taurus' names and defaults.
type Options struct {
	Out   io.Writer
	Width int // columns; 0: 100
	Color bool

	Summary       bool      // counts, reconciliation, failures, generator
	Percentiles   bool      // average times and percentiles of all requests
	SummaryLabels bool      // the table per label
	FailedLabels  bool      // number of failures per label
	TestDuration  bool      // how long it took
	ReportTests   string    // functional mode: FailedTests or AllTests; "": FailedTests
	Details       bool      // functional mode: requests and answers of the tests that failed
	DumpCSV       string    // file, "" for none
	DumpXML       string    // file, "" for none
	Levels        []float64 // of the percentiles, 0…100; nil: Taurus' own
}

// DefaultLevels are Taurus' percentiles.
func DefaultLevels() []float64 { return []float64{0, 50, 90, 95, 99, 99.9, 100} }

// Final prints the totals of a run when it has ended.
type Final struct {
	options Options
	run     report.Run
	users   peakUsers
	cases   []report.Case // those that are printed
}

var _ report.Reporter = (*Final)(nil)

// New makes the reporter.
func New(o Options) *Final {
	if o.Width <= 0 {
		o.Width = 100
	}
	if o.Levels == nil {
		o.Levels = DefaultLevels()
	}
	return &Final{options: o}
}

// Begin sees whether the dump files can be written.
func (f *Final) Begin(run report.Run) error {
	f.run = run
	for _, name := range []string{f.options.DumpCSV, f.options.DumpXML} {
		if name == "" {
			continue
		}
		if err := report.CheckWritable(report.OutputPath(name, run.Dir, "")); err != nil {
			return err
		}
	}
	return nil
}

// Observe keeps the number of users, which totals do not hold.
func (f *Final) Observe(iv *metrics.Interval, _ *metrics.Snapshot, _ []criteria.Verdict) error {
	f.users.add(iv)
	return nil
}

// End prints the tables and writes the dump files; the first error is returned, but nothing is
// left out because of it.
func (f *Final) End(o *report.Outcome) error {
	totals := report.NewTotals(o.Snapshot)
	first := f.print(totals, o)
	for _, dump := range []struct {
		name, kind string
		write      func(io.Writer, *dumpData) error
	}{
		{f.options.DumpCSV, "final-stats csv", writeCSV},
		{f.options.DumpXML, "final-stats xml", writeXML},
	} {
		if dump.name == "" {
			continue
		}
		name := report.OutputPath(dump.name, f.run.Dir, "")
		data := newDumpData(totals, f.options.Levels, int64(f.users))
		err := report.WriteFile(name, func(w io.Writer) error { return dump.write(w, data) })
		if err == nil {
			o.Files = append(o.Files, report.Artifact{Path: name, Kind: dump.kind})
		} else if first == nil {
			first = err
		}
	}
	return first
}

func (f *Final) print(t *report.Totals, o *report.Outcome) error {
	w := &report.Writer{W: f.options.Out}
	paint := report.Palette{On: f.options.Color}
	if f.run.Functional {
		f.printCases(w, paint)
	}
	if f.options.SummaryLabels {
		f.printLabels(w, paint, t)
	}
	if f.options.Percentiles {
		f.printTimes(w, t)
		f.printCorrected(w, t)
		f.printMetrics(w, t)
	}
	if f.options.Summary {
		printFailures(w, paint, t, f.options.Width)
	}
	if f.options.FailedLabels {
		for _, row := range t.Labels {
			if row.Failed > 0 {
				w.Line(strconv.FormatInt(row.Failed, 10), " failed samples: ", report.Clean(row.Label))
			}
		}
	}
	if f.options.Summary {
		printCounts(w, t)
		f.printThroughput(w, paint, t)
		printGenerator(w, paint, t.Health)
		printAgents(w, paint, o.Snapshot.Agents())
	}
	if f.options.TestDuration {
		w.Line("duration: ", duration(o.Duration))
	}
	return w.Err
}

func duration(d time.Duration) string {
	if d < time.Minute {
		return report.Nanoseconds(float64(d))
	}
	return report.Clock(d)
}

// printLabels writes the table per label, with the response times and, where requests waited for
// their turn, the service times in a second table.
func (f *Final) printLabels(w *report.Writer, paint report.Palette, t *report.Totals) {
	waited := t.Waited()
	title := "label"
	if waited {
		title = "response time"
	}
	for _, line := range labelTable(title, t, paint, response).Lines(f.options.Width) {
		w.Line(line)
	}
	w.Line()
	if !waited {
		return
	}
	for _, line := range labelTable("service time", t, paint, service).Lines(f.options.Width) {
		w.Line(line)
	}
	w.Line()
}

func response(r *metrics.Row) *metrics.Series { return &r.Response }
func service(r *metrics.Row) *metrics.Series  { return &r.Service }

func labelTable(title string, t *report.Totals, paint report.Palette, series func(*metrics.Row) *metrics.Series) *report.Table {
	table := &report.Table{Palette: paint, Marks: map[int]func(string) string{}, Columns: []report.Column{
		{Title: title}, {Title: "count"}, {Title: "failed"}, {Title: "rate", Drop: 1}, {Title: "min", Drop: 6},
		{Title: "mean", Drop: 3}, {Title: "p50"}, {Title: "p90", Drop: 5}, {Title: "p95"}, {Title: "p99"},
		{Title: "max", Drop: 2}, {Title: "sent", Drop: 8, Spare: true}, {Title: "received", Drop: 7, Spare: true},
	}}
	add := func(name string, row *metrics.Row) {
		rate, known := t.Rate(row)
		if row.Failed > 0 {
			table.Marks[len(table.Rows)] = paint.Bad
		}
		cells := []string{name, strconv.FormatInt(row.Finished, 10), failures(row), report.PerSecond(rate, known)}
		cells = append(cells, times(series(row))...)
		table.Rows = append(table.Rows, append(cells, report.Bytes(row.BytesOut), report.Bytes(row.BytesIn)))
	}
	for _, row := range t.Labels {
		name := report.Clean(row.Label)
		if name == "" {
			name = "[empty]"
		}
		if row.Kind != metrics.RequestKind {
			name += " (" + report.KindName(row.Kind) + ")"
		}
		add(name, row)
	}
	add("total", t.Total)
	return table
}

func failures(row *metrics.Row) string {
	if row.Failed == 0 {
		return "0"
	}
	return fmt.Sprintf("%d (%s)", row.Failed, report.Share(row.Failed, row.Finished))
}

// times gives min, mean, p50, p90, p95, p99 and max, dashes where nothing was measured.
func times(s *metrics.Series) []string {
	if s.Count == 0 {
		return []string{"-", "-", "-", "-", "-", "-", "-"}
	}
	cells := []string{report.Nanoseconds(float64(s.Min)), report.Nanoseconds(s.Mean())}
	for _, q := range []float64{50, 90, 95, 99} {
		cells = append(cells, report.Nanoseconds(s.Quantile(q)))
	}
	return append(cells, report.Nanoseconds(float64(s.Max)))
}

// printTimes writes average times and the chosen percentiles of all requests.
func (f *Final) printTimes(w *report.Writer, t *report.Totals) {
	row := t.Total
	if row.Response.Count == 0 {
		return
	}
	w.Line("average: response ", report.Nanoseconds(row.Response.Mean()), " ± ", report.Nanoseconds(row.Response.Stdev()),
		firstByte(&row.Latency, row.Response.Count),
		connects(&row.Connect))
	var parts []string
	for _, q := range f.options.Levels {
		parts = append(parts, "p"+strconv.FormatFloat(q, 'f', -1, 64)+" "+report.Nanoseconds(row.Response.Quantile(q)))
	}
	for _, line := range wrap("percentiles: ", parts, ", ", f.options.Width) {
		w.Line(line)
	}
	w.Line()
}

// firstByte tells of the samples that had an answer, and of how many those were when it was not all: a mean over other
// samples than the one beside it may well be the greater one.
func firstByte(s *metrics.Series, of int64) string {
	switch s.Count {
	case 0:
		return ", no answer"
	case of:
		return ", first byte " + report.Nanoseconds(s.Mean())
	}
	return fmt.Sprintf(", first byte %s (of the %d that were answered)", report.Nanoseconds(s.Mean()), s.Count)
}

// connects tells of the samples that made a connection: the others waited for none, and a mean over
// all of them would say nothing of how long one takes.
func connects(s *metrics.Series) string {
	if s.Count == 0 {
		return ", no connection made"
	}
	return fmt.Sprintf(", connect %s (%d made)", report.Nanoseconds(s.Mean()), s.Count)
}

// wrap joins parts to lines of at most width columns; further lines are indented.
func wrap(head string, parts []string, separator string, width int) []string {
	var lines []string
	line := head
	for i, part := range parts {
		if i < len(parts)-1 {
			part += strings.TrimRight(separator, " ")
		}
		if line != head && !strings.HasSuffix(line, "  ") && report.Width(line)+1+report.Width(part) > width {
			lines = append(lines, line)
			line = "  " + part
			continue
		}
		if i > 0 {
			line += " "
		}
		line += part
	}
	return append(lines, line)
}
