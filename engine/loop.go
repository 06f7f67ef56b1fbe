package engine

import (
	"math"
	"strconv"
	"strings"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/engine/template"
)

// loopStep repeats its steps a number of times, or for ever.
type loopStep struct {
	count int64              // when it is known before the run
	text  *template.Template // else
	do    []step
	fault *stepFault
}

func (c *compiler) loopStep(in *config.Loop, sc *scope) step {
	s := &loopStep{do: c.steps(in.Do, sc), fault: c.stepFault("loop", in.Count)}
	t := c.text(in.Count)
	text, constant := t.Constant()
	if !constant {
		s.text = t
		return s
	}
	n, err := loopCount(text)
	if err != nil {
		c.list.Errorf("bad-count", in.Count.Pos, in.Count.Path, "loop %q is not a number of times", text).
			WithHint("write a whole number, forever, or a variable such as ${n}")
	}
	s.count = n
	return s
}

func loopCount(text string) (int64, error) {
	text = strings.TrimSpace(text)
	if strings.EqualFold(text, "forever") {
		return math.MaxInt64, nil
	}
	return strconv.ParseInt(text, 10, 64)
}

func (s *loopStep) run(u *user) flow {
	count := s.count
	if s.text != nil {
		text, err := s.text.Text(&u.ctx)
		if err == nil {
			count, err = loopCount(text)
		}
		if err != nil {
			return s.fault.record(u, err)
		}
	}
	for range count {
		if f := u.runSteps(s.do); f != flowNext {
			return f
		}
		if !u.gate.open() {
			return flowEnd
		}
	}
	return flowNext
}
