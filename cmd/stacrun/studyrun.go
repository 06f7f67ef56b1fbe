package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
	"github.com/stacrun/stacrun/session"
	"github.com/stacrun/stacrun/study"
)

// studyVerbs are the verbs that make or compare many runs.
type studyVerbs struct {
	Benchmark benchmarkCmd `cmd:"" help:"Measure numbers of users on one or several APIs and print a table."`
	Compare   compareCmd   `cmd:"" help:"Run variants in turn and say which is faster, and how sure that is."`
	Capacity  capacityCmd  `cmd:"" help:"Search for the highest load that holds objectives."`
	Baseline  baselineCmd  `cmd:"" help:"Keep runs to hold later ones against."`
	Diff      diffCmd      `cmd:"" help:"Print where two runs, or sets of runs, differ."`
}

// studyRun makes the runs of a study, one after another, until it is interrupted.
type studyRun struct {
	*app
	ctx       context.Context // cancelled by the first interruption, which also stops the run under way gracefully
	now       time.Time
	options   []string // of -o that are overrides
	names     []string
	documents []config.Document
	forward   chan string // interruptions for the run under way
	meter     meter
	reporters []report.StudyReporter // tell of the study as a whole
	pages     bool                   // each run writes its page
	warned    map[string]bool
	give      func() // the folder back
}

// newStudy begins a study over files, or over generated documents. release must be called.
func (a *app) newStudy(names []string, documents ...config.Document) (s *studyRun, release func()) {
	s = &studyRun{app: a, now: time.Now(), options: a.cli.Options, names: names, documents: documents, forward: make(chan string, 2), warned: map[string]bool{}, give: func() {}}
	s.meter.live, s.meter.w = a.live(), a.progress()
	ctx, cancel := context.WithCancel(a.ctx)
	s.ctx = ctx
	interrupts, stop := a.interrupts()
	done := make(chan struct{})
	var forwarding sync.WaitGroup
	forwarding.Go(func() {
		for {
			select {
			case <-done:
				return
			case reason := <-interrupts:
				select {
				case s.forward <- reason:
				default: // a third one ends the process
				}
				cancel()
			}
		}
	})
	return s, func() { stop(); close(done); forwarding.Wait(); cancel(); s.give() }
}

// load is the study's loader. The folder of a run is not known when its document is loaded, so its name stays a
// reference that the reporters fill in.
func (s *studyRun) load(overrides []string) (*config.File, diag.List) {
	files, urls := splitURLs(s.names)
	opts := config.Options{
		ReadDocument: s.inputs.read, Overrides: slices.Concat(s.options, overrides), Aliases: s.aliases, Now: s.now, ArtifactsDir: "${TAURUS_ARTIFACTS_DIR}",
		Documents: slices.Clone(s.documents), SystemConfigs: s.SystemConfigs,
	}
	if len(urls) > 0 {
		opts.Documents = append(opts.Documents, urlDocument(urls))
	}
	return config.Load(s.app.ctx, files, opts)
}

// folder is where the study keeps its runs.
func (s *studyRun) folder(file *config.File) string {
	if s.Artifacts != "" {
		return s.Artifacts
	}
	dir := config.ArtifactsDir(file.Settings.ArtifactsDir, s.now)
	name := dir
	for n := 1; exists(name); n++ {
		name = fmt.Sprintf("%s-%d", dir, n)
	}
	return name
}

// take keeps the folder from other studies and runs as long as this one goes on.
func (s *studyRun) take(dir string) error {
	give, err := session.TakeFolder(dir)
	if errors.Is(err, session.ErrInUse) {
		return fmt.Errorf("%w\n  hint: %s", err, hintInUse)
	}
	if err == nil {
		s.give = give
	}
	return err
}

// hintInUse says what to do about a folder in which another run goes on.
const hintInUse = "name another folder with --artifacts, or wait until that run has ended"

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// Run implements [study.Runner].
func (s *studyRun) Run(_ context.Context, file *config.File, opts study.RunOptions) (study.Result, error) {
	quiet := *file
	quiet.Reporting = ownFolder(file.Reporting)
	if s.pages {
		quiet.Reporting = withPages(quiet.Reporting)
	}
	options := s.sessionOptions()
	options.Reporters.Stdout, options.Reporters.Stderr, options.Reporters.Desk, options.Reporters.Quiet = io.Discard, io.Discard, nil, true
	options.Reporters.Getenv = withoutStep // the study appends to the summary of the step, not each of its runs
	prepared, found := session.Prepare(&quiet, options)
	if found.HasErrors() {
		return study.Result{}, &study.InvalidError{Diagnostics: found, File: file}
	}
	s.warn(found, file)
	collector := &collector{meter: &s.meter}
	prepared.Reporters = slices.Insert(prepared.Reporters, 0, report.Reporter(collector))
	s.aside.Patient(false)
	outcome, problems := session.Run(s.app.ctx, prepared, session.RunOptions{
		Dir: opts.Dir, Overwrite: true, Version: version, Interrupts: s.forward, Log: s.verboseLog(),
	})
	s.meter.clear()
	s.warn(problems, file)
	if problems.HasErrors() {
		problems, _ = config.MaskTold(problems, file)
		outcome.Reason = problems[slices.IndexFunc(problems, func(d diag.Diagnostic) bool { return d.Severity == diag.Error })].Message
	}
	return study.Result{Outcome: outcome, Intervals: collector.intervals, Metrics: prepared.Plan.Metrics()}, nil
}

// withoutStep is the environment without the summary of a step.
func withoutStep(name string) (string, bool) {
	if name == "GITHUB_STEP_SUMMARY" {
		return "", false
	}
	return os.LookupEnv(name)
}

// warn tells each diagnostic once: the runs of a study share most of them.
func (s *studyRun) warn(found diag.List, file *config.File) {
	var fresh diag.List
	for _, d := range found {
		key := d.Code + d.Pos.String() + d.Message
		if !s.warned[key] && (d.Severity == diag.Error || !s.Quiet) {
			fresh = append(fresh, d)
		}
		s.warned[key] = true
	}
	if len(fresh) > 0 {
		s.meter.clear()
		fresh, sources := config.MaskTold(fresh, file)
		_ = diag.Render(s.aside, fresh, sources) // what could not be said on stderr cannot be said
	}
}

// explain prints the diagnostics behind an error of a study.
func (s *studyRun) explain(err error) error {
	var invalid *study.InvalidError
	if !errors.As(err, &invalid) {
		return err
	}
	invalid.Diagnostics.Sort()
	if told := s.tell(invalid.Diagnostics, invalid.File); told != nil {
		return told
	}
	return err
}

// ownFolder leaves only reporters that write into the folder of their run: what was meant for one run must neither be
// printed by each nor be overwritten by the next.
func ownFolder(modules []config.Module) (own []config.Module) {
	for _, m := range modules {
		switch filename := m.Options.Get("filename").String(); {
		case m.Name == "console" || m.Name == "final-stats" || m.Name == "final_stats":
		case filename != "" && !strings.Contains(filename, "TAURUS_ARTIFACTS_DIR"):
		default:
			own = append(own, m)
		}
	}
	return own
}

// collector keeps the intervals of a run and moves the meter.
type collector struct {
	meter     *meter
	run       report.Run
	intervals []*metrics.Interval
}

var _ report.Reporter = (*collector)(nil)

// Begin implements [report.Reporter].
func (c *collector) Begin(run report.Run) error {
	c.run = run
	return nil
}

// Observe implements [report.Reporter].
func (c *collector) Observe(interval *metrics.Interval, snapshot *metrics.Snapshot, _ []criteria.Verdict) error {
	c.intervals = append(c.intervals, interval)
	c.meter.show(c.run.Duration, time.Duration(interval.Second+1)*time.Second, snapshot)
	return nil
}

// End implements [report.Reporter].
func (c *collector) End(*report.Outcome) error { return nil }

// meter shows how a study fares: a line per run, and on a terminal how far the run is.
type meter struct {
	w    io.Writer
	live bool
	line string
}

// begin says which run comes now.
func (m *meter) begin(p study.Progress) {
	m.clear()
	for _, note := range p.Notes {
		fmt.Fprintln(m.w, note)
	}
	m.line = p.Name
	if p.Runs > 0 {
		m.line = fmt.Sprintf("[%d/%d] %s", p.Run, p.Runs, p.Name)
	} else if p.Run > 0 {
		m.line = fmt.Sprintf("[%d] %s", p.Run, p.Name)
	}
	if p.Left > 0 {
		m.line += fmt.Sprintf(", about %s left", p.Left.Round(time.Second))
	}
	fmt.Fprintln(m.w, m.line)
}

func (m *meter) show(planned, elapsed time.Duration, snapshot *metrics.Snapshot) {
	if !m.live {
		return
	}
	recent := snapshot.Recent(3, true)
	of := ""
	if planned > 0 {
		of = " of " + report.Clock(planned)
	}
	fmt.Fprintf(m.w, "\r\x1b[K  %s%s  %s  p95 %s  %d failed", report.Clock(elapsed), of,
		report.PerSecond(recent.Rate(recent.Total), true), report.Nanoseconds(recent.Total.Response.Quantile(95)), snapshot.Total().Failed)
}

func (m *meter) clear() {
	if m.live {
		io.WriteString(m.w, "\r\x1b[K")
	}
}

// documentName is the name of the first file, without folder and ending.
func documentName(names []string) string {
	if names[0] == standardInput {
		return "stdin"
	}
	base := filepath.Base(names[0])
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// parseTime reads a time of a flag; "" is the fallback.
func parseTime(flag, text string, fallback time.Duration) (time.Duration, error) {
	if text == "" {
		return fallback, nil
	}
	d, err := config.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("--%s %q: %w", flag, text, err)
	}
	return d, nil
}

// outputOption takes values of -o without a "=" out of the overrides: for a verb that writes a file they name it.
func outputOption(options []string) (overrides []string, output string, err error) {
	for _, o := range options {
		switch {
		case strings.Contains(o, "="):
			overrides = append(overrides, o)
		case output != "":
			return nil, "", fmt.Errorf("-o %s and -o %s both name a file", output, o)
		default:
			output = o
		}
	}
	return overrides, output, nil
}
