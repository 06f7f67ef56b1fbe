package engine

import (
	"context"
	"errors"

	"github.com/stacrun/stacrun/metrics"
)

// Engine runs one plan once.
type Engine struct {
	plan *Plan
	opts RunOptions
	err  error
}

// New makes the engine of one run.
func New(plan *Plan, opts RunOptions) *Engine { return &Engine{plan: plan, opts: opts} }

// Start begins the run. The channel gives one interval a second, the last one marked Final, and is
// then closed; the receiver must not stop reading before. Cancelling ctx stops hard.
func (e *Engine) Start(ctx context.Context) (<-chan *metrics.Interval, error) {
	return nil, errors.New("nothing to run")
}

// Control changes the load while the plan runs.
func (e *Engine) Control(c Command) error { return nil }

// Stop ends the run gracefully: no new request begins, running ones may finish within graceful-stop.
func (e *Engine) Stop(reason string) {}

// Abort ends the run at once; requests under way are counted as interrupted.
func (e *Engine) Abort(reason string) {}

// Err is why the run could not go on, nil when it ended as planned or was stopped. Valid once the channel is closed.
func (e *Engine) Err() error { return e.err }
