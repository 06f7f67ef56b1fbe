package main

import (
	"math"
	"strconv"
	"strings"

	isatty "github.com/mattn/go-isatty"

	"github.com/stacrun/stacrun/engine"
	"github.com/stacrun/stacrun/reporters/console"
	"github.com/stacrun/stacrun/reporters/report"
)

// keys is what the keys of the live view do to a run.
type keys struct {
	remote  *remote
	ctrlC   chan struct{} // of the app
	stopped bool
}

var _ console.Hands = (*keys)(nil)

// openDesk shows the run that remote will reach in a live view, where somebody sits at a terminal: one that is read, written to and drawn on.
func (a *app) openDesk(remote *remote) {
	if !a.live() || !isatty.IsTerminal(a.stdin.Fd()) || !isatty.IsTerminal(a.stdout.Fd()) {
		return
	}
	a.ctrlC = make(chan struct{}, 4)
	a.desk = &console.Desk{In: a.stdin, Out: a.stderr, Hands: &keys{remote: remote, ctrlC: a.ctrlC}}
}

// Interrupt implements [console.Hands].
func (k *keys) Interrupt() string {
	select {
	case k.ctrlC <- struct{}{}:
	default: // it was pressed often enough
	}
	return "" // whoever sees to it says so
}

// Stop implements [console.Hands].
func (k *keys) Stop() string {
	k.remote.stop("stopped by the key q")
	if k.stopped {
		return "stopping at once"
	}
	k.stopped = true
	return "stopping: running requests may finish; q again stops at once"
}

// Pause implements [console.Hands].
func (k *keys) Pause(resume bool) string {
	if err := k.remote.control(engine.Command{Pause: !resume, Resume: resume}); err != nil {
		return err.Error()
	}
	if resume {
		return "going on"
	}
	return "pausing"
}

// Change implements [console.Hands]: it moves the load of every execution by a tenth, users by one at least.
func (k *keys) Change(levels []console.Level, direction float64) string {
	var said []string
	for _, level := range levels {
		command, text := changed(level, direction)
		if err := k.remote.control(command); err != nil {
			text = err.Error()
		}
		said = append(said, text)
	}
	if len(said) == 0 {
		return errNoLoad.Error()
	}
	return strings.Join(said, ", ")
}

// changed is the next level up or down.
func changed(level console.Level, direction float64) (engine.Command, string) {
	if level.Open {
		rate := max(0.1, level.Planned+direction*max(level.Planned/10, 0.1))
		rate = math.Round(rate*100) / 100
		return engine.Command{Execution: level.Execution, Rate: &rate}, strconv.FormatFloat(rate, 'f', -1, 64) + "/s"
	}
	users := int(max(1, math.Round(level.Planned)+direction*max(1, math.Round(level.Planned/10))))
	return engine.Command{Execution: level.Execution, Users: &users}, report.Plural(users, "user")
}
