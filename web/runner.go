package web

import (
	"io"
	"time"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/diag"
)

// Runner carries runs out and keeps what they left.
type Runner interface {
	// Load reads the document of the page with overrides, each "path=value".
	Load(overrides []string) (*config.File, diag.List)
	// Start begins a run in the background and feeds watch until its Done. With an error among the diagnostics nothing was begun.
	Start(overrides []string, watch *Watch) diag.List
	// Control changes the load of the run under way.
	Control(Command) error
	// Stop ends the run under way gracefully; the second time at once.
	Stop(reason string)
	// Past lists the runs that have left something, newest first, the one under way included.
	Past() ([]Past, error)
	// Render writes a run in a form: "html", "markdown", "junit", "csv", "timeline" or "json". before is the ID of a run to set beside it
	// where the form can show two, or "". IDs are those that Past has listed.
	Render(w io.Writer, form, id, before string) error
	// Log writes the end of the log of a run, limit bytes at most.
	Log(w io.Writer, id string, limit int64) error
}

// Command changes the load while it runs. Execution "" means all of them.
type Command struct {
	Execution string
	Users     *int     // closed model
	Rate      *float64 // iterations per second of an open model
	Pause     bool
	Resume    bool
	Stop      bool
}

// Past is a run that has left a folder.
type Past struct {
	ID       string    `json:"id"`
	Name     string    `json:"name"`
	Started  time.Time `json:"started"`
	Outcome  string    `json:"outcome"` // passed, failed, interrupted, error; "" when the run has not written it (yet)
	Duration float64   `json:"duration_s"`
	Requests int64     `json:"requests"`
	Failed   int64     `json:"failed"`
	Rate     *float64  `json:"rate"`   // per second; nil: too short to say
	P95      *float64  `json:"p95_ms"` // nil: nothing was measured
}
