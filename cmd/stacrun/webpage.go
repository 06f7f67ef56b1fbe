package main

import (
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/alecthomas/kong"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/engine"
	"github.com/stacrun/stacrun/reporters/report"
	"github.com/stacrun/stacrun/session"
	"github.com/stacrun/stacrun/web"
)

// webFlags say where the live page is.
type webFlags struct {
	Web      webAddress `placeholder:"ADDRESS" help:"Show the run on a page in the browser, on 127.0.0.1:8089 or another address."`
	WebToken string     `name:"web-token" placeholder:"TOKEN" help:"What the page asks for on another address than loopback; without it one is made and printed."`
}

// webAddress is an address that may be left out: --web, --web ADDRESS or --web=ADDRESS.
type webAddress string

// Decode takes the next argument only when it is an address, as a file may follow.
func (w *webAddress) Decode(ctx *kong.DecodeContext) error {
	*w = web.DefaultAddress
	next := ctx.Scan.Peek()
	text, _ := next.Value.(string)
	if next.Type == kong.FlagValueToken || isAddress(text) {
		ctx.Scan.Pop()
		*w = webAddress(text)
	}
	return nil
}

var _ kong.MapperValue = (*webAddress)(nil)

func isAddress(text string) bool {
	_, port, err := net.SplitHostPort(text)
	if err != nil {
		return false
	}
	_, err = strconv.ParseUint(port, 10, 16)
	return err == nil
}

// runPage is the page of one run; nil where none was asked for.
type runPage struct {
	server *web.Server
	watch  *web.Watch
}

// open shows the run that is about to begin.
func (f *webFlags) open(a *app, l *loaded, prepared *session.Prepared, remote *remote) (*runPage, error) {
	if f.Web == "" {
		return nil, nil
	}
	name := "stacrun"
	if len(l.file.Inputs) > 0 {
		name = filepath.Base(l.file.Inputs[0].Name)
	}
	runner := &oneRun{keptRuns: keptRuns{root: filepath.Dir(absolute(l.dir))}, file: l.file, remote: remote}
	server, err := web.Listen(string(f.Web), web.Options{Runner: runner, Name: name, Version: version, Token: f.WebToken})
	if err != nil {
		return nil, err
	}
	watch, err := server.Watch()
	if err != nil {
		server.Close()
		return nil, err
	}
	a.desk.Note("page " + server.URL())
	if !a.Quiet {
		fmt.Fprintf(a.aside, "live page: %s\n", server.URL())
	}
	prepared.Reporters = slices.Insert(prepared.Reporters, 0, report.Reporter(watch))
	return &runPage{server, watch}, nil
}

func (p *runPage) done(outcome *report.Outcome, problems diag.List) {
	if p != nil {
		p.watch.Done(outcome, problems)
	}
}

func (p *runPage) close() {
	if p != nil {
		p.server.Close()
	}
}

// oneRun is what a page can do about the run that it was made for.
type oneRun struct {
	keptRuns
	file   *config.File
	remote *remote
}

var _ web.Runner = (*oneRun)(nil)

// Load gives the document of the run; it cannot be changed any more.
func (r *oneRun) Load([]string) (*config.File, diag.List) { return r.file, nil }

// Start says that this page starts nothing.
func (r *oneRun) Start([]string, *web.Watch) diag.List {
	var list diag.List
	list.Errorf("no-start", diag.Pos{}, "", "this page only shows a run")
	return list
}

// Control implements [web.Runner].
func (r *oneRun) Control(c web.Command) error { return r.remote.control(engineCommand(c)) }

// Stop implements [web.Runner].
func (r *oneRun) Stop(reason string) { r.remote.stop(reason) }

func engineCommand(c web.Command) engine.Command {
	return engine.Command{Execution: c.Execution, Users: c.Users, Rate: c.Rate, Pause: c.Pause, Resume: c.Resume, Stop: c.Stop}
}
