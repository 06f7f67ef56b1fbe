package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	isatty "github.com/mattn/go-isatty"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/reporters/final"
	"github.com/stacrun/stacrun/reporters/report"
	"github.com/stacrun/stacrun/session"
)

// runCmd is `stacrun FILE…`.
type runCmd struct {
	webFlags
	crewFlags
	Control string   `placeholder:"ADDRESS" help:"Let the load be changed while it runs, over HTTP on a loopback address: --control 127.0.0.1:7070."`
	Files   []string `arg:"" optional:"" name:"file" help:"Scenario files, merged in order, or URLs; - reads standard input."`
}

// Help is the long help.
func (runCmd) Help() string {
	return "Reads the files, merges them in order, runs the plan and prints the verdict.\n\n" +
		"  stacrun scenarios/opensearch.yml\n" +
		"  stacrun base.yml ci.yml -o execution.0.concurrency=20 --artifacts results\n\n" +
		"With --web, a page shows the run as it goes on, and can change its load and stop it:\n\n" +
		"  stacrun scenarios/opensearch.yml --web                    on http://127.0.0.1:8089/\n" +
		"  stacrun scenarios/opensearch.yml --web 0.0.0.0:8089       for others too: prints an address with a token\n\n" +
		"With --control, other programs can look at the run and change its load:\n\n" +
		"  curl 127.0.0.1:7070/status\n" +
		"  curl 127.0.0.1:7070/load -d '{\"concurrency\": 50}'     or arrival_rate; execution names one of several\n" +
		"  curl -X POST 127.0.0.1:7070/pause                     also /resume and /stop\n\n" +
		"With --agents, other processes carry the load out, each a share of it (see stacrun agent --help):\n\n" +
		"  stacrun load.yml --agents 3 --listen 10.0.0.5:4222        prints what to start on three machines\n" +
		"  stacrun load.yml --local-agents 2                        two processes of this machine\n\n" +
		"Ctrl-C stops gracefully and writes every report; a second one stops at once. On a terminal q does the same, p\n" +
		"pauses and resumes, + and - change the load by a tenth, and tab turns the pages of the live view."
}

// Run runs the verb.
func (c *runCmd) Run(a *app) error {
	if err := needFiles(c.Files); err != nil {
		return err
	}
	remote := &remote{}
	a.openDesk(remote)
	defer a.desk.Close() // however it ends; the console has told of what goes wrong with it
	l, prepared, found := a.prepare(c.Files)
	if err := a.tell(found, l.file); err != nil {
		return err
	}
	if _, urls := splitURLs(c.Files); len(urls) > 0 && !a.Quiet {
		fmt.Fprintln(a.aside, urlNotice(urls))
	}
	surviveClosedPipe()
	interrupts, release := a.interrupts()
	defer release()
	remote.listen(interrupts)
	crew, err := c.gather(a, l, prepared, interrupts)
	if err != nil {
		return err
	}
	defer crew.close()
	page, err := c.open(a, l, prepared, remote)
	if err != nil {
		return err
	}
	defer page.close()
	if crew != nil {
		l.now = time.Now() // the wait for agents is no part of the run
	}
	a.aside.Patient(false)
	outcome, problems := session.Run(a.ctx, prepared, session.RunOptions{
		Dir: l.dir, Overwrite: a.Overwrite, Version: version, Started: l.now, Interrupts: interrupts, Log: a.verboseLog(),
		Control: c.Control, Attach: remote.attach, Dying: func() { _ = a.desk.Close() }, Source: crew.source(), Agents: crew.names(), Machines: crew.machines(),
	})
	crew.close()
	problems.Sort()
	problems, _ = config.MaskTold(problems, l.file) // the page shows them as well
	page.done(outcome, problems)
	if err := a.tell(problems, l.file); err != nil && !errors.Is(err, errReported) {
		return err
	}
	return a.conclude(outcome, problems, l.dir)
}

// conclude says what went wrong with a run, and prints its verdict.
func (a *app) conclude(outcome *report.Outcome, problems diag.List, dir string) error {
	for _, text := range outcome.Errors {
		switch {
		case problems.HasErrors() && text == outcome.Reason: // told above, with its place and a hint
		case text == outcome.Reason && isatty.IsTerminal(a.stdout.Fd()) && isatty.IsTerminal(a.stderr.Fd()): // the last line will say it
		default:
			fmt.Fprintf(a.aside, "error: %s\n", text)
		}
		switch {
		case strings.HasSuffix(text, session.ErrHoldsRun.Error()):
			fmt.Fprintln(a.aside, "  hint: name another folder, or say --overwrite")
		case strings.HasSuffix(text, session.ErrInUse.Error()):
			fmt.Fprintln(a.aside, "  hint: "+hintInUse)
		}
	}
	for _, text := range outcome.Notices {
		fmt.Fprintf(a.aside, "warning: %s\n", text)
	}
	a.code = outcome.ExitCode
	if len(outcome.Files) == 0 {
		dir = "" // nothing was written there; it may even hold another run
	}
	_ = a.aside.Flush() // the verdict comes last
	err := final.Verdict(a.stdout, outcome, final.VerdictOptions{Color: a.color(a.stdout), Width: terminalWidth(a.stdout), Dir: dir})
	if err != nil {
		a.code = session.ExitError // nobody has read the verdict, so nobody may take it for a pass
		return fmt.Errorf("write to stdout: %w", err)
	}
	return nil
}
