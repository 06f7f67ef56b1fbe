package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/reporters/report"
	"github.com/stacrun/stacrun/session"
	"github.com/stacrun/stacrun/web"
)

// uiCmd is `stacrun ui FILE`.
type uiCmd struct {
	Listen   string   `aliases:"address" default:"127.0.0.1:8089" placeholder:"HOST:PORT" help:"Where the page is; a port alone is one of 127.0.0.1. (--address is the same.)"`
	WebToken string   `name:"web-token" placeholder:"TOKEN" help:"What the page asks for on another address than loopback; without it one is made and printed."`
	Files    []string `arg:"" name:"file" help:"Scenario files, merged in order, or URLs."`
}

// Help is the long help.
func (uiCmd) Help() string {
	return "Opens a page on which runs of the files are started with settings of one's own, watched, changed while they run,\n" +
		"stopped, and compared with earlier ones. Each run gets a folder of its own: in the folder that --artifacts names, or\n" +
		"beside those of other runs. Ctrl-C stops the run under way, and then the page.\n\n" +
		"  stacrun ui scenarios/opensearch.yml\n" +
		"  stacrun ui load.yml --artifacts results --listen 0.0.0.0:8089"
}

// Run runs the verb.
func (c *uiCmd) Run(a *app) error {
	l, found := a.load(c.Files)
	if err := a.tell(found, l.file); err != nil {
		return err
	}
	root := filepath.Dir(absolute(l.dir))
	if a.Artifacts != "" {
		root = absolute(a.Artifacts)
	}
	nowhere, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer nowhere.Close()
	surviveClosedPipe()
	a.aside.Patient(false)
	starter := &starter{app: a, keptRuns: keptRuns{root: root}, files: c.Files, nowhere: nowhere, ended: make(chan struct{}, 1)}
	server, err := web.Listen(withHost(c.Listen), web.Options{
		Runner: starter, Name: filepath.Base(c.Files[0]), Version: version, Start: true, Token: c.WebToken,
	})
	if err != nil {
		return err
	}
	defer server.Close()
	defer starter.runs.Wait()
	interrupts, release := a.interrupts()
	defer release()
	fmt.Fprintf(a.aside, "open %s\n", server.URL())
	for leaving := false; ; {
		select {
		case reason := <-interrupts:
			if !starter.running() {
				return nil
			}
			leaving = true
			starter.Stop(reason)
		case <-starter.ended:
			if leaving {
				return nil
			}
		}
	}
}

// starter begins runs for the page, one at a time.
type starter struct {
	*app
	keptRuns
	files   []string
	nowhere *os.File      // for what reporters would print
	ended   chan struct{} // a run has

	runs   sync.WaitGroup // goroutines of runs
	mu     sync.Mutex     // guards what follows
	remote *remote        // nil: no run is under way
}

var _ web.Runner = (*starter)(nil)

// Load implements [web.Runner].
func (s *starter) Load(overrides []string) (*config.File, diag.List) {
	a := s.with(overrides)
	l, found := a.load(s.files)
	found, _ = config.MaskTold(found, l.file)
	return l.file, found
}

// with is the command line with further overrides, and a folder of its own for the run.
func (s *starter) with(overrides []string) *app {
	flags := *s.cli
	flags.Options = slices.Concat(flags.Options, overrides)
	flags.Quiet = true
	if flags.Artifacts != "" {
		flags.Artifacts = session.FreeFolder(filepath.Join(flags.Artifacts, config.ArtifactsDir("", time.Now())))
	}
	a := *s.app
	a.cli = &flags
	a.process = &process{stdin: s.nowhere, stdout: s.nowhere, stderr: s.nowhere}
	return &a
}

// Start implements [web.Runner].
func (s *starter) Start(overrides []string, watch *web.Watch) diag.List {
	a := s.with(overrides)
	l, prepared, found := a.prepare(s.files)
	found, _ = config.MaskTold(found, l.file)
	if found.HasErrors() {
		return found
	}
	prepared.Reporters = slices.Insert(prepared.Reporters, 0, report.Reporter(watch))
	remote := &remote{}
	remote.listen(make(chan string, 4))
	s.mu.Lock()
	s.remote = remote
	s.mu.Unlock()
	fmt.Fprintf(s.aside, "run in %s\n", l.dir)
	s.runs.Go(func() {
		outcome, problems := session.Run(s.ctx, prepared, session.RunOptions{
			Dir: l.dir, Version: version, Started: l.now, Interrupts: remote.reasons, Log: s.verboseLog(), Attach: remote.attach,
		})
		s.mu.Lock()
		s.remote = nil
		s.mu.Unlock()
		problems, _ = config.MaskTold(problems, l.file)
		watch.Done(outcome, problems)
		fmt.Fprintf(s.aside, "%s: %s %s\n", l.dir, outcome.Result, outcome.Reason)
		select {
		case s.ended <- struct{}{}:
		default: // one is enough
		}
	})
	return found
}

func (s *starter) under() *remote {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.remote
}

func (s *starter) running() bool { return s.under() != nil }

// Control implements [web.Runner].
func (s *starter) Control(c web.Command) error {
	if remote := s.under(); remote != nil {
		return remote.control(engineCommand(c))
	}
	return errNoLoad
}

// Stop implements [web.Runner].
func (s *starter) Stop(reason string) {
	if remote := s.under(); remote != nil {
		remote.stop(reason)
	}
}
