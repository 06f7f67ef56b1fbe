package wire

import (
	"context"
	"sync"
	"sync/atomic"
	"syscall"
)

// Conn is one user's keep-alive connection to one target. Set Target and it is ready; it must not be copied
// after the first [Conn.Do]. All methods but [Conn.Abort] belong to the user's goroutine.
type Conn struct {
	Target *Target

	tcp  socket                // below nc
	nc   duplex                // nil: not connected
	raw  syscall.RawConn       // nil: there is no raw path here
	step func(fd uintptr) bool // c.ready as a value, made once

	req     *Request
	resp    *Response
	buf     *buffer // held only while it holds something
	upload  *upload
	answer  answer
	before  int64 // bytes sent by an earlier try of the exchange
	armed   int64 // the read deadline that is set, in clock time; 0: none
	lastEnd int64 // end of the exchange before, while nc lives
	errno   syscall.Errno
	state   state
	reused  bool // nc served an exchange before this one
	first   [1]byte

	aborted atomic.Bool
	mu      sync.Mutex
	open    socket             // guarded by mu: what Abort closes
	cancel  context.CancelFunc // guarded by mu: ends the connecting that is under way
}

// state is where an exchange stands on its connection.
type state uint8

const (
	sending   state = iota
	receiving       // all sent, or handed to an upload
	stale           // the reused connection is dead and nothing was received
	short           // the kernel did not take the whole request
	ended           // the answer is complete or broken
)

// Do makes one exchange: it connects if need be, sends the request and reads the answer. It returns when the answer
// is complete or a fault ended it, never later than the timeouts, and tells everything in resp.
func (c *Conn) Do(req *Request, resp *Response) {
	resp.reset(&c.Target.buffers, c.Target.clock())
	c.req, c.resp = req, resp
	for {
		if c.aborted.Load() {
			c.fail(FaultInterrupted, "stopped before the request was sent")
			break
		}
		c.answer.reset(req)
		c.reused = c.nc != nil
		if !c.reused && !c.connect() {
			break
		}
		c.before = resp.BytesOut
		if c.raw != nil && !c.Target.stream {
			c.exchangeRaw()
		} else {
			c.exchangeStream()
		}
		if c.state == stale {
			c.disconnect(true)
			continue // a fresh connection cannot be stale, so this ends
		}
		break
	}
	c.finish()
}

// finish settles the response: what is kept, the last time stamp, and whether the connection lives on.
func (c *Conn) finish() {
	resp, a := c.resp, &c.answer
	early, last := c.endUpload() != nil, c.req.Close
	c.upload = nil
	if c.nc != nil {
		c.countTry(resp.Fault == FaultClosedEarly || a.part == broken && a.fault == FaultClosedEarly)
	}
	switch {
	case resp.Fault != NoFault || a.part == complete:
	case a.part == broken:
		resp.Fault, resp.Detail = a.fault, a.detail
	default:
		resp.Fault, resp.Detail = FaultClosedEarly, "response did not end"
	}
	if resp.Fault != NoFault && c.aborted.Load() && resp.Fault != FaultInterrupted {
		resp.Fault, resp.Detail = FaultInterrupted, "stopped while the request was under way"
	}
	resp.Status, resp.BodyBytes, resp.Coding = a.status, a.body, a.coding
	t := &resp.Timing
	if t.End == 0 {
		t.End = max(c.Target.clock(), t.FirstByte)
	}
	if t.FirstByte == 0 {
		t.FirstByte = t.End
	}
	t.Sent = min(t.Sent, t.FirstByte)

	junk := a.pos < a.n // bytes behind the answer: nothing that follows could be trusted
	c.keep()
	c.drop()
	c.req, c.resp = nil, nil
	switch {
	case c.nc == nil:
		resp.Closed = true
	case resp.Fault != NoFault || early:
		resp.Closed = true
		c.disconnect(true)
	case a.close || junk || last:
		resp.Closed = true
		c.disconnect(false)
	default:
		c.lastEnd = t.End
	}
}

// keep hands the buffer over to the response when the request asked for a part of it.
func (c *Conn) keep() {
	a, resp := &c.answer, c.resp
	if c.buf == nil {
		return
	}
	if a.keepHead && a.headEnd > 0 {
		resp.Head = c.buf.b[a.start:a.headEnd:a.headEnd]
	}
	if a.keepBody && a.part == complete {
		resp.Body = c.buf.b[a.bodyStart:a.kept:a.kept]
	}
	if len(resp.Head) > 0 || len(resp.Body) > 0 {
		resp.buf, c.buf = c.buf, nil
	}
}

// fail notes the first fault of the exchange.
func (c *Conn) fail(f Fault, detail string) {
	if c.resp.Fault == NoFault {
		c.resp.Fault, c.resp.Detail = f, detail
	}
	c.state = ended
}

// Abort ends the running exchange, and any later one, with [FaultInterrupted]. It may be called from any goroutine.
func (c *Conn) Abort() {
	c.aborted.Store(true)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cancel != nil {
		c.cancel()
	}
	if c.open != nil {
		_ = c.open.Close() // wakes who waits on it
	}
}

// Close closes the connection. The next [Conn.Do] makes a new one.
func (c *Conn) Close() {
	if c.nc != nil {
		c.disconnect(false)
	}
}

// disconnect closes the connection, at once or with TLS' farewell.
func (c *Conn) disconnect(hard bool) {
	if hard {
		_ = c.tcp.Close()
	} else {
		_ = c.nc.Close()
	}
	c.mu.Lock()
	c.open = nil
	c.mu.Unlock()
	c.tcp, c.nc, c.raw = nil, nil, nil
}

// connect makes the connection, on a dialer's stack.
func (c *Conn) connect() bool {
	d := c.Target.dial(c)
	t := &c.resp.Timing
	t.DNS, t.Connected, t.TLS, t.Sent = d.resolved, d.connected, d.secured, d.secured
	c.resp.Queued = d.queued
	if d.fault != NoFault {
		c.fail(d.fault, d.detail)
		return false
	}
	c.mu.Lock()
	c.open, c.cancel = d.tcp, nil
	c.mu.Unlock()
	if c.aborted.Load() { // since before we said what to close
		_ = d.tcp.Close()
	}
	if c.step == nil {
		c.step = c.ready
	}
	c.tcp, c.nc, c.raw = d.tcp, d.nc, d.raw
	c.armed, c.lastEnd = 0, 0
	c.resp.NewConnection = true
	return true
}
