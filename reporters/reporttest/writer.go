package reporttest

import "errors"

// ErrFull is the error of [Full].
var ErrFull = errors.New("no space left on device")

// Full is a writer that takes Room bytes and fails from then on, as a full disk or a closed pipe does.
type Full struct{ Room int }

// Write implements io.Writer.
func (f *Full) Write(b []byte) (int, error) {
	if len(b) <= f.Room {
		f.Room -= len(b)
		return len(b), nil
	}
	n := f.Room
	f.Room = 0
	return n, ErrFull
}
