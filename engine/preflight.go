package engine

import (
	"context"

	"github.com/stacrun/stacrun/diag"
)

// Preflight holds the plan against the machine and its targets: descriptors, ports, and one
// connection to each target host.
func Preflight(ctx context.Context, plan *Plan) diag.List { return nil }
