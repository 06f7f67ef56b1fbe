package engine

import (
	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/engine/template"
)

// forEachStep runs its steps for each element of a list: an extractor's matches, a list variable, or name_1, name_2 …
type forEachStep struct {
	item template.Slot
	list template.Family
	do   []step
}

func (c *compiler) forEachStep(in *config.ForEach, sc *scope) step {
	list := c.names.DeclarePrefix(in.List)
	c.names.Use(list)
	return &forEachStep{item: c.names.Declare(in.Item), list: list, do: c.steps(in.Do, sc)}
}

func (s *forEachStep) run(u *user) flow {
	for i := 1; ; i++ {
		value, ok := u.vars.Element(s.list, i)
		if !ok {
			return flowNext
		}
		u.vars.Set(s.item, value)
		if f := u.runSteps(s.do); f != flowNext {
			return f
		}
		if !u.gate.open() {
			return flowEnd
		}
	}
}
