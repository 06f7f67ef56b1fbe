package main

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"

	"github.com/stacrun/stacrun/reporters/html"
	"github.com/stacrun/stacrun/reporters/report"
	"github.com/stacrun/stacrun/study"
)

// diffCmd is `stacrun diff A B`.
type diffCmd struct {
	studyFlags
	Confidence float64 `default:"95" placeholder:"PERCENT" help:"Confidence of the intervals."`
	A          string  `arg:"" help:"What is held against: a run's artifacts folder, a folder of runs, a summary.json, or a baseline."`
	B          string  `arg:"" help:"What is looked at."`
}

// Help is the long help.
func (diffCmd) Help() string {
	return "Prints every figure of B beside that of A, per label, with the difference and its interval. The exit\n" +
		"code only says whether both could be read.\n\n  stacrun diff main results\n  stacrun diff before after --format markdown"
}

// Run runs the verb.
func (c *diffCmd) Run(a *app) error {
	if c.Confidence <= 0 || c.Confidence >= 100 {
		return fmt.Errorf("--confidence %g: want a share between 0 and 100 %%", c.Confidence)
	}
	before, err := study.OpenRuns(".", c.A)
	if err != nil {
		return err
	}
	after, err := study.OpenRuns(".", c.B)
	if err != nil {
		return err
	}
	comparison := study.Diff(before, after, c.Confidence/100)
	answer := &report.Study{Compared: &report.Compared{
		Head: report.Head{Name: comparison.Heading(), Version: version}, Comparisons: []*report.Comparison{comparison},
	}}
	if c.HTML != "" {
		if err := report.WriteFile(c.HTML, func(w io.Writer) error { return html.WriteStudy(w, answer, filepath.Dir(c.HTML)) }); err != nil {
			return err
		}
	}
	return a.print(func(w io.Writer) error {
		if c.Format == "text" { // no times of runs that were made for it
			return comparison.WriteTable(w, cmp.Or(terminalWidth(a.stdout), 120), a.color(a.stdout))
		}
		return printStudy(w, answer, c.Format)
	})
}
