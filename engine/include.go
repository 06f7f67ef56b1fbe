package engine

import (
	"slices"
	"strings"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/diag"
)

// includeStep stands for the requests of another scenario, compiled with that scenario's own settings.
type includeStep struct{ do []step }

func (c *compiler) includeStep(in *config.Include, sc *scope) step {
	inner := c.file.Scenario(in.Scenario)
	switch {
	case inner == nil:
		names := make([]string, len(c.file.Scenarios))
		for i, s := range c.file.Scenarios {
			names[i] = s.Name
		}
		c.list.Errorf("unknown-scenario", in.Pos, in.Path, "scenario %q is not defined", in.Scenario).
			WithHint("%s", diag.DidYouMean(in.Scenario, names))
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
