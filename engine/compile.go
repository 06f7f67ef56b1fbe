package engine

import (
	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/diag"
)

// Compile makes the plan of a file. The plan is nil when the list holds errors.
func Compile(file *config.File, opts Options) (*Plan, diag.List) {
	var list diag.List
	plan := &Plan{version: opts.Version}
	for i := range file.Executions {
		plan.executions = append(plan.executions, &execution{name: file.Executions[i].Name})
	}
	return plan, list
}
