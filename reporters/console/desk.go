package console

import (
	"os"
	"sync"

	"github.com/stacrun/stacrun/reporters/report"
)

// Hands do to a run what keys ask for, and return what is to be said about it; "" is nothing. They are called one at a
// time and must not block: until they return nothing is drawn.
type Hands interface {
	Interrupt() string                               // Ctrl-C
	Stop() string                                    // q
	Pause(resume bool) string                        // p
	Change(levels []Level, direction float64) string // + and -: 1 and -1
}

// Level is the load of an execution as it was planned for the last second.
type Level struct {
	Execution string
	Open      bool
	Planned   float64 // users, or iterations per second
}

// Desk is a terminal with somebody in front of it: where the live view is drawn, and where its keys are read. It is safe
// for several goroutines, and may be used before a run begins and after it has ended, when nothing is to be seen.
type Desk struct {
	In, Out *os.File
	Hands   Hands

	mu   sync.Mutex // guards what follows
	live *live      // nil: no live view is shown
	note string
}

// Note names something that the view shows all the time, such as where the page of the run is.
func (d *Desk) Note(text string) {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.note = text
}

// Say shows a message beside the keys, until the next one; false where nothing is shown.
func (d *Desk) Say(text string) bool {
	if d == nil {
		return false
	}
	d.mu.Lock()
	l := d.live
	d.mu.Unlock()
	if l == nil || l.over() {
		return false
	}
	l.post(func(n *news) { n.said = text })
	return true
}

// Close takes the view away and puts the terminal back as it was; again it does nothing. It must not be called by [Hands].
func (d *Desk) Close() error {
	if d == nil {
		return nil
	}
	d.mu.Lock()
	l := d.live
	d.live = nil
	d.mu.Unlock()
	if l == nil {
		return nil
	}
	return l.close()
}

// open shows the view; nil where it cannot be shown, as in the background of a shell.
func (d *Desk) open(run report.Run, paint report.Palette) *live {
	if d == nil || !foreground(d.In) {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.live = startLive(d.In, d.Out, &model{run: run, paint: paint, hands: d.Hands, note: d.note})
	return d.live
}
