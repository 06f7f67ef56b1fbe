package engine

import (
	"slices"
	"strings"

	"github.com/stacrun/stacrun/config"
)

// includeStep stands for the requests of another scenario, compiled with that scenario's own settings.
type includeStep struct{ do []step }

func (c *compiler) includeStep(in *config.Include, sc *scope) step {
	inner := c.scenario(in.Scenario, in.Pos, in.Path)
	switch {
	case inner == nil:
		return nil
	case slices.Contains(sc.chain, in.Scenario):
		c.list.Errorf("recursion", in.Pos, in.Path, "scenario %q includes itself: %s", in.Scenario, strings.Join(append(slices.Clone(sc.chain), in.Scenario), " → ")).
			WithHint("use loop or while to repeat requests")
		return nil
	}
	inside := c.include(sc, inner)
	s := &includeStep{}
	if len(inner.Tasks) > 0 {
		c.list.Errorf("not-supported", in.Pos, in.Path, "scenario %q has weighted tasks, which are drawn once per iteration and cannot stand in the middle of another script", in.Scenario).
			WithHint("name it as the scenario of an execution")
	}
	s.do = c.steps(inner.Requests, inside)
	return s
}

func (s *includeStep) run(u *user) flow { return u.runSteps(s.do) }
