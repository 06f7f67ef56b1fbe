package wire

import "sync"

// Sizes of read buffers in bytes. One large read beats several small ones; a buffer that grew beyond bufferMax
// for a kept body is left to the garbage collector instead of being pooled for ever.
const (
	bufferSize = 16 << 10
	bulkSize   = 64 << 10 // for long bodies that nobody keeps
	bufferMax  = 1 << 20
)

// buffer is what an answer is read into. It belongs to the exchange that took it until it is put back.
type buffer struct{ b []byte }

// buffers are the pools of read buffers that all users of a target share.
type buffers struct{ usual, bulk sync.Pool }

func (p *buffers) get() *buffer {
	if b, ok := p.usual.Get().(*buffer); ok {
		return b
	}
	return &buffer{b: make([]byte, bufferSize)}
}

func (p *buffers) getBulk() *buffer {
	if b, ok := p.bulk.Get().(*buffer); ok {
		return b
	}
	return &buffer{b: make([]byte, bulkSize)}
}

func (p *buffers) put(b *buffer) {
	switch {
	case len(b.b) == bulkSize:
		p.bulk.Put(b)
	case len(b.b) <= bufferMax:
		p.usual.Put(b)
	}
}

// room gives the free part of the read buffer, taking, tidying or growing one as needed. It is never empty.
// What limits its growth are the limits of head and kept body.
func (c *Conn) room() []byte {
	a := &c.answer
	bulk := !a.keepBody && a.kept == 0 && a.left >= bulkSize
	if bulk && c.buf != nil && a.pos == a.n && len(c.buf.b) < bulkSize {
		c.drop()
	}
	if c.buf == nil {
		if bulk {
			c.buf = c.Target.buffers.getBulk()
		} else {
			c.buf = c.Target.buffers.get()
		}
		a.pos, a.n = 0, 0
	}
	if a.pos == a.n {
		a.pos, a.n = a.kept, a.kept
	}
	if a.n == len(c.buf.b) {
		if a.kept < a.pos {
			a.n = a.kept + copy(c.buf.b[a.kept:], c.buf.b[a.pos:a.n])
			a.pos = a.kept
		} else {
			grown := make([]byte, 2*len(c.buf.b))
			copy(grown, c.buf.b)
			c.buf.b = grown
		}
	}
	return c.buf.b[a.n:]
}

// park gives the read buffer back before a wait, unless it holds something.
func (c *Conn) park() {
	a := &c.answer
	if c.buf == nil || a.pos < a.n {
		return
	}
	if a.kept > 0 {
		if a.headEnd > 0 || a.part <= inHead || a.kept > a.bodyStart {
			return
		}
		a.kept, a.bodyStart = 0, 0 // a body is to be kept, but none of it has come
	}
	a.pos, a.n = 0, 0
	c.drop()
}

// drop gives the read buffer back.
func (c *Conn) drop() {
	if c.buf != nil {
		c.Target.buffers.put(c.buf)
		c.buf = nil
	}
}
