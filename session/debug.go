package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"

	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/engine"
)

// DebugOptions say how a prepared file is walked through once.
type DebugOptions struct {
	Tracer     engine.Tracer
	DataRow    int // rows of the data sources that are skipped before the one that is used
	Interrupts <-chan string
	Log        io.Writer // nil: nowhere
}

// Debug runs one user through one iteration of each execution, with the file's services around it,
// and shows every exchange to the tracer. Nothing is judged and no artifact is left.
func Debug(ctx context.Context, p *Prepared, opts DebugOptions) (problems diag.List, err error) {
	gentle, hard, release := watchInterrupts(ctx, opts.Interrupts)
	defer release()
	dir, err := os.MkdirTemp("", "stacrun-debug-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	logger := slog.New(slog.DiscardHandler)
	if opts.Log != nil {
		logger = slog.New(slog.NewTextHandler(opts.Log, nil))
	}

	var begun []Service
	defer func() {
		ctx, release := lastly(hard)
		defer release()
		for _, service := range slices.Backward(begun) {
			err = errors.Join(err, service.Shutdown(ctx))
		}
		for _, service := range begun {
			err = errors.Join(err, service.PostProcess(ctx, ExitPassed, "debug"))
		}
	}()
	for _, service := range p.Services {
		begun = append(begun, service)
		if err := service.Prepare(gentle, dir); err != nil {
			return nil, fmt.Errorf("service %s: %w", service.Name(), err)
		}
	}
	if p.File.Settings.Preflight {
		if problems = engine.Preflight(gentle, p.Plan); problems.HasErrors() {
			return problems, nil
		}
	}
	for _, service := range begun {
		if err := service.Startup(gentle); err != nil {
			return problems, fmt.Errorf("service %s: %w", service.Name(), err)
		}
	}
	source := engine.New(p.Plan, engine.RunOptions{Tracer: opts.Tracer, Once: true, DataRow: opts.DataRow, Logger: logger})
	intervals, err := source.Start(hard)
	if err != nil {
		return problems, err
	}
	stop := gentle.Done()
	for {
		select {
		case _, open := <-intervals:
			if !open {
				return problems, source.Err()
			}
		case <-stop:
			stop = nil
			source.Stop("interrupted")
		}
	}
}
