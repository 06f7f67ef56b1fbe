package main

import (
	"cmp"
	"fmt"
	"io"

	"github.com/stacrun/stacrun/reporters/report"
	"github.com/stacrun/stacrun/study"
)

// diffCmd is `stacrun diff A B`.
type diffCmd struct {
	Format     string  `enum:"text,markdown,json" default:"text" help:"text, markdown (for a pull request) or json."`
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
	return a.print(func(w io.Writer) error {
		switch c.Format {
		case "json":
			return writeJSON(w, newCompared([]*report.Comparison{comparison}))
		case "markdown":
			return comparison.WriteMarkdown(w)
		}
		return comparison.WriteTable(w, cmp.Or(terminalWidth(a.stdout), 120), a.color(a.stdout))
	})
}

// compared is the content of compare.json, and what diff prints as JSON: a contract.
type compared struct {
	Rows        []report.ComparisonRow `json:"rows"`
	Comparisons []*report.Comparison   `json:"comparisons"`
	Interrupted bool                   `json:"interrupted"`
}

func newCompared(list []*report.Comparison) *compared {
	c := &compared{Rows: []report.ComparisonRow{}, Comparisons: []*report.Comparison{}}
	for _, one := range list {
		for _, row := range one.Rows {
			row.Comparison = one.Title
			c.Rows = append(c.Rows, row)
		}
		c.Comparisons = append(c.Comparisons, one)
	}
	return c
}
