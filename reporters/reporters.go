package reporters

import (
	"io"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/reporters/report"
)

// Options are what reporters need of the process that they report from.
type Options struct {
	Stdout io.Writer // results
	Stderr io.Writer // progress; the live view is drawn here
	TTY    bool      // Stderr is a terminal that may be redrawn: never with CI, TERM=dumb or --quiet
	Color  bool
	Quiet  bool
	Width  int                        // columns that tables on Stdout may fill; 0: 100
	Size   func() (columns, rows int) // of the terminal, asked before each redraw; nil: Width × 24
}

// Builder makes a reporter of a module. A nil reporter without errors is a module that only configures.
type Builder func(module config.Module, file *config.File, opts Options) (report.Reporter, diag.List)

// Table lists every reporter by the name of its module.
func Table() map[string]Builder {
	return map[string]Builder{}
}

// Build makes the reporters of a file, in the order in which they are to be fed and ended; the one
// that writes summary.json is always there and last, so that it can name what the others left.
func Build(file *config.File, opts Options) ([]report.Reporter, diag.List) {
	_, _ = file, opts
	return nil, nil
}
