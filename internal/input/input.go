// Package input reads files that are named from outside, within bounds: a device or a pipe that never ends is a mistake that is told,
// and not the end of the machine's memory. It imports no room.
package input

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Most that is read of a file, in bytes.
const (
	MaxDocument = 16 << 20 // of scenario files
	MaxContent  = 1 << 30  // of what is sent or evaluated: bodies, uploads, certificates
	MaxPipe     = 16 << 20 // of anything that does not tell its size beforehand
)

// What cannot be read: a device, such as /dev/zero or a terminal, and a folder.
var (
	ErrDevice = errors.New("it is a device, not a file")
	ErrFolder = errors.New("it is a folder")
)

// TooLargeError tells of a file, pipe or stream with more than Limit bytes.
type TooLargeError struct {
	Limit int64
	Pipe  bool // it may have no end
}

func (e *TooLargeError) Error() string {
	if e.Pipe {
		return fmt.Sprintf("it sends more than %s, and may have no end", size(e.Limit))
	}
	return "it is larger than " + size(e.Limit)
}

func size(n int64) string {
	if n >= 1<<30 && n%(1<<30) == 0 {
		return fmt.Sprintf("%d GB", n>>30)
	}
	return fmt.Sprintf("%d MB", n>>20)
}

// File reads a file of at most limit bytes, or a pipe to its end, of at most [MaxPipe] too. Errors are [*fs.PathError], and wrap
// [ErrDevice], [ErrFolder] or a [*TooLargeError] where that is the reason.
func File(name string, limit int64) ([]byte, error) {
	f, info, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	pipe := !info.Mode().IsRegular()
	if pipe {
		limit = min(limit, MaxPipe)
	}
	if info.Size() > limit {
		return nil, &fs.PathError{Op: "read", Path: name, Err: &TooLargeError{Limit: limit, Pipe: pipe}}
	}
	text, err := read(f, info.Size(), limit, pipe)
	if err != nil && !errors.As(err, new(*fs.PathError)) {
		err = &fs.PathError{Op: "read", Path: name, Err: err}
	}
	return text, err
}

// Open opens what may be read: a file, or a pipe, which ends when it wants to.
func Open(name string) (*os.File, fs.FileInfo, error) {
	info, err := os.Stat(name) // before: opening a device may do something, and opening a pipe waits for its writer
	if err == nil && info.Mode()&fs.ModeDevice != 0 {
		return nil, nil, &fs.PathError{Op: "open", Path: name, Err: ErrDevice}
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	if info, err = f.Stat(); err == nil && info.IsDir() {
		err = &fs.PathError{Op: "read", Path: name, Err: ErrFolder}
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, info, nil
}

// Stream reads a stream to its end, of at most limit bytes.
func Stream(r io.Reader, limit int64) ([]byte, error) { return read(r, 0, limit, true) }

func read(r io.Reader, expected, limit int64, pipe bool) ([]byte, error) {
	var text bytes.Buffer
	text.Grow(int(expected) + bytes.MinRead)
	n, err := text.ReadFrom(io.LimitReader(r, limit+1))
	switch {
	case err != nil:
		return nil, err
	case n > limit: // also of a file that has grown, or that does not know its size, as in /proc
		return nil, &TooLargeError{Limit: limit, Pipe: pipe}
	}
	return text.Bytes(), nil
}

// Limited is a stream that fails with a [*TooLargeError] after limit bytes.
func Limited(r io.ReadCloser, limit int64) io.ReadCloser { return &limited{r, limit, limit} }

type limited struct {
	io.ReadCloser
	limit, left int64
}

func (l *limited) Read(p []byte) (int, error) {
	if l.left <= 0 {
		if n, err := l.ReadCloser.Read(p[:min(len(p), 1)]); n == 0 {
			return 0, err
		}
		return 0, &TooLargeError{Limit: l.limit, Pipe: true}
	}
	n, err := l.ReadCloser.Read(p[:min(int64(len(p)), l.left)])
	l.left -= int64(n)
	return n, err
}
