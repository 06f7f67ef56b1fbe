package console

import (
	"strings"
	"sync"

	"github.com/stacrun/stacrun/metrics"
)

// Desk is where the keyboard meets the live view. It may be used before a run begins and after it has ended, when there is nothing to see;
// it is safe for several goroutines.
type Desk struct {
	mu      sync.Mutex // guards console
	console *Console   // nil: no live view is shown
}

// seat names the view that is shown.
func (d *Desk) seat(c *Console) {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.console = c
}

// with gives the view to f; false when there is none.
func (d *Desk) with(f func(*Console)) bool {
	if d == nil {
		return false
	}
	d.mu.Lock()
	c := d.console
	d.mu.Unlock()
	if c == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.view == nil || len(c.pages) == 0 {
		return false
	}
	f(c)
	return true
}

// Turn shows another page: by pages further, or back when that is negative.
func (d *Desk) Turn(by int) {
	d.with(func(c *Console) {
		n := len(c.pages)
		c.page = ((c.page+by)%n + n) % n
		_ = c.redraw() // the next second tells of a terminal that is gone
	})
}

// Say shows a message beside the keys, until the next one; false where nothing is shown.
func (d *Desk) Say(text string) bool {
	return d.with(func(c *Console) {
		c.message = text
		_ = c.redraw()
	})
}

// Level is the load of an execution as it was planned for the last second.
type Level struct {
	Execution string
	Open      bool
	Planned   float64 // users, or iterations per second
	Paused    bool
}

// Levels are the loads of the last second.
func (d *Desk) Levels() (list []Level) {
	d.with(func(c *Console) {
		for i := range c.load {
			l := &c.load[i]
			list = append(list, Level{l.Execution, l.Open, l.Planned, c.paused[l.Execution]})
		}
	})
	return list
}

// note keeps what keys need to know of a second. Pauses are read from the events, whoever made them.
func (c *Console) note(iv *metrics.Interval) {
	if len(iv.Load) > 0 {
		c.load = iv.Load
	}
	for _, e := range iv.Events {
		if e.Kind != "load" {
			continue
		}
		if name, ok := strings.CutSuffix(e.Text, ": paused"); ok {
			c.paused[name] = true
		}
		if name, ok := strings.CutSuffix(e.Text, ": resumed"); ok {
			delete(c.paused, name)
		}
	}
}

// keyLine says which keys there are, and what the last one did.
func (c *Console) keyLine(columns int) string {
	pause := "p pause"
	if len(c.paused) > 0 {
		pause = "p resume"
	}
	line := c.paint.Dim("q stop  " + pause + "  +/- load  tab " + pageNames()[(c.page+1)%len(pageNames())])
	if columns < 60 {
		line = c.paint.Dim("q stop  p  +/-  tab")
	}
	if len(c.paused) > 0 {
		line = c.paint.Warn("paused") + "  " + line
	}
	if c.message != "" {
		line += "  " + c.message
	}
	return line
}
