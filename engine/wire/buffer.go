package wire

import "sync"

// Sizes of read buffers in bytes. One large read beats several small ones; beyond bufferMax a grown buffer
// is left to the garbage collector instead of being kept for ever.
const (
	bufferSize = 16 << 10
	bufferMax  = 1 << 20
)

// buffer is a read buffer with the positions of an answer in it:
//
//	[…, head, …]  start:headEnd  the kept head
//	[…, body, …]  bodyStart:kept the kept body, transfer coding removed
//	              pos:n          received and not yet parsed
type buffer struct {
	b []byte
}

// buffers is a pool of read buffers shared by all users of a target.
type buffers struct{ pool sync.Pool }

func (p *buffers) get() *buffer {
	if b, ok := p.pool.Get().(*buffer); ok {
		return b
	}
	return &buffer{b: make([]byte, bufferSize)}
}

func (p *buffers) put(b *buffer) {
	if len(b.b) <= bufferMax {
		p.pool.Put(b)
	}
}
