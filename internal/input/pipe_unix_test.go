//go:build unix

package input

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// What a shell gives for <(command) is a pipe: one with an end is read, one without is not read for ever.
func TestPipe(t *testing.T) {
	for _, test := range []struct {
		name string
		send func(f *os.File)
		want func(text []byte, err error) bool
	}{
		{"with an end", func(f *os.File) { _, _ = f.WriteString("hello") }, func(text []byte, err error) bool { return err == nil && string(text) == "hello" }},
		{"without", func(f *os.File) {
			for err := error(nil); err == nil; { // until the reader is gone
				_, err = f.Write(make([]byte, 1<<20))
			}
		}, func(text []byte, err error) bool {
			var large *TooLargeError
			return text == nil && errors.As(err, &large) && large.Pipe && large.Limit == 3<<20
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "pipe")
			if err := syscall.Mkfifo(name, 0o600); err != nil {
				t.Skip("no pipes here: ", err)
			}
			done := make(chan error, 1)
			go func() {
				f, err := os.OpenFile(name, os.O_WRONLY, 0)
				if err == nil {
					test.send(f)
					err = f.Close()
				}
				done <- err
			}()
			if text, err := File(name, 3<<20); !test.want(text, err) {
				t.Errorf("%d bytes, %v", len(text), err)
			}
			if err := <-done; err != nil {
				t.Error(err)
			}
		})
	}
}
