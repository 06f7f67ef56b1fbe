package wire

import "time"

// A deadline is expensive to move and cheap to leave. So the connection's read deadline is left where an earlier
// exchange put it, as long as it is not later than what this exchange needs. When it fires too early, the
// wait goes on with a new one: with a timeout of 30 s that happens once in 30 s, not once per request.

// readLimit gives when waiting must end, in clock time, and which limit it is; 0: never.
func (c *Conn) readLimit() (at int64, first bool) {
	if t := c.req.TotalTimeout; t > 0 {
		at = c.resp.Timing.Start + int64(t)
	}
	if t := c.req.FirstByteTimeout; t > 0 && c.resp.Timing.FirstByte == 0 {
		// From the connection being there: of a reused one, from the start.
		if f := c.resp.Timing.TLS + int64(t); at == 0 || f < at {
			return f, true
		}
	}
	return at, false
}

// arm makes sure that the next wait for reading ends at the limit or before.
func (c *Conn) arm(now int64) {
	limit, _ := c.readLimit()
	const soon = int64(time.Millisecond) // would most likely fire in vain
	switch {
	case limit == 0 && c.armed == 0:
		return
	case limit == 0:
		_ = c.tcp.SetReadDeadline(time.Time{})
	case c.armed > now+soon && c.armed <= limit:
		return
	default:
		_ = c.tcp.SetReadDeadline(c.wall(limit))
	}
	c.armed = limit
}

// wall translates clock time to a time for the runtime's deadlines.
func (c *Conn) wall(at int64) time.Time {
	return time.Now().Add(time.Duration(at - c.Target.clock()))
}

// over ends the exchange when its time is up.
func (c *Conn) over() bool {
	limit, _ := c.readLimit()
	return limit != 0 && c.Target.clock() >= limit && c.expired()
}

// expired is called when a wait ended by its deadline: it ends the exchange if that was due, or arms the rest.
func (c *Conn) expired() bool {
	now := c.Target.clock()
	limit, first := c.readLimit()
	if limit == 0 || now < limit {
		c.armed = 0
		if limit == 0 {
			_ = c.tcp.SetReadDeadline(time.Time{})
			return false
		}
		c.arm(now)
		return false
	}
	switch {
	case first:
		c.fail(FaultTimeout, "no first byte within "+c.req.FirstByteTimeout.String())
	case c.resp.Timing.FirstByte == 0:
		c.fail(FaultTimeout, "no response within "+c.req.TotalTimeout.String())
	default:
		c.fail(FaultTimeout, "response not complete within "+c.req.TotalTimeout.String())
	}
	return true
}
