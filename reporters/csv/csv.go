package csv

import (
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"

	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
)

// Options of csv.
type Options struct {
	Filename   string // totals per label; "": totals.csv in the artifacts folder
	Timeline   string // per second and label; "": timeline.csv in the artifacts folder
	NoTimeline bool
}

// CSV writes the time line as the run goes on and the totals when it has ended.
type CSV struct {
	options  Options
	run      report.Run
	totals   string
	timeline string
	file     *os.File
	rows     *csv.Writer
}

var _ report.StudyReporter = (*CSV)(nil)

// New makes the reporter.
func New(o Options) *CSV { return &CSV{options: o} }

// Begin makes the time line's file and sees whether the other can be written.
func (c *CSV) Begin(run report.Run) error {
	c.run = run
	c.totals = report.OutputPath(c.options.Filename, run.Dir, "totals.csv")
	if err := report.CheckWritable(c.totals); err != nil {
		return err
	}
	if c.options.NoTimeline {
		return nil
	}
	c.timeline = report.OutputPath(c.options.Timeline, run.Dir, "timeline.csv")
	if err := report.CheckWritable(c.timeline); err != nil {
		return err
	}
	file, err := os.Create(c.timeline)
	if err != nil {
		return err
	}
	c.file, c.rows = file, csv.NewWriter(file)
	return c.flush(c.rows.Write(timelineColumns()))
}

// Observe adds the rows of a second to the time line.
func (c *CSV) Observe(iv *metrics.Interval, _ *metrics.Snapshot, _ []criteria.Verdict) error {
	if c.rows == nil {
		return nil
	}
	return c.flush(writeSecond(c.rows, &c.run, iv))
}

func timelineColumns() []string {
	return slices.Concat([]string{"second", "execution", "warm_up"}, columns(), numberColumns())
}

func writeSecond(out *csv.Writer, run *report.Run, iv *metrics.Interval) error {
	for i := range iv.Rows {
		row := &iv.Rows[i]
		head := []string{strconv.FormatInt(iv.Second, 10), row.Execution, strconv.FormatBool(row.WarmUp)}
		if err := out.Write(slices.Concat(head, cells(row, float64(row.Finished), true), numberCells(run, row))); err != nil {
			return err
		}
	}
	return nil
}

// WriteTimeline writes a line per second, execution and label.
func WriteTimeline(w io.Writer, run report.Run, intervals []*metrics.Interval) error {
	out := csv.NewWriter(w)
	_ = out.Write(timelineColumns()) // errors stay until Flush
	for _, iv := range intervals {
		if err := writeSecond(out, &run, iv); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// flush hands what was written to the system, so that a killed run keeps it.
func (c *CSV) flush(err error) error {
	c.rows.Flush()
	if err == nil {
		err = c.rows.Error()
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", c.timeline, err)
	}
	return nil
}

// End writes the totals, request labels first, then transactions and iterations, and last the sum
// of all requests under the label "total" and the kind "total".
func (c *CSV) End(o *report.Outcome) error {
	var first error
	if c.file != nil {
		if err := c.file.Close(); err != nil {
			first = fmt.Errorf("write %s: %w", c.timeline, err)
		} else {
			o.Files = append(o.Files, report.Artifact{Path: c.timeline, Kind: "csv time line"})
		}
	}
	err := report.WriteFile(c.totals, func(w io.Writer) error { return WriteTotals(w, c.run, o) })
	if err == nil {
		o.Files = append(o.Files, report.Artifact{Path: c.totals, Kind: "csv"})
	} else if first == nil {
		first = err
	}
	return first
}

// WriteTotals writes a line per label of a run that has ended, and the sum of all requests.
func WriteTotals(w io.Writer, run report.Run, o *report.Outcome) error {
	t := report.NewTotals(o.Snapshot)
	out := csv.NewWriter(w)
	_ = out.Write(slices.Concat(columns(), numberColumns(), correctedColumns())) // errors stay until Flush
	corrected := t.CorrectedRows(&run)
	for _, row := range t.Labels {
		estimated := make([]string, len(correctedColumns()))
		if row.Kind == metrics.RequestKind && row.Label != "" {
			estimated = correctedCells(corrected, row.Label)
		}
		_ = out.Write(slices.Concat(totalCells(t, row), numberCells(&run, row), estimated))
	}
	total := slices.Concat(totalCells(t, t.Total), make([]string, len(numberColumns())), correctedCells(corrected, ""))
	total[0], total[1] = "total", "total"
	_ = out.Write(total)
	out.Flush()
	return out.Error()
}

// BeginStudy sees whether the file can be written.
func (c *CSV) BeginStudy(dir string) error {
	c.totals = report.OutputPath(c.options.Filename, dir, "totals.csv")
	return report.CheckWritable(c.totals)
}

// EndStudy writes the rows of a study. It has no time line.
func (c *CSV) EndStudy(s *report.Study) error {
	if err := report.WriteFile(c.totals, s.WriteCSV); err != nil {
		return err
	}
	s.Files = append(s.Files, report.Artifact{Path: c.totals, Kind: "csv"})
	return nil
}
