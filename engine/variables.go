package engine

import (
	"encoding/json"
	"strings"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/engine/template"
)

// assignment gives a variable a value: a text with templates, or a tree of plain values.
type assignment struct {
	slot  template.Slot
	text  *template.Template
	value template.Value // used when text is nil
}

// variables compiles those of a scenario and of the scenarios that it includes; outer values win.
func (c *compiler) variables(s *config.Scenario) {
	seen := map[string]bool{}
	var walk func(s *config.Scenario, chain []string)
	walk = func(s *config.Scenario, chain []string) {
		for _, name := range chain {
			if name == s.Name {
				return
			}
		}
		chain = append(chain, s.Name)
		var own []config.Variable
		for _, v := range s.Variables {
			if !seen[v.Name] {
				seen[v.Name] = true
				own = append(own, v)
			}
		}
		c.x.variables = append(c.x.variables, c.assignments(own)...)
		for _, inner := range included(s) {
			if scenario := c.file.Scenario(inner); scenario != nil {
				walk(scenario, chain)
			}
		}
	}
	walk(s, nil)
}

func (c *compiler) assignments(list []config.Variable) []assignment {
	out := make([]assignment, 0, len(list))
	for _, v := range list {
		a := assignment{slot: c.names.Declare(v.Name)}
		n := v.Value
		switch {
		case n == nil || n.Kind == config.Null:
			a.value = template.FromJSON("") // "" as a text, null in a JSON body
		case n.Kind == config.Scalar && n.Plain() == config.PlainText && strings.Contains(n.Text, "${"):
			a.text = c.text(config.Text{Value: n.Text, Pos: n.Pos, Path: v.Name})
		case n.Kind == config.Scalar && n.Plain() == config.PlainText:
			a.value = template.String(n.Text)
		default:
			a.value = template.Of(n.Any())
			if n.Kind == config.Scalar && json.Valid([]byte(n.Text)) {
				a.value = template.Spelled(a.value, n.Text) // 1.10 is 1.10 in a URL
			}
		}
		out = append(out, a)
	}
	return out
}

// assign evaluates in order, so that later values see earlier ones.
func assign(list []assignment, ctx *template.Context) error {
	for i := range list {
		a := &list[i]
		value := a.value
		if a.text != nil {
			var err error
			if value, err = a.text.Value(ctx); err != nil {
				return err
			}
		}
		ctx.Vars.Set(a.slot, value)
	}
	return nil
}

// included lists the names of scenarios that s includes, at any depth of its own steps.
func included(s *config.Scenario) []string {
	var names []string
	var walk func(list []config.Step)
	walk = func(list []config.Step) {
		for _, one := range list {
			switch one := one.(type) {
			case *config.Include:
				names = append(names, one.Scenario)
			case *config.If:
				walk(one.Then)
				walk(one.Else)
			case *config.Loop:
				walk(one.Do)
			case *config.While:
				walk(one.Do)
			case *config.ForEach:
				walk(one.Do)
			case *config.Once:
				walk(one.Do)
			case *config.Transaction:
				walk(one.Do)
			case *config.Parallel:
				walk(one.Branches)
			case *config.Retry:
				walk(one.Do)
			}
		}
	}
	walk(s.Setup)
	walk(s.Requests)
	for i := range s.Tasks {
		walk(s.Tasks[i].Requests)
	}
	walk(s.Teardown)
	return names
}
