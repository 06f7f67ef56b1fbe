package engine

import (
	"io"
	"log/slog"

	"github.com/stacrun/stacrun/engine/load"
	"github.com/stacrun/stacrun/engine/template"
	"github.com/stacrun/stacrun/metrics"
)

// Options of [Compile].
type Options struct {
	Functions []template.Function                                           // expr functions of other rooms, such as randomBbox
	Getenv    func(string) (string, bool)                                   // nil: os.LookupEnv
	Version   string                                                        // for the User-Agent stacrun/VERSION; "": "dev"
	Seed      *uint64                                                       // wins over settings.seed; nil and none written: drawn once, see [Plan.Seed]
	ReadFile  func(name string) ([]byte, error)                             // nil: of the machine, at most [input.MaxContent]
	OpenFile  func(name string) (file io.ReadCloser, size int64, err error) // data sources; nil: the machine's
	Share     Share                                                         // of a load that several processes carry out
}

// Share says which of several processes compiles a plan, so that together they do what one would: users, arrivals, shared iterations,
// permits of a throughput cap and rows are each somebody's, and nobody's twice. The zero value is the whole load.
type Share struct {
	Index int // from 0
	Of    int // processes; 0 and 1: there is no other
}

// part deals a load out in rounds of its users. Executions with fewer users than there are processes begin at different ones.
func (s Share) part(execution, round int) load.Part {
	if s.Of <= 1 {
		return load.Part{}
	}
	round = max(round, 1)
	return load.NewPart((s.Index+execution)%s.Of, min(s.Of, round), round)
}

// RunOptions of [New]. The zero value is a plain run.
type RunOptions struct {
	Tracer  Tracer                         // nil under load
	Samples func([]metrics.Sample)         // nil: nobody wants them; else called with batches, from one goroutine; must not keep the slice
	Clock   Clock                          // nil: the machine's
	Logger  *slog.Logger                   // nil: silent
	Once    bool                           // debug: one user, one iteration, one execution after the other, no pauses, no caps
	DataRow int                            // debug: rows of data sources to skip before the first
	Connect func(origin string) Connection // nil: the wire; tests put a fake here. Called once per user and target

	// Dying is called when a goroutine of the engine panics, before the process ends by it: for who holds the terminal. nil: nobody does.
	Dying func()

	Delegate Delegate // carries out the load instead of this engine; nil: nobody
	Director Director // of this engine, which carries out a share ([Options].Share); nil: it does everything itself
}

// Recorder receives every sample as it ends, from any goroutine. It must not keep the pointer.
type Recorder interface {
	Record(*metrics.Sample)
	Failure(s *metrics.Sample, text string)
}

// Command changes the load of a running plan. Execution "" means all of them.
type Command struct {
	Execution string
	Users     *int     // closed model: users from now on; open model: most users
	Rate      *float64 // open model: iterations started per second; closed model: throughput cap
	Pause     bool     // no new iteration begins
	Resume    bool
	Stop      bool // graceful, of the execution
}
