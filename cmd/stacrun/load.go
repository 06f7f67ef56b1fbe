package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	isatty "github.com/mattn/go-isatty"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/engine"
	"github.com/stacrun/stacrun/reporters"
	"github.com/stacrun/stacrun/session"
)

// formatFlag chooses between words for people and JSON for programs.
type formatFlag struct {
	Format string `enum:"text,json" default:"text" help:"text or json."`
}

// loaded is a document that was read, with the time and folder that were used for it.
type loaded struct {
	file *config.File
	now  time.Time
	dir  string // artifacts folder, not yet made

	files []string       // that were named, without URLs
	opts  config.Options // with which it was read
}

// load reads and merges files. URLs among the names become a generated document.
func (a *app) load(names []string) (*loaded, diag.List) {
	l := &loaded{now: time.Now()}
	here, _ := os.Getwd() // only told
	opts := config.Options{ReadDocument: a.inputs.read, WorkDir: here, Overrides: a.cli.Options, Aliases: a.aliases, Now: l.now, SystemConfigs: a.SystemConfigs}
	if a.Artifacts != "" {
		opts.ArtifactsDir = absolute(a.Artifacts)
	}
	files, urls := splitURLs(names)
	if len(urls) > 0 {
		opts.Documents = append(opts.Documents, urlDocument(urls))
	}
	file, found := config.Load(a.ctx, files, opts)
	l.dir = a.Artifacts
	if l.dir == "" {
		l.dir = config.ArtifactsDir(file.Settings.ArtifactsDir, l.now)
		if free := session.FreeFolder(l.dir); free != l.dir {
			// The folder's name is part of the document (TAURUS_ARTIFACTS_DIR), so another name is another document.
			l.dir, opts.ArtifactsDir = free, absolute(free)
			file, found = config.Load(a.ctx, files, opts)
		}
	}
	for i := range found {
		if found[i].Code == "file-not-found" && found[i].Hint == "" {
			found[i].Hint = noFileHint(namedIn(found[i].Message, files), a.verbs)
		}
	}
	l.file, l.files, l.opts = file, files, opts
	return l, found
}

func splitURLs(names []string) (files, urls []string) {
	for _, name := range names {
		if strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://") {
			urls = append(urls, name)
		} else {
			files = append(files, name)
		}
	}
	return files, urls
}

// prepare loads files and makes them ready; everything that is wrong comes back sorted.
func (a *app) prepare(names []string) (*loaded, *session.Prepared, diag.List) {
	l, all := a.load(names)
	if all.HasErrors() {
		all.Add(session.Further(l.file, a.sessionOptions(), all)...)
		all.Sort()
		return l, nil, all
	}
	stored, err := a.openBaseline()
	if err != nil {
		all.Errorf("baseline", diag.Pos{}, "", "%v", err)
		return l, nil, all
	}
	options := a.sessionOptions()
	if stored != nil {
		options.Baseline = stored
	}
	prepared, found := session.Prepare(l.file, options)
	all.Add(found...)
	if stored != nil && prepared.Plan != nil && !found.HasErrors() {
		all.Add(suits(stored, prepared)...)
	}
	all.Sort()
	return l, prepared, all
}

// sessionOptions joins the rooms that may not know each other.
func (a *app) sessionOptions() session.Options {
	return session.Options{
		Engine:    engine.Options{Functions: stacFunctions(), Version: version, Seed: a.Seed},
		Reporters: a.reporterOptions(),
		Services:  a.services,
	}
}

// live reports whether progress may be something that moves. That is for people: only where they sit at a terminal, not in CI, not
// with --quiet, and not among the lines of a log.
func (a *app) live() bool {
	return isatty.IsTerminal(a.stderr.Fd()) && !slices.Contains([]string{"", "dumb"}, os.Getenv("TERM")) && os.Getenv("CI") == "" && !a.Quiet && !a.Verbose
}

// reporterOptions looks at the terminal.
func (a *app) reporterOptions() reporters.Options {
	return reporters.Options{
		Stdout: a.stdout, Stderr: a.aside, Color: a.color(a.stdout), Quiet: a.Quiet, Width: terminalWidth(a.stdout), Desk: a.desk,
	}
}

// color reports whether colours may be written to file.
func (a *app) color(file *os.File) bool {
	return !a.NoColor && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && isatty.IsTerminal(file.Fd())
}

// progress is where long work shows how it fares; nowhere with --quiet.
func (a *app) progress() io.Writer {
	if a.Quiet {
		return io.Discard
	}
	return a.aside
}

// tell prints diagnostics for people, without secrets of the file that they are about. With errors it returns errReported.
func (a *app) tell(list diag.List, file *config.File) error {
	if a.Quiet && !list.HasErrors() {
		return nil
	}
	list, sources := config.MaskTold(list, file)
	_ = diag.Render(a.aside, list, sources) // who cannot be told still gets the exit code
	if !list.HasErrors() {
		return nil
	}
	if n := count(list, diag.Error); n > 1 {
		fmt.Fprintf(a.aside, "%d errors\n", n)
	}
	return errReported
}

func count(list diag.List, severity diag.Severity) (n int) {
	for _, d := range list {
		if d.Severity == severity {
			n++
		}
	}
	return n
}

func absolute(name string) string {
	if full, err := filepath.Abs(name); err == nil {
		return full
	}
	return name
}

// needFiles is the answer to a verb without files.
func needFiles(names []string) error {
	if len(names) == 0 {
		return errors.New("name at least one scenario file or URL")
	}
	return nil
}
