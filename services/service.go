package services

import (
	"context"
	"io"
	"log/slog"
	"maps"
	"slices"

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
	Address string       // where stac-api listens, for stac-ingest; "" : its own default
	Dir     string       // folder of the file that names the module, for relative paths
	Getenv  []string     // environment of child processes, as os.Environ gives it; nil: our own
	NoExec  bool         // shell commands are forbidden (--no-exec)
	Log     *slog.Logger // never nil when built through [Build]
	Stderr  io.Writer    // progress and output of foreground commands; nil: discarded
}

// Builder reads an entry. A nil Service without an error means that the entry is accepted and there is
// nothing to do.
type Builder func(module config.Module, env Env) (Service, diag.List)

// Table returns all services by module name.
func Table() map[string]Builder {
	return map[string]Builder{}
}

// Names returns the names of the table in order.
func Names() []string { return slices.Sorted(maps.Keys(Table())) }
