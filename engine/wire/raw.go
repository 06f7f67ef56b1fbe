package wire

import (
	"errors"
	"os"
	"syscall"
)

// quiet is how long a reused connection may have been idle before it is looked at for a close or stray bytes
// before the next request: a system call that back-to-back requests do not pay.
const quiet = 2e6 // ns

// exchangeRaw makes the exchange inside read calls of the runtime's poller. The poller forgets earlier readiness
// when a call begins and remembers what comes after; so the request is written by the call's first
// invocation of [Conn.ready], which then answers "not ready", and the user is parked until the answer comes.
func (c *Conn) exchangeRaw() {
	c.state, c.errno = sending, 0
	c.arm(c.resp.Timing.TLS)
	for {
		err := c.raw.Read(c.step)
		switch {
		case err == nil && c.state == short:
			c.startUpload()
			c.state = receiving
		case err == nil:
			c.settle()
			return
		case errors.Is(err, os.ErrDeadlineExceeded):
			if c.expired() {
				return
			}
		default: // closed by Abort
			c.failRead(err)
			return
		}
	}
}

// ready is called with the descriptor when the exchange begins and whenever there may be something to read.
// True ends the read call.
func (c *Conn) ready(fd uintptr) bool {
	if c.state == sending {
		c.send(fd)
		if c.state != receiving {
			return true
		}
		// The answer cannot be there yet. But what a fresh connection brought before this read call began (a banner,
		// a refusal, its end) would not be reported again.
		if c.reused && c.errno == 0 {
			return false
		}
	}
	for reads := 1; ; reads++ {
		n, errno := receive(fd, c.room())
		switch {
		case errno == syscall.EAGAIN:
			if c.errno != 0 { // nor will anything come: sending failed
				return true
			}
			c.park()
			return false
		case errno == syscall.EINTR:
			continue
		case errno != 0:
			c.errno = errno
			return true
		case n == 0:
			c.state = ended
			return true
		}
		// A short read is no sign that the socket is empty: an end that came with the data would not be reported again.
		if c.received(n) {
			return true
		}
		// A server that sends faster than we read would keep us from ever waiting, and so from the deadline.
		if reads%32 == 0 && c.over() {
			return true
		}
	}
}

// received takes n bytes that were read into [Conn.room]; true when the answer has ended.
func (c *Conn) received(n int) bool {
	t, a := &c.resp.Timing, &c.answer
	first := t.FirstByte == 0
	if first {
		t.FirstByte = c.Target.clock()
	}
	a.n += n
	c.resp.BytesIn += int64(n)
	if !a.advance(c.buf.b) {
		return false
	}
	if a.part == complete {
		c.resp.BytesIn -= int64(a.n - a.pos) // what stands behind the answer is not of it
	}
	if t.End = t.FirstByte; !first {
		t.End = c.Target.clock()
	}
	c.state = ended
	return true
}

// send writes the request. The connection may turn out to be stale, or the kernel take only a part. After another
// error reading goes on, since the answer may have come before the peer closed.
func (c *Conn) send(fd uintptr) {
	if c.reused && (!c.req.Idempotent || c.resp.Timing.Start-c.lastEnd > quiet) {
		var one [1]byte
		if _, errno := peek(fd, one[:]); errno != syscall.EAGAIN && errno != syscall.EINTR {
			c.state = stale
			return
		}
	}
	n, errno := sendTwo(fd, c.req.Head, c.req.Body)
	switch {
	case errno == syscall.EAGAIN || errno == syscall.EINTR:
		n = 0
	case errno != 0:
		if c.reused {
			c.state = stale // the kernel refused all of it, so nothing was sent
			return
		}
		c.errno = errno
		c.state = receiving
		return
	}
	c.resp.BytesOut += int64(n)
	if n < len(c.req.Head)+len(c.req.Body) {
		c.state = short
		return
	}
	c.resp.Timing.Sent = c.Target.clock()
	c.state = receiving
}

// settle finds out how the exchange ended once no more is to be read.
func (c *Conn) settle() {
	switch {
	case c.state == stale || c.answer.part >= complete || c.resp.Fault != NoFault:
	case c.again(c.state == ended && c.errno == 0):
	case c.state == ended:
		c.atEnd()
	default:
		c.failRead(c.errno)
	}
}

// atEnd settles the answer when the peer has closed. The system reports a reset only once, and it may have been the sending
// that heard of it.
func (c *Conn) atEnd() {
	if c.answer.part < complete && c.answer.part != inUntilClose {
		if c.errno != 0 {
			c.failRead(c.errno)
			return
		}
		if err := c.endUpload(); errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) {
			c.failRead(err)
			return
		}
	}
	c.answer.atEnd()
}

// again reports that the request may be sent once more: a reused connection ended before any byte of the answer
// had come, and the method allows it. closed says that it did not end by an error.
func (c *Conn) again(closed bool) bool {
	if !c.reused || c.resp.BytesIn > 0 || !c.req.Idempotent || c.aborted.Load() {
		return false
	}
	_ = c.endUpload()
	c.upload = nil
	c.countTry(closed)
	c.resp.Retried++
	c.state = stale
	return true
}
