package html

import (
	"io"
	"path/filepath"

	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/charts"
	"github.com/stacrun/stacrun/reporters/report"
)

// Options of html.
type Options struct {
	Filename      string // "": report.html in the artifacts folder
	Configuration string // the effective document, secrets masked; "": not shown
	Baseline      *Data  // an earlier run to stand beside this one; nil: none
}

// HTML writes the page when the run has ended.
type HTML struct {
	options Options
	data    *Data
	file    string
}

var _ report.StudyReporter = (*HTML)(nil)

// defaultName is what the page is called in the folder of its run or study.
const defaultName = "report.html"

// New makes the reporter.
func New(o Options) *HTML { return &HTML{options: o} }

// Begin sees whether the file can be written.
func (h *HTML) Begin(run report.Run) error {
	h.data = NewData(run)
	h.data.Configuration, h.data.Baseline = h.options.Configuration, h.options.Baseline
	h.file = report.OutputPath(h.options.Filename, run.Dir, defaultName)
	return report.CheckWritable(h.file)
}

// Observe folds the interval into the time line.
func (h *HTML) Observe(iv *metrics.Interval, _ *metrics.Snapshot, _ []criteria.Verdict) error {
	h.data.Add(iv)
	return nil
}

// End writes the file.
func (h *HTML) End(o *report.Outcome) error {
	h.data.Outcome = o
	if err := report.WriteFile(h.file, func(w io.Writer) error { return Write(w, h.data) }); err != nil {
		return err
	}
	o.Files = append(o.Files, report.Artifact{Path: h.file, Kind: "html"})
	return nil
}

// Revise writes the file again.
func (h *HTML) Revise(o *report.Outcome) error {
	h.data.Outcome = o
	return report.Rewrite(h.file, func(w io.Writer) error { return Write(w, h.data) })
}

// BeginStudy sees whether the file can be written.
func (h *HTML) BeginStudy(dir string) error {
	h.file = report.OutputPath(h.options.Filename, dir, defaultName)
	return report.CheckWritable(h.file)
}

// EndStudy writes the page of a study.
func (h *HTML) EndStudy(s *report.Study) error {
	if err := report.WriteFile(h.file, func(w io.Writer) error { return WriteStudy(w, s, filepath.Dir(h.file)) }); err != nil {
		return err
	}
	s.Files = append(s.Files, report.Artifact{Path: h.file, Kind: "html"})
	return nil
}

// Data is all that the page tells of a run. Fill Outcome in before it is written.
type Data struct {
	Run           report.Run
	Outcome       *report.Outcome
	Timeline      *charts.Timeline
	Moments       *Moments
	Configuration string // the effective document, secrets masked; "": not shown
	Baseline      *Data  // an earlier run; its own baseline is not looked at

	peakUsers int64 // alive at once behind the warm-up, all executions together
}

// NewData begins a page. Intervals are added as they come.
func NewData(run report.Run) *Data {
	return &Data{Run: run, Timeline: charts.NewTimeline(), Moments: &Moments{}}
}

// Add counts an interval in, all sources of a second together. It is not kept.
func (d *Data) Add(iv *metrics.Interval) {
	d.Timeline.Add(iv)
	d.Moments.Add(iv)
	d.peakUsers = max(d.peakUsers, iv.MeasuredUsers())
}
