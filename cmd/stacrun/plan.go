package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/engine"
	"github.com/stacrun/stacrun/session"
)

// planCmd is `stacrun plan FILE…`.
type planCmd struct {
	formatFlag
	Files []string `arg:"" name:"file" help:"Scenario files, merged in order, or URLs."`
}

// Help is the long help.
func (planCmd) Help() string {
	return "Says what a run would do: users or arrivals over time, what ends it, labels, requests per\n" +
		"iteration, criteria, reporters, services and the descriptors it needs. Nothing is sent.\n\n" +
		"  stacrun plan scenarios/search.yml -o execution.hold-for=5m"
}

// planned is the JSON form: a contract.
type planned struct {
	Executions  []engine.ExecutionDescription `json:"executions"`
	Criteria    []criteria.Description        `json:"criteria"`
	Reporters   []string                      `json:"reporters"`
	Services    []string                      `json:"services"`
	Limits      engine.Limits                 `json:"limits"`
	Diagnostics diag.List                     `json:"diagnostics"`
}

// Run runs the verb.
func (c *planCmd) Run(a *app) error {
	l, prepared, found := a.prepare(c.Files)
	result := planned{Executions: []engine.ExecutionDescription{}, Criteria: []criteria.Description{}, Diagnostics: found}
	result.Reporters, result.Services = moduleNames(l.file.Reporting), moduleNames(l.file.Services)
	if prepared != nil && !found.HasErrors() {
		description := prepared.Plan.Describe()
		result.Executions, result.Limits = description.Executions, description.Limits
		result.Criteria = criteria.Describe(l.file.Criteria)
	} else {
		a.code = session.ExitError
	}
	if c.Format == "json" {
		return a.print(func(w io.Writer) error { return writeJSON(w, result) })
	}
	if err := a.tell(found, l.file); err != nil {
		return err
	}
	return a.print(func(w io.Writer) error {
		_, err := io.WriteString(w, result.text())
		return err
	})
}

func moduleNames(modules []config.Module) []string {
	names := make([]string, 0, len(modules))
	for _, m := range modules {
		names = append(names, m.Name)
	}
	return names
}

// text is the form for people.
func (p *planned) text() string {
	var b strings.Builder
	for i := range p.Executions {
		describeExecution(&b, &p.Executions[i])
	}
	if len(p.Criteria) == 0 {
		b.WriteString("criteria: none; the run fails only if every request does\n")
	} else {
		b.WriteString("criteria:\n")
		for _, c := range p.Criteria {
			when := ""
			if c.Timeframe == nil {
				when = " (judged at the end, does not stop the run)"
			}
			fmt.Fprintf(&b, "  %s%s\n", c.Text, when)
		}
	}
	fmt.Fprintf(&b, "reporters: %s\n", listOr(p.Reporters, "none"))
	fmt.Fprintf(&b, "services: %s\n", listOr(p.Services, "none"))
	fmt.Fprintf(&b, "descriptors: need %d", p.Limits.DescriptorsNeeded)
	if p.Limits.DescriptorsHave != nil {
		fmt.Fprintf(&b, ", have %d", *p.Limits.DescriptorsHave)
	}
	b.WriteString("\n")
	return b.String()
}

func describeExecution(b *strings.Builder, x *engine.ExecutionDescription) {
	fmt.Fprintf(b, "execution %s (scenario %s, %s model)\n", x.Name, x.Scenario, x.Model)
	line := func(name, format string, args ...any) {
		fmt.Fprintf(b, "  %-12s %s\n", name, fmt.Sprintf(format, args...))
	}
	if x.StartAt != nil {
		line("start at", "%s (in %s)", x.StartAt.Format(time.DateTime), time.Until(*x.StartAt).Round(time.Second))
	}
	if x.Delay != nil && *x.Delay > 0 {
		line("delay", "%s", seconds(*x.Delay))
	}
	if x.ArrivalRate != nil {
		random := ""
		if x.Distribution != nil {
			random = ", at random (" + *x.Distribution + ")"
		}
		line("arrivals", "%s iterations/s%s", number(*x.ArrivalRate), random)
	}
	switch {
	case x.MaxUsers != nil && x.Concurrency != nil:
		line("users", "%d at the start, at most %d", *x.Concurrency, *x.MaxUsers)
	case x.Concurrency != nil:
		line("users", "%d", *x.Concurrency)
	}
	if x.RampUp != nil && *x.RampUp > 0 {
		steps := ""
		if x.Steps != nil {
			steps = fmt.Sprintf(" in %d steps", *x.Steps)
		}
		line("ramp-up", "%s%s", seconds(*x.RampUp), steps)
	}
	if x.HoldFor != nil && *x.HoldFor > 0 {
		line("hold-for", "%s", seconds(*x.HoldFor))
	}
	if x.Throughput != nil {
		line("throughput", "at most %s requests/s", number(*x.Throughput))
	}
	if x.Iterations != nil {
		line("iterations", "%d per user", *x.Iterations)
	}
	if x.Total != nil {
		about := ""
		if x.Distribution != nil {
			about = "about "
		}
		line("total", "%s%d iterations, all users together", about, *x.Total)
	}
	line("ends", "%s", x.Ends)
	if len(x.Load) > 0 {
		line("load", "%s", curve(x.Load, x.Model))
	}
	if x.Requests != nil {
		line("requests", "%s per iteration", number(*x.Requests))
	}
	line("targets", "%s", listOr(x.Targets, "none"))
	line("labels", "%s", listOr(x.Labels, "none"))
	for _, d := range x.DataSources {
		rows := "streamed"
		if d.Rows != nil {
			rows = strconv.Itoa(*d.Rows) + " rows"
		}
		if d.Loop {
			rows += ", loop"
		}
		line("data", "%s (%s)", d.Path, rows)
	}
}

// curve draws the load over time with eight levels, one character a point.
func curve(points [][2]float64, model string) string {
	top := 0.0
	for _, p := range points {
		top = max(top, p[1])
	}
	if top == 0 {
		return "none"
	}
	levels := []rune("▁▂▃▄▅▆▇█")
	var b strings.Builder
	for i, p := range points {
		if i > 0 && p[0] == points[i-1][0] {
			continue // a step: two points at one time
		}
		b.WriteRune(levels[min(len(levels)-1, int(p[1]/top*float64(len(levels)-1)+0.5))])
	}
	unit := "users"
	if model == "open" {
		unit = "iterations/s"
	}
	return fmt.Sprintf("%s  up to %s %s over %s", b.String(), number(top), unit, seconds(points[len(points)-1][0]))
}

func listOr(list []string, none string) string {
	if len(list) == 0 {
		return none
	}
	return strings.Join(list, ", ")
}

func seconds(s float64) string { return time.Duration(s * float64(time.Second)).String() }

func number(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
