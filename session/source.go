package session

import (
	"context"

	"github.com/stacrun/stacrun/engine"
	"github.com/stacrun/stacrun/metrics"
)

// Source is where intervals come from: an engine in this process, a controller of agents, or the log of an earlier run.
type Source interface {
	// Start begins; the channel is closed after the interval that is marked Final.
	Start(ctx context.Context) (<-chan *metrics.Interval, error)
	// Control changes the load while it runs.
	Control(engine.Command) error
	// Stop ends gracefully: nothing new begins, what is under way may finish in time.
	Stop(reason string)
	// Abort ends at once; what is under way is counted as interrupted.
	Abort(reason string)
	// Err is why the source ended before its time, or nil.
	Err() error
}

var _ Source = (*engine.Engine)(nil)
