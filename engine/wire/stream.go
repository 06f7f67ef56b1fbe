package wire

import (
	"errors"
	"io"
	"os"
	"syscall"
	"time"
)

// inline is the size in bytes up to which a request is written before reading begins. Larger ones are written
// beside it, so that an early answer is seen.
const inline = 64 << 10

// exchangeStream makes the exchange over an ordinary connection: TLS, and where there is no raw path.
func (c *Conn) exchangeStream() {
	c.state, c.errno = sending, 0
	if c.reused && c.looksClosed() {
		c.state = stale
		return
	}
	c.arm(c.resp.Timing.TLS)
	if len(c.req.Head)+len(c.req.Body) > inline {
		c.startUpload()
		c.state = receiving
	} else if !c.write() {
		return
	}
	for {
		n, err := c.read()
		if n > 0 && c.received(n) {
			return
		}
		switch {
		case err == nil:
		case errors.Is(err, os.ErrDeadlineExceeded):
			if c.expired() {
				return
			}
		default:
			if c.again(errors.Is(err, io.EOF)) {
				return
			}
			if errors.Is(err, io.EOF) {
				c.atEnd()
			} else {
				c.failRead(err)
			}
			return
		}
	}
}

// read reads into [Conn.room]. A user who waits for a TLS answer reads its first byte into one of its own, and takes a
// buffer when there is something to read: the rest of the record has then been decrypted already.
func (c *Conn) read() (int, error) {
	if c.Target.tls == nil || c.resp.Timing.FirstByte != 0 {
		return c.nc.Read(c.room())
	}
	n, err := c.nc.Read(c.first[:])
	if n > 0 {
		c.room()[0] = c.first[0]
	}
	return n, err
}

// write sends a small request whole. False ends the try.
func (c *Conn) write() bool {
	// TLS cannot go on after a write that timed out, so this deadline is set each time.
	deadline := time.Time{}
	if limit, _ := c.readLimit(); limit > 0 {
		deadline = c.wall(limit)
	}
	_ = c.tcp.SetWriteDeadline(deadline)
	n, err := c.writeParts()
	c.resp.BytesOut += int64(n)
	c.resp.Timing.Sent = c.Target.clock()
	if err == nil {
		c.state = receiving
		return true
	}
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		c.fail(FaultTimeout, "request could not be sent in time")
	case c.again(false):
	default:
		// The answer may have come before the peer closed.
		_ = errors.As(err, &c.errno)
		c.state = receiving
		return true
	}
	return false
}

// writeParts writes head and body, as one if they fit into a read buffer.
func (c *Conn) writeParts() (int, error) {
	head, body := c.req.Head, c.req.Body
	if len(body) == 0 {
		return c.nc.Write(head)
	}
	if len(head)+len(body) <= bufferSize {
		b := c.Target.buffers.get()
		defer c.Target.buffers.put(b)
		n := copy(b.b, head)
		n += copy(b.b[n:], body)
		return c.nc.Write(b.b[:n])
	}
	n, err := c.nc.Write(head)
	if err != nil {
		return n, err
	}
	m, err := c.nc.Write(body)
	return n + m, err
}

// looksClosed reports whether a reused connection that was idle, or whose request must not be sent twice, has been
// closed by the peer meanwhile.
func (c *Conn) looksClosed() (closed bool) {
	if c.raw == nil || c.req.Idempotent && c.resp.Timing.Start-c.lastEnd <= quiet {
		return false
	}
	err := c.raw.Control(func(fd uintptr) {
		var record [5]byte
		n, errno := peek(fd, record[:])
		switch {
		case errno == syscall.EAGAIN || errno == syscall.EINTR:
		case errno != 0 || n == 0 || c.Target.tls == nil:
			closed = true
		default:
			// Session tickets may come at any time. An alert says farewell: by its type, or, encrypted as
			// TLS 1.3 has it, by its length: two bytes, the true type and a tag of sixteen.
			alert := record[0] == 21
			encrypted := record[0] == 23 && record[3] == 0 && record[4] == 2+1+16
			closed = n == len(record) && (alert || encrypted)
		}
	})
	return closed || err != nil
}
