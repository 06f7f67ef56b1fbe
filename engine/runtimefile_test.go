package engine

import (
	"fmt"
	"testing"
)

// However many files a run names, what is kept of them is bounded, and what is kept stays right.
func TestFilesKeptAreBounded(t *testing.T) {
	var c fileCache
	const size = 1 << 20
	content := make([]byte, size) // one for all: only the count is looked at
	name := func(i int) string { return fmt.Sprintf("file-%04d", i) }
	for range 2 { // a file that is read twice at once counts once
		for i := range 2 * filesKept / size {
			c.keep(name(i), content)
		}
	}
	kept := 0
	for i := range 2 * filesKept / size {
		if got, ok := c.get(name(i)); ok {
			kept++
			if len(got) != size {
				t.Fatalf("%s has %d bytes", name(i), len(got))
			}
		}
	}
	if kept != filesKept/size-1 || c.bytes.Load() > filesKept || c.bytes.Load() < filesKept-size {
		t.Errorf("%d files of %d bytes are kept, counted as %d bytes", kept, size, c.bytes.Load())
	}
}
