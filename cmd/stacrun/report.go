package main

import (
	"fmt"
	"io"

	"github.com/stacrun/stacrun/reporters/final"
	jsonreport "github.com/stacrun/stacrun/reporters/json"
	"github.com/stacrun/stacrun/session"
)

// reportCmd is `stacrun report DIR`.
type reportCmd struct {
	formatFlag
	Dir string `arg:"" help:"Artifacts folder of an earlier run."`
}

// Help is the long help.
func (reportCmd) Help() string {
	return "Prints an earlier run from its interval log, also one that was killed. The exit code only says\n" +
		"whether the run could be read.\n\n  stacrun report 2026-12-01_10-00-00.000000\n  stacrun report results --format json"
}

// Run runs the verb.
func (c *reportCmd) Run(a *app) error {
	run, err := session.Replay(c.Dir)
	if err != nil {
		return err
	}
	if !run.Complete {
		fmt.Fprintf(a.stderr, "the log ends without an end of the run: it was killed, or it is still going on\n")
	}
	if c.Format == "json" {
		return a.print(func(w io.Writer) error { return jsonreport.Write(w, run.Run, &run.Outcome) })
	}
	return a.print(func(w io.Writer) error { return c.tell(w, a, run) })
}

// tell prints what the run printed at its end.
func (c *reportCmd) tell(w io.Writer, a *app, run *session.Replayed) error {
	stats := final.New(final.Options{
		Out: w, Width: terminalWidth(a.stdout), Color: a.color(a.stdout),
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
	return final.Verdict(w, &run.Outcome, final.VerdictOptions{Color: a.color(a.stdout), Width: terminalWidth(a.stdout), Dir: c.Dir})
}
