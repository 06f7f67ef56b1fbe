package engine

import "github.com/stacrun/stacrun/config"

// setVariablesStep gives variables of the user new values, in the order they are written in.
type setVariablesStep struct {
	list  []assignment
	fault *stepFault
}

func (c *compiler) setVariablesStep(in *config.SetVariables) step {
	return &setVariablesStep{list: c.assignments(in.Variables), fault: c.stepFault("set-variables", config.Text{Path: in.Path})}
}

func (s *setVariablesStep) run(u *user) flow {
	if err := assign(s.list, &u.ctx); err != nil {
		return s.fault.record(u, err)
	}
	return flowNext
}
