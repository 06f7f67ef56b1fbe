package services

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/diag"
)

// Service is one entry of `services:`. Its methods are called by one goroutine, in the order in which
// they stand here; Shutdown and PostProcess are called even when an earlier stage failed, and after an
// interruption with a context of their own. session.Service has the same methods.
type Service interface {
	// Name is the module's name, for messages.
	Name() string
	// Prepare runs before anything is sent; dir is the run's artifacts folder. What the load depends
	// on is up when it returns.
	Prepare(ctx context.Context, dir string) error
	// Startup runs right before the load starts.
	Startup(ctx context.Context) error
	// Check runs once a second under load; an error ends the run.
	Check(ctx context.Context) error
	// Shutdown runs right after the load has ended.
	Shutdown(ctx context.Context) error
	// PostProcess runs last and knows how the run ended; reason is "" for a run that passed.
	PostProcess(ctx context.Context, exitCode int, reason string) error
}

// Env is what services share.
type Env struct {
	Address string         // URL of the API that stac-ingest fills when it is not told; "" : none known
	Dir     string         // folder for relative paths, before the working directory; "": see Inputs
	Inputs  []config.Input // files of the document, for paths relative to the one that names them
	Environ []string       // environment of child processes; nil: our own
	NoExec  bool           // shell commands are forbidden (--no-exec)
	Log     *slog.Logger   // nil: silent
	Output  io.Writer      // tables of errors and what foreground commands print; nil: discarded
}

func (e Env) withDefaults() Env {
	if e.Log == nil {
		e.Log = slog.New(slog.DiscardHandler)
	}
	if e.Output == nil {
		e.Output = io.Discard
	}
	if e.Environ == nil {
		e.Environ = os.Environ()
	}
	return e
}

// find looks a relative name up beside the file that names it, then in the working directory; a name
// that is nowhere stays as it is.
func (e Env) find(name string, pos diag.Pos) string {
	if filepath.IsAbs(name) {
		return name
	}
	dir := e.Dir
	for _, input := range e.Inputs {
		if input.Name == pos.File {
			dir = input.Dir
		}
	}
	beside := filepath.Join(dir, name)
	if _, err := os.Stat(beside); err == nil {
		return beside
	}
	return name
}

// Builder reads an entry. A nil Service without an error means that the entry is accepted and there is
// nothing to do.
type Builder func(module config.Module, env Env) (Service, diag.List)

// Table returns all services by module name.
func Table() map[string]Builder {
	return map[string]Builder{
		"stac-api":    newStacAPI,
		"stac-ingest": newStacIngest,
		"shellexec":   newShellExec,
		"unpacker":    newUnpacker,
		"monitoring":  newMonitoring,
	}
}

// Build makes the services of a document in its order. Modules that are not in the table were told of
// when the document was read, and are passed over. Without an Address in env, stac-ingest fills the
// stac-api of the document or else the default address of its first scenario.
func Build(file *config.File, env Env) ([]Service, diag.List) {
	env = env.withDefaults()
	if env.Inputs == nil {
		env.Inputs = file.Inputs
	}
	if env.Address == "" {
		env.Address = Target(file)
	}
	table := Table()
	var list []Service
	var faults diag.List
	for _, module := range file.Services {
		build, ok := table[module.Name]
		if !ok {
			continue
		}
		service, more := build(module, env)
		faults = append(faults, more...)
		if service != nil {
			list = append(list, service)
		}
	}
	return list, faults
}

// newMonitoring accepts readings of this machine: the engine takes those of the generator in any case.
func newMonitoring(config.Module, Env) (Service, diag.List) { return nil, nil }

// base gives a service the stages that it has no use for.
type base struct{ name string }

func (b base) Name() string                                 { return b.name }
func (base) Prepare(context.Context, string) error          { return nil }
func (base) Startup(context.Context) error                  { return nil }
func (base) Check(context.Context) error                    { return nil }
func (base) Shutdown(context.Context) error                 { return nil }
func (base) PostProcess(context.Context, int, string) error { return nil }
