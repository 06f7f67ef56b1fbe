package json

import (
	"encoding/json"
	"io"

	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
)

// Options of json.
type Options struct {
	Filename string // "": summary.json in the artifacts folder
}

// JSON writes the summary when the run has ended.
type JSON struct {
	options Options
	run     report.Run
	file    string
}

var _ report.StudyReporter = (*JSON)(nil)

// New makes the reporter.
func New(o Options) *JSON { return &JSON{options: o} }

// Begin sees whether the file can be written.
func (j *JSON) Begin(run report.Run) error {
	j.run = run
	j.file = report.OutputPath(j.options.Filename, run.Dir, "summary.json")
	return report.CheckWritable(j.file)
}

// Observe does nothing: the summary is about the whole run.
func (j *JSON) Observe(*metrics.Interval, *metrics.Snapshot, []criteria.Verdict) error { return nil }

// End writes the file, which lists itself among the files.
func (j *JSON) End(o *report.Outcome) error {
	listed := *o
	listed.Files = append(append([]report.Artifact{}, o.Files...), report.Artifact{Path: j.file, Kind: "summary"})
	if err := report.WriteFile(j.file, func(w io.Writer) error { return Write(w, j.run, &listed) }); err != nil {
		return err
	}
	o.Files = listed.Files
	return nil
}

// Revise writes the file again.
func (j *JSON) Revise(o *report.Outcome) error {
	return report.Rewrite(j.file, func(w io.Writer) error { return Write(w, j.run, o) })
}

// Write writes the summary of a run as indented JSON and a line end.
func Write(w io.Writer, run report.Run, o *report.Outcome) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(NewSummary(run, o))
}

// BeginStudy sees whether the file can be written. Without a name there is none: a study keeps its answer as JSON anyhow.
func (j *JSON) BeginStudy(dir string) error {
	if j.options.Filename == "" {
		return nil
	}
	j.file = report.OutputPath(j.options.Filename, dir, "")
	return report.CheckWritable(j.file)
}

// EndStudy writes the answer of a study.
func (j *JSON) EndStudy(s *report.Study) error {
	if j.file == "" {
		return nil
	}
	if err := report.WriteFile(j.file, s.WriteJSON); err != nil {
		return err
	}
	s.Files = append(s.Files, report.Artifact{Path: j.file, Kind: "json"})
	return nil
}
