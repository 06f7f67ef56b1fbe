package engine

import "github.com/stacrun/stacrun/config"

// onceStep runs in the first iteration of each user only.
type onceStep struct{ do []step }

func (c *compiler) onceStep(in *config.Once, sc *scope) step {
	return &onceStep{do: c.steps(in.Do, sc)}
}

func (s *onceStep) run(u *user) flow {
	if !u.once {
		return flowNext
	}
	return u.runSteps(s.do)
}
