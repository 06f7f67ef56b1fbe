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

// keys is what the keyboard does to a run: q stops it, p pauses and resumes it, + and - change its load, tab turns the pages of the live
// view. Ctrl-C stays a signal.
type keys struct {
	desk    *console.Desk
	remote  *remote
	stopped bool
}

// openKeys lets the keyboard act on the run that remote will reach, where there is a live view and somebody to press keys.
func (a *app) openKeys(remote *remote) {
	if !a.reporterOptions().TTY || !isatty.IsTerminal(a.stdin.Fd()) {
		return
	}
	k := &keys{desk: &console.Desk{}, remote: remote}
	if a.keyboard = openKeyboard(a.stdin, k.press); a.keyboard != nil {
		a.desk = k.desk
	}
}

// press handles what was read at once: a key, or the sequence that a key sends.
func (k *keys) press(input string) {
	switch input {
	case "\x1b[Z": // shift and tab
		k.desk.Turn(-1)
		return
	case "":
		return
	}
	if strings.HasPrefix(input, "\x1b") { // arrows and the like
		return
	}
	for _, key := range input {
		k.one(key)
	}
}

func (k *keys) one(key rune) {
	switch key {
	case '\t':
		k.desk.Turn(1)
	case 'q', 'Q':
		k.stop()
	case 'p', 'P', ' ':
		k.pause()
	case '+', '=':
		k.change(1)
	case '-', '_':
		k.change(-1)
	}
}

func (k *keys) stop() {
	if k.stopped {
		k.desk.Say("stopping at once")
	} else {
		k.desk.Say("stopping: running requests may finish; q again stops at once")
	}
	k.stopped = true
	k.remote.stop("stopped by the key q")
}

func (k *keys) pause() {
	command := engine.Command{Pause: true}
	for _, level := range k.desk.Levels() {
		if level.Paused {
			command = engine.Command{Resume: true}
		}
	}
	switch err := k.remote.control(command); {
	case err != nil:
		k.desk.Say(err.Error())
	case command.Pause:
		k.desk.Say("pausing")
	default:
		k.desk.Say("going on")
	}
}

// change moves the load of every execution by a tenth, users by one at least.
func (k *keys) change(direction float64) {
	var said []string
	for _, level := range k.desk.Levels() {
		command, text := changed(level, direction)
		if err := k.remote.control(command); err != nil {
			text = err.Error()
		}
		said = append(said, text)
	}
	if len(said) == 0 {
		said = []string{errNoLoad.Error()}
	}
	k.desk.Say(strings.Join(said, ", "))
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
