package engine

import (
	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/engine/template"
)

// whileStep repeats its steps while the condition holds.
type whileStep struct {
	condition *template.Condition
	do        []step
	fault     *stepFault
}

func (c *compiler) whileStep(in *config.While, sc *scope) step {
	condition, list := c.templates.While(in.Condition.Value, in.Condition.Pos, in.Condition.Path)
	c.list.Add(list...)
	return &whileStep{condition: condition, do: c.steps(in.Do, sc), fault: c.stepFault("while", in.Condition)}
}

func (s *whileStep) run(u *user) flow {
	for first := true; ; first = false {
		if !first || !s.condition.SkipsFirst() {
			holds, err := s.condition.Eval(&u.ctx)
			if err != nil {
				return s.fault.record(u, err)
			}
			if !holds {
				return flowNext
			}
		}
		if f := u.runSteps(s.do); f != flowNext {
			return f
		}
		if !u.gate.open() {
			return flowEnd
		}
	}
}
