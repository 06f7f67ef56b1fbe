package wire

// countTry adds a try to the exchanges if the server can have seen it. It is called once for each try that had a
// connection, when nothing more will be sent, and before the connection is closed here. closed says that the try ended
// by the peer's orderly farewell.
func (c *Conn) countTry(closed bool) {
	sent := c.resp.BytesOut - c.before
	if sent > 0 && (!closed || c.resp.BytesIn > 0 || c.arrived(sent)) {
		c.resp.Exchanges++
	}
}

// arrived reports whether anything of a request, of which so many bytes were written before the peer closed without an
// answer, came to the server: then it would have been acknowledged no later than with the farewell. Of a reset that
// cannot be said, since it ends the connection without looking at what it acknowledges.
func (c *Conn) arrived(sent int64) bool {
	if left, ok := c.outstanding(); ok {
		return left < sent
	}
	return !c.reused
}
