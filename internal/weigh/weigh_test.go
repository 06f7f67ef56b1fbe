package weigh

import (
	"runtime"
	"sync"
	"testing"
)

var sink []byte

func TestAllocations(t *testing.T) {
	if n := Allocations(t, 10, func() { sink = make([]byte, 100) }); n != 1 {
		t.Errorf("%v allocations for one", n)
	}
	if n := Allocations(t, 10, func() {}); n != 0 {
		t.Errorf("%v allocations for nothing", n)
	}
}

// What a pool holds stays there while it is counted, however much is thrown away in between.
func TestPoolsAreLeftAlone(t *testing.T) {
	pool := sync.Pool{New: func() any { return new([1 << 10]byte) }}
	if n := Allocations(t, 1000, func() {
		b := pool.Get().(*[1 << 10]byte)
		pool.Put(b)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if n := Bytes(t, 1000, func() {
		b := pool.Get().(*[1 << 10]byte)
		pool.Put(b)
	}); n > 100 {
		t.Errorf("%d bytes", n)
	}
}

func TestBytes(t *testing.T) {
	if n := Bytes(t, 10, func() { sink = make([]byte, 1<<12) }); n < 1<<12 || n > 1<<13 {
		t.Errorf("%d bytes for %d", n, 1<<12)
	}
}

func TestHeap(t *testing.T) {
	before, both := Heap(t), HeapAndStacks(t)
	kept := make([]byte, 1<<24)
	if grown := Heap(t) - before; grown < 1<<24-1<<20 || grown > 1<<24+1<<20 {
		t.Errorf("%d bytes more for %d", grown, len(kept))
	}
	if grown := HeapAndStacks(t) - both; grown < 1<<24-1<<20 {
		t.Errorf("%d bytes more for %d", grown, len(kept))
	}
	runtime.KeepAlive(kept)
}
