package engine

import (
	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/engine/template"
)

// ifStep decides once: when then has changed what the condition reads, else still does not run.
type ifStep struct {
	condition   *template.Condition
	then, other []step
	fault       *stepFault
}

func (c *compiler) ifStep(in *config.If, sc *scope) step {
	return &ifStep{
		condition: c.condition(in.Condition), then: c.steps(in.Then, sc), other: c.steps(in.Else, sc),
		fault: c.stepFault("if", in.Condition),
	}
}

func (s *ifStep) run(u *user) flow {
	holds, err := s.condition.Eval(&u.ctx)
	switch {
	case err != nil:
		return s.fault.record(u, err)
	case holds:
		return u.runSteps(s.then)
	}
	return u.runSteps(s.other)
}
