package engine

import (
	"time"

	"github.com/stacrun/stacrun/config"
)

// actionStep pauses, stops, or goes on to the next iteration. It makes no sample.
type actionStep struct {
	flow  flow // what happens, unless it is a pause
	pause *thinkTime
	fault *stepFault
}

func (c *compiler) actionStep(in *config.Action) step {
	s := &actionStep{fault: c.stepFault("action", in.Pause)}
	everyone := in.Target == "all-threads"
	switch in.Action {
	case "pause":
		s.pause = &thinkTime{}
		if !in.Pause.Set() || in.Pause.Value == "" {
			return s
		}
		t := c.text(in.Pause)
		text, constant := t.Constant()
		if !constant {
			s.pause.template = t
			return s
		}
		d, err := config.ParseDuration(text)
		if err != nil {
			c.list.Errorf("bad-duration", in.Pause.Pos, in.Pause.Path, "pause-duration %q: %s", text, err).WithHint("write 500ms, 2s or 1m")
		}
		s.pause.mean = d
	case "stop":
		if s.flow = flowStop; everyone {
			s.flow = flowStopAll
		}
	case "stop-now":
		if s.flow = flowStop; everyone {
			s.flow = flowAbort
		}
	case "continue":
		s.flow = flowContinue
	default:
		c.list.Errorf("bad-action", in.Pos, in.Path, "unknown action %q", in.Action).WithHint("use pause, stop, stop-now or continue")
	}
	return s
}

func (s *actionStep) run(u *user) flow {
	if s.pause == nil {
		return s.flow
	}
	if s.pause.none() {
		return flowNext
	}
	if _, ok := u.think(s.pause); !ok {
		return flowEnd
	}
	return flowNext
}

// think pauses and returns for how long, in ns; false: the plan ended meanwhile.
func (u *user) think(t *thinkTime) (int64, bool) {
	if u.run.engine.opts.Once {
		return 0, true
	}
	d := time.Duration(0)
	if t.template != nil {
		text, err := t.template.Text(&u.ctx)
		if err == nil {
			d, err = pauseText(text)
		}
		if err != nil {
			u.run.engine.warnOnce("think-time: " + err.Error())
		}
	} else {
		d = t.draw(u.stream.rand)
	}
	if d <= 0 {
		return 0, u.mayGoOn()
	}
	u.resp.Release()
	return int64(d), u.sleepUntil(u.now() + int64(d))
}
