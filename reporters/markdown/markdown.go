package markdown

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
)

// Options of markdown.
type Options struct {
	Filename    string // "": report.md in the artifacts folder
	StepSummary string // file that the text is appended to, as GitHub names it in GITHUB_STEP_SUMMARY; "": none
}

// Markdown writes the file when the run has ended.
type Markdown struct {
	options Options
	run     report.Run
	file    string
}

var _ report.StudyReporter = (*Markdown)(nil)

// New makes the reporter.
func New(o Options) *Markdown { return &Markdown{options: o} }

// Begin sees whether the file can be written.
func (m *Markdown) Begin(run report.Run) error {
	m.run = run
	m.file = report.OutputPath(m.options.Filename, run.Dir, "report.md")
	return report.CheckWritable(m.file)
}

// Observe does nothing: the file tells of the whole run.
func (m *Markdown) Observe(*metrics.Interval, *metrics.Snapshot, []criteria.Verdict) error {
	return nil
}

// End writes the file and appends the same text to the step summary.
func (m *Markdown) End(o *report.Outcome) error {
	err := report.WriteFile(m.file, func(w io.Writer) error { return Write(w, m.run, o) })
	if err != nil {
		return err
	}
	o.Files = append(o.Files, report.Artifact{Path: m.file, Kind: "markdown"})
	return m.appendSummary(func(w io.Writer) error { return Write(w, m.run, o) })
}

// Revise writes the file again. What was appended to the summary of a step stays: others may have appended more since.
func (m *Markdown) Revise(o *report.Outcome) error {
	return report.Rewrite(m.file, func(w io.Writer) error { return Write(w, m.run, o) })
}

// BeginStudy sees whether the file can be written.
func (m *Markdown) BeginStudy(dir string) error {
	m.file = report.OutputPath(m.options.Filename, dir, "report.md")
	return report.CheckWritable(m.file)
}

// EndStudy writes the answer of a study, and appends it to the step summary.
func (m *Markdown) EndStudy(s *report.Study) error {
	if err := report.WriteFile(m.file, s.WriteMarkdown); err != nil {
		return err
	}
	s.Files = append(s.Files, report.Artifact{Path: m.file, Kind: "markdown"})
	return m.appendSummary(s.WriteMarkdown)
}

// maxSummary is what GitHub takes of a step: 1 MiB. The whole summary is refused beyond it, so what
// does not fit is better left out.
const maxSummary = 1 << 20

func (m *Markdown) appendSummary(write func(io.Writer) error) (err error) {
	if m.options.StepSummary == "" {
		return nil
	}
	var text strings.Builder
	text.WriteString("\n") // whatever stands there already may not end with a line
	if err := write(&text); err != nil {
		return err
	}
	f, err := os.OpenFile(m.options.StepSummary, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("append to step summary: %w", err)
	}
	defer func() {
		if closeErr := f.Close(); err == nil && closeErr != nil {
			err = fmt.Errorf("append to step summary: %w", closeErr)
		}
	}()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("append to step summary: %w", err)
	}
	if info.Size()+int64(text.Len()) > maxSummary {
		return nil
	}
	if _, err := io.WriteString(f, text.String()); err != nil {
		return fmt.Errorf("append to step summary: %w", err)
	}
	return nil
}
