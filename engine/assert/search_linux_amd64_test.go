package assert

import (
	"bytes"
	"testing"

	"golang.org/x/sys/unix"
)

// Nothing is read before or behind a body: each lies at the very edge of memory that may be read.
func TestNeedleStaysWithinItsBody(t *testing.T) {
	size := unix.Getpagesize()
	memory, err := unix.Mmap(-1, 0, 3*size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Skip("no memory of our own: ", err)
	}
	t.Cleanup(func() { _ = unix.Munmap(memory) })
	for _, edge := range []int{0, 2 * size} {
		if err := unix.Mprotect(memory[edge:edge+size], unix.PROT_NONE); err != nil {
			t.Skip("no pages that may not be read: ", err)
		}
	}
	page := memory[size : 2*size]
	for i := range page {
		page[i] = "ab"[i/3%2]
	}
	for _, text := range []string{"Q", "aQ", "Qa", "Q" + "aab" + "Z", "ZabaQ", "aaaa", "aaaQaaaaaaaaaaaaZ"} {
		n := newNeedle([]byte(text))
		for length := range 4 * blockSize {
			for _, body := range [][]byte{page[:length], page[size-length:]} {
				if got, want := n.in(body), bytes.Contains(body, n.text); got != want {
					t.Fatalf("%q in %q: %v", text, body, got)
				}
			}
		}
	}
}
