package session

import (
	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/engine"
	"github.com/stacrun/stacrun/reporters"
	"github.com/stacrun/stacrun/reporters/report"
)

// Options are what a file needs besides itself to be made ready.
type Options struct {
	Engine    engine.Options
	Reporters reporters.Options
	Services  func(*config.File) ([]Service, diag.List) // makes the services of a file; nil: none
	Baseline  criteria.Baseline                         // nil: none was given
}

// Prepared is a file made ready to run.
type Prepared struct {
	File      *config.File
	Plan      *engine.Plan
	Judge     *criteria.Judge
	Reporters []report.Reporter
	Services  []Service

	baseline *figures // what the criteria asked of the baseline; nil: none was given
}

// Prepare compiles the plan, the criteria against the labels of the plan, the reporters and the
// services of a file. It touches nothing outside: no folder is made, no connection opened.
// With errors in the list the result must not be run.
func Prepare(file *config.File, opts Options) (*Prepared, diag.List) {
	p := &Prepared{File: file}
	var all, found diag.List

	p.Plan, found = engine.Compile(file, opts.Engine)
	all.Add(found...)
	if !found.HasErrors() { // a plan that could not be made has no labels to hold criteria against
		duration, _ := p.Plan.Duration()
		judged := criteria.Options{Duration: duration}
		if opts.Baseline != nil {
			p.baseline = figuresOf(opts.Baseline)
			judged.Baseline = p.baseline
		}
		p.Judge, found = criteria.Compile(file.Criteria, Labels(p.Plan), judged)
		all.Add(found...)
	}
	p.Reporters, found = reporters.Build(file, opts.Reporters)
	all.Add(found...)
	if opts.Services != nil {
		p.Services, found = opts.Services(file)
		all.Add(found...)
	}
	return p, all
}

// Labels tells the criteria what a plan can produce.
func Labels(plan *engine.Plan) criteria.Labels {
	var labels criteria.Labels
	for _, x := range plan.Executions() {
		labels.Executions = append(labels.Executions, criteria.Execution{Name: x.Name, Open: x.Open, Capped: x.Capped, Measured: x.Measured})
	}
	for _, l := range plan.Labels() {
		labels.Labels = append(labels.Labels, criteria.Label{Execution: l.Execution, Name: l.Name, Kind: l.Kind, Dynamic: l.Pattern})
	}
	for _, l := range plan.HiddenLabels() {
		labels.Hidden = append(labels.Hidden, criteria.Label{Execution: l.Execution, Name: l.Name, Kind: l.Kind, Dynamic: l.Pattern})
	}
	return labels
}
