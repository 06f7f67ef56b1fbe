package engine

import (
	"time"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/metrics"
)

// Plan is what will be done: every default applied, every text compiled, every file opened. It is
// immutable and may be run more than once, one run after the other.
type Plan struct {
	executions []*execution
	labels     []Label
	hidden     []bool // by label: samples under it only add to the sum of a transaction
	seed       uint64
	preflight  bool // settings.preflight
	capacity   int  // executions at a time; 0: all
	maxLabels  int
	ignore     []string // label prefixes that are left out of results
	userAgent  string
	targets    []*target
	metrics    map[string]string
	dns        nameService
	proxy      *proxies       // nil: none
	tokens     []*tokenSource // of authorization by OAuth 2.0

	runTimeFiles []RunTimeFile
}

// RunTimeFile is a file whose name is made while the plan runs.
type RunTimeFile struct {
	Dir  string // that a relative name is looked up in
	Name config.Text
}

// RunTimeFiles lists the files whose names are made while the plan runs; all others were read when it was compiled.
func (p *Plan) RunTimeFiles() []RunTimeFile { return p.runTimeFiles }

// Label is a name that samples can be counted under.
type Label struct {
	Execution string
	Name      string // for a Pattern the template as written, such as "item ${id}"
	Kind      metrics.Kind
	Pattern   bool // the name is made at run time
}

// ExecutionInfo is what reports need to know of an execution.
type ExecutionInfo struct {
	Name     string
	Scenario string
	Open     bool
	Capped   bool                          // closed, with a throughput cap
	Planned  func(t time.Duration) float64 // users, or iterations per second, at t after the start of the run
	Ends     string                        // in words
	Measured time.Duration                 // from the end of the warm-up to the end of the plan; 0: unlimited, or not known before the run

	ExpectedInterval time.Duration // closed model: between the requests of one user; 0: none
}

// Metrics names the numbers that extractors take out of answers, by label.
func (p *Plan) Metrics() map[string]string { return p.metrics }

// Labels lists all labels that results can have, in plan order, without repeats.
func (p *Plan) Labels() []Label { return p.labelsThat(false) }

// HiddenLabels lists the labels inside transactions of which only the sum is reported: no result has them.
func (p *Plan) HiddenLabels() []Label { return p.labelsThat(true) }

func (p *Plan) labelsThat(hidden bool) []Label {
	var list []Label
	for i, l := range p.labels {
		if p.hidden[i] == hidden {
			list = append(list, l)
		}
	}
	return list
}

// Seed is the seed of all randomness of the plan, drawn when none was given.
func (p *Plan) Seed() uint64 { return p.seed }

// Executions lists the executions in document order.
func (p *Plan) Executions() []ExecutionInfo {
	list := make([]ExecutionInfo, len(p.executions))
	for i, x := range p.executions {
		list[i] = x.info()
	}
	return list
}
