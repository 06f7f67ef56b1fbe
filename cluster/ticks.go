package cluster

import (
	"fmt"
	"slices"
	"time"

	"github.com/stacrun/stacrun/metrics"
)

// tick takes the interval of an agent. The lock is held.
func (c *Controller) tick(m *member, r *received) {
	if c.run == nil {
		return
	}
	t := read[tick](r)
	if m.closed || !m.take(t.Sequence) {
		return
	}
	iv, _, err := c.run.codec.Decode(r.data)
	if err != nil {
		c.run.fail(fmt.Errorf("%s sent an interval that cannot be read: %w", m.label(), err))
		return
	}
	if iv.Second > c.run.second()+aheadOfTime {
		c.run.fail(fmt.Errorf("%s sent an interval of second %d in second %d of the run", m.label(), iv.Second, c.run.second()))
		return
	}
	c.punctual(m, t)
	m.last = max(m.last, iv.Second)
	row := m.row(iv.Second, 1/float64(len(c.members)))
	m.follow(iv)
	ofAgent(iv, row)
	c.run.merger.add(iv)
	for _, execution := range t.Over {
		m.over[execution] = true
	}
	if t.Reason != "" {
		c.run.stop(plain(t.Reason))
	}
	c.finished(m)
}

// punctual notes how well an agent keeps the run's time. It is told once, when it is known of all, and again of one that begins late. The
// lock is held.
func (c *Controller) punctual(m *member, t tick) {
	if late := time.Duration(t.Late); late > lateLimit && m.late <= int64(lateLimit) {
		c.run.warn(fmt.Sprintf("%s began %s late: the order reached it after its moment", m.label(), late.Round(time.Millisecond)))
	}
	m.timed, m.late, m.doubt = true, t.Late, t.Doubt
	if c.run.timed || slices.ContainsFunc(c.members, func(m *member) bool { return !m.timed && m.state == metrics.AgentRunning }) {
		return
	}
	c.run.timed = true
	late, doubt := time.Duration(0), time.Duration(0)
	for _, m := range c.members {
		late, doubt = max(late, time.Duration(m.late)), max(doubt, time.Duration(m.doubt))
	}
	orders := "all orders came in time"
	if late > 0 {
		orders = fmt.Sprintf("orders came up to %s late", late.Round(10*time.Microsecond))
	}
	text := fmt.Sprintf("agents began within %s of each other: clocks agree to ±%s, %s",
		max((late+2*doubt).Round(10*time.Microsecond), 10*time.Microsecond), max(doubt.Round(10*time.Microsecond), 10*time.Microsecond), orders)
	c.run.events = append(c.run.events, metrics.Event{At: max(0, c.run.clock.Now()), Kind: "agents", Text: text})
	c.say(text)
}

// done takes the last word of an agent. The lock is held.
func (c *Controller) done(m *member, d done) {
	if c.run == nil {
		return
	}
	if m.closed { // too late: its counts were settled without it
		c.send(m, kindThanks, nil, nil)
		return
	}
	if m.done == nil {
		d.Error, d.Left, d.Reason = plain(d.Error), plain(d.Left), plain(d.Reason)
		m.done = &d
		switch {
		case d.Error != "":
			c.run.fail(fmt.Errorf("%s: %s", m.label(), d.Error))
		case d.Left != "" && !c.run.stopping:
			m.why, m.since = d.Left, c.run.second()
			c.run.warn(fmt.Sprintf("%s has left (%s); %s of the load is missing from now on", m.label(), d.Left, c.share()))
		case d.Reason != "":
			c.run.stop(d.Reason)
		}
	}
	c.finished(m)
}

// finished lets an agent go once all that it had to tell has come. The lock is held.
func (c *Controller) finished(m *member) {
	if !m.complete() {
		return
	}
	m.state = metrics.AgentEnded
	if m.why != "" {
		m.state = metrics.AgentLeft
	}
	c.send(m, kindThanks, nil, nil)
}
