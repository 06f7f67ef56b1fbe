package engine

import "sync"

// buffers are those that users share for what may be large and is short-lived: bodies that are decoded, and long ones that are
// sent. Nobody who waits between requests holds one.
type buffers struct{ pool sync.Pool }

// bufferMax bounds what is pooled, in bytes; larger ones, beyond what bulk requests are advised to have, are made anew.
const bufferMax = 16 << 20

func (p *buffers) get() *[]byte {
	if b, ok := p.pool.Get().(*[]byte); ok {
		return b
	}
	return new([]byte)
}

func (p *buffers) put(b *[]byte) {
	if cap(*b) <= bufferMax {
		p.pool.Put(b)
	}
}
