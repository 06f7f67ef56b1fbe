package session

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/reporters/report"
)

// meta is what an interval log says of its run, so that the run can be judged and told again from
// the log alone. It is the JSON header of the file; fields may be added, none renamed.
type meta struct {
	Name        string             `json:"name"`
	Files       []string           `json:"files"`
	Started     time.Time          `json:"started"`
	Seed        uint64             `json:"seed"`
	Version     string             `json:"version"`
	Ends        string             `json:"ends"`
	DurationS   float64            `json:"duration_s"`
	Executions  []metaExecution    `json:"executions"`
	Labels      []criteria.Label   `json:"labels"`
	Criteria    []config.Criterion `json:"criteria"`
	DefaultGate string             `json:"default_gate"`
	Functional  bool               `json:"functional"`
	Metrics     map[string]string  `json:"metrics,omitempty"`
	Agents      []string           `json:"agents,omitempty"` // of a distributed run
	Baseline    []figure           `json:"baseline,omitempty"`
	Machines    []report.Machine   `json:"machines,omitempty"`
}

type metaExecution struct {
	Name     string `json:"name"`
	Scenario string `json:"scenario"`
	Open     bool   `json:"open"`
	Ends     string `json:"ends"`

	ExpectedIntervalS float64 `json:"expected_interval_s,omitempty"`
	Capped            bool    `json:"capped,omitempty"` // by a throughput
}

// metaOf makes the header of a run's interval log.
func metaOf(p *Prepared, info report.Run) *meta {
	m := &meta{
		Name: info.Name, Files: info.Files, Started: info.Started, Seed: info.Seed, Version: info.Version,
		Ends: info.Ends, DurationS: info.Duration.Seconds(), Labels: Labels(p.Plan).Labels,
		Criteria: p.File.Criteria, DefaultGate: p.File.Settings.DefaultGate, Functional: info.Functional, Metrics: info.Metrics, Machines: info.Machines, Agents: info.Agents,
	}
	if p.baseline != nil {
		m.Baseline = p.baseline.kept
	}
	for _, x := range info.Executions {
		m.Executions = append(m.Executions, metaExecution{x.Name, x.Scenario, x.Open, x.Ends, x.ExpectedInterval.Seconds(), x.Capped})
	}
	return m
}

// run gives back what reporters need to know.
func (m *meta) run(dir string) report.Run {
	info := report.Run{
		Name: m.Name, Files: m.Files, Started: m.Started, Dir: dir, Seed: m.Seed, Version: m.Version, Ends: m.Ends,
		Duration: time.Duration(m.DurationS * float64(time.Second)), Functional: m.Functional, Metrics: m.Metrics, Machines: m.Machines, Agents: m.Agents,
	}
	for _, x := range m.Executions {
		info.Executions = append(info.Executions, report.Execution{
			Name: x.Name, Scenario: x.Scenario, Open: x.Open, Ends: x.Ends, ExpectedInterval: time.Duration(x.ExpectedIntervalS * float64(time.Second)), Capped: x.Capped,
		})
	}
	for _, l := range m.Labels {
		info.Labels = append(info.Labels, l.Name)
	}
	return info
}

// labels gives back what the plan could produce.
func (m *meta) labels() criteria.Labels {
	labels := criteria.Labels{Labels: m.Labels}
	for _, x := range m.Executions {
		labels.Executions = append(labels.Executions, criteria.Execution{Name: x.Name, Open: x.Open, Capped: x.Capped})
	}
	return labels
}

// describe tells the reporters what they may know before the first interval.
func describe(p *Prepared, opts RunOptions) report.Run {
	info := report.Run{
		Started: opts.Started, Dir: opts.Dir, Seed: p.Plan.Seed(), Version: opts.Version,
		Functional: p.File.Settings.Functional, Metrics: p.Plan.Metrics(), Machines: []report.Machine{ThisMachine()}, Agents: opts.Agents, Dying: opts.Dying,
	}
	if opts.Machines != nil {
		info.Machines = opts.Machines
	}
	for _, input := range p.File.Inputs {
		info.Files = append(info.Files, input.Name)
	}
	info.Name = "stacrun"
	if len(info.Files) > 0 {
		base := filepath.Base(info.Files[0])
		info.Name = strings.TrimSuffix(base, filepath.Ext(base))
	}
	var ends []string
	for _, x := range p.Plan.Executions() {
		info.Executions = append(info.Executions, report.Execution{
			Name: x.Name, Scenario: x.Scenario, Open: x.Open, Planned: x.Planned, Ends: x.Ends,
			ExpectedInterval: x.ExpectedInterval, Capped: x.Capped,
		})
		ends = append(ends, x.Ends)
	}
	info.Ends = strings.Join(ends, "; ")
	if duration, known := p.Plan.Duration(); known {
		info.Duration = duration
	}
	for _, label := range p.Plan.Labels() {
		if !label.Pattern {
			info.Labels = append(info.Labels, label.Name)
		}
	}
	return info
}
