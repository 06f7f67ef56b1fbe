package engine

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/engine/template"
)

// forEachStep runs its steps for each element of a list: an extractor's matches, a list variable, or name_1, name_2 …
type forEachStep struct {
	item template.Slot
	list template.Family
	do   []step
}

func (c *compiler) forEachStep(in *config.ForEach, sc *scope) step {
	c.checkList(in)
	list := c.names.DeclarePrefix(in.List)
	c.names.Use(list)
	return &forEachStep{item: c.names.Declare(in.Item), list: list, do: c.steps(in.Do, sc)}
}

// checkList reports a list that nothing makes: the loop would end at once, and nobody would know.
func (c *compiler) checkList(in *config.ForEach) {
	if c.lists[in.List] {
		return
	}
	declared := c.names.All()
	for _, name := range declared {
		number, ok := strings.CutPrefix(name, in.List+"_")
		if _, err := strconv.ParseUint(number, 10, 32); ok && err == nil {
			return
		}
	}
	hint := diag.DidYouMean(in.List, slices.Sorted(maps.Keys(c.lists)))
	if hint == "" {
		hint = "name an extractor that has match-no: -1, or write variables: {LIST: [a, b]} and foreach: " + in.Item + " in LIST"
	}
	if slices.Contains(declared, in.List) {
		c.list.Errorf("no-list", in.Pos, in.Path, "%q holds one value, and there is no %s_1 either: foreach would do nothing", in.List, in.List).WithHint("%s", hint)
		return
	}
	c.list.Errorf("no-list", in.Pos, in.Path, "nothing makes a list %q: foreach would do nothing", in.List).WithHint("%s", hint)
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
