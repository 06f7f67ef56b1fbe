package config

import (
	"slices"
	"strings"
)

// includes checks that included scenarios exist, have requests and do not include each other in a circle.
func (d *decoder) includes() {
	edges := map[string][]*Include{}
	for _, s := range d.file.Scenarios {
		lists := [][]Step{s.Requests, s.Setup, s.Teardown}
		for _, t := range s.Tasks {
			lists = append(lists, t.Requests)
		}
		for _, list := range lists {
			edges[s.Name] = append(edges[s.Name], includesIn(list)...)
		}
	}
	reported := map[string]bool{}
	for _, s := range d.file.Scenarios {
		for _, include := range edges[s.Name] {
			d.includeExists(include)
		}
		d.includeCircle(s.Name, nil, edges, reported)
	}
	for i := range d.file.Executions {
		for _, include := range includesIn(append(slices.Clone(d.file.Executions[i].Prepare), d.file.Executions[i].Finish...)) {
			d.includeExists(include)
		}
	}
}

func (d *decoder) includeExists(include *Include) {
	name := at{d.includeNode(include), include.Path + ".include-scenario"}
	s := d.file.Scenario(include.Scenario)
	if s == nil {
		d.unknownScenario(name)
		return
	}
	d.runnable(s, name)
}

// includeNode finds the scalar that names the included scenario.
func (d *decoder) includeNode(include *Include) *Node {
	return &Node{Kind: Scalar, Text: include.Scenario, Pos: include.NamePos}
}

// includeCircle follows includes from one scenario and reports the step that closes a circle.
func (d *decoder) includeCircle(name string, trail []string, edges map[string][]*Include, reported map[string]bool) {
	trail = append(trail, name)
	for _, include := range edges[name] {
		if at := slices.Index(trail, include.Scenario); at >= 0 {
			if circle := trail[at:]; !slices.ContainsFunc(circle, func(s string) bool { return reported[s] }) {
				for _, s := range circle {
					reported[s] = true
				}
				d.diags.Errorf("include-circle", include.NamePos, include.Path+".include-scenario", "scenario %q includes itself in the end: %s",
					include.Scenario, strings.Join(append(slices.Clone(trail[at:]), include.Scenario), " → ")).
					WithHint("move the shared requests to a scenario of their own")
			}
			continue
		}
		if len(trail) < 100 {
			d.includeCircle(include.Scenario, trail, edges, reported)
		}
	}
}

// includesIn lists the include steps in a list of steps, at any depth.
func includesIn(list []Step) []*Include {
	var out []*Include
	eachStep(list, func(step Step) {
		if include, ok := step.(*Include); ok {
			out = append(out, include)
		}
	})
	return out
}
