package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	isatty "github.com/mattn/go-isatty"

	"github.com/stacrun/stacrun/reporters/final"
	"github.com/stacrun/stacrun/reporters/html"
	"github.com/stacrun/stacrun/reporters/report"
	"github.com/stacrun/stacrun/session"
	"github.com/stacrun/stacrun/study"
)

// reportCmd is `stacrun report DIR`.
type reportCmd struct {
	formatFlag
	HTML     bool   `name:"html" xor:"form" help:"The page, one file that needs no network."`
	Markdown bool   `xor:"form" help:"Markdown, for a pull request."`
	JUnit    bool   `name:"junit" xor:"form" help:"JUnit XML: criteria and labels, a suite each."`
	CSV      bool   `name:"csv" xor:"form" help:"Totals per label as CSV."`
	Timeline bool   `xor:"form" help:"Every second and label as CSV."`
	JSON     bool   `name:"json" xor:"form" help:"The summary, as --format json."`
	Compare  string `placeholder:"DIR2" help:"Set the run beside this earlier one; for text, --html and --markdown."`
	Output   string `short:"O" placeholder:"FILE" help:"Write to this file instead of stdout."`
	Dir      string `arg:"" help:"Artifacts folder of an earlier run, or of a study."`
}

// Help is the long help.
func (reportCmd) Help() string {
	return "Tells an earlier run again from its interval log, also one that was killed or still goes on, and a study\n" +
		"from the answer that it keeps. The exit code only says whether all of it could be read.\n\n" +
		"  stacrun report 2026-12-01_10-00-00.000000\n" +
		"  stacrun report results --html -O report.html\n" +
		"  stacrun report results --html --compare before -O report.html\n" +
		"  stacrun report results --json"
}

// Run runs the verb.
func (c *reportCmd) Run(a *app) error {
	form := c.form()
	if info, err := os.Stat(c.Dir); err == nil && !info.IsDir() {
		return fmt.Errorf("%s is a file, and a run is a folder\n  hint: name the folder that it lies in: %s", c.Dir, filepath.Dir(c.Dir))
	}
	switch {
	case c.Compare != "" && form != "" && form != formHTML && form != formMarkdown:
		return errors.New(`--compare goes with text, --html and --markdown; "stacrun diff --format json" prints a comparison for programs`)
	case form == formHTML && c.Output == "" && isatty.IsTerminal(a.stdout.Fd()):
		return errors.New("a page is not for a terminal; write it to a file: -O report.html")
	}
	answer, err := report.OpenStudy(c.Dir)
	switch {
	case err != nil:
		return err
	case answer != nil:
		return c.study(a, answer, form)
	}
	run, err := session.Replay(c.Dir)
	if err != nil {
		return err
	}
	if run.Damaged != nil {
		a.code = session.ExitError
	}
	if !run.Complete && !run.Told && run.Damaged == nil && !a.Quiet {
		fmt.Fprintf(a.aside, "the log ends without an end of the run: it was killed, or it is still going on\n")
	}
	write := func(w io.Writer) error {
		if form == "" {
			return c.tell(w, a, run)
		}
		return renderReplayed(w, form, run, c.Compare)
	}
	if c.Output != "" {
		return report.WriteFile(c.Output, write)
	}
	return a.print(write)
}

// study tells the answer that a study kept in its folder.
func (c *reportCmd) study(a *app, answer *report.Study, form string) error {
	if c.Compare != "" {
		return errors.New(`--compare sets a run beside a run, and the folder is a study's: name the folder of one of its runs`)
	}
	folder := ""
	if c.Output != "" {
		folder = filepath.Dir(c.Output)
	}
	write := func(w io.Writer) error {
		switch form {
		case "":
			return answer.WriteText(w, cmp.Or(terminalWidth(a.stdout), 120), a.color(a.stdout) && c.Output == "")
		case formHTML:
			return html.WriteStudy(w, answer, folder)
		case formMarkdown:
			return answer.WriteMarkdown(w)
		case formCSV:
			return answer.WriteCSV(w)
		case formJSON:
			return answer.WriteJSON(w)
		}
		return fmt.Errorf("a study has no form %q: there are text, html, markdown, csv and json", form)
	}
	if c.Output != "" {
		return report.WriteFile(c.Output, write)
	}
	return a.print(write)
}

// form is the chosen one; "": text.
func (c *reportCmd) form() string {
	for form, chosen := range map[string]bool{
		formHTML: c.HTML, formMarkdown: c.Markdown, formJUnit: c.JUnit, formCSV: c.CSV, formTimeline: c.Timeline, formJSON: c.JSON,
	} {
		if chosen {
			return form
		}
	}
	if c.Format == "json" {
		return formJSON
	}
	return ""
}

// tell prints what the run printed at its end.
func (c *reportCmd) tell(w io.Writer, a *app, run *session.Replayed) error {
	width, color := terminalWidth(a.stdout), a.color(a.stdout) && c.Output == ""
	stats := final.New(final.Options{
		Out: w, Width: width, Color: color,
		Summary: true, Percentiles: true, SummaryLabels: true, TestDuration: true,
	})
	if err := stats.Begin(run.Run); err != nil {
		return err
	}
	for _, interval := range run.Intervals {
		if err := stats.Observe(interval, nil, nil); err != nil {
			return err
		}
	}
	if err := stats.End(&run.Outcome); err != nil {
		return err
	}
	if c.Compare != "" {
		if err := c.compare(w, cmp.Or(width, 120), color); err != nil {
			return err
		}
	}
	return final.Verdict(w, &run.Outcome, final.VerdictOptions{Color: color, Width: width, Dir: c.Dir})
}

func (c *reportCmd) compare(w io.Writer, width int, color bool) error {
	before, err := study.OpenRuns(".", c.Compare)
	if err != nil {
		return err
	}
	this, err := study.OpenRuns(".", c.Dir)
	if err != nil {
		return err
	}
	return study.Diff(before, this, 0).WriteTable(w, width, color)
}
