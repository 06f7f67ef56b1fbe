//go:build unix

package feed

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Rows may come out of a pipe, as of <(command), when it has an end; of one without, no more is kept than fits.
func TestPipe(t *testing.T) {
	for _, test := range []struct {
		name string
		rows int // after which the pipe ends
		want string
	}{
		{"with an end", 3, ""},
		{"without", 1 << 30, "sends more than 16 MB, and may have no end"},
	} {
		t.Run(test.name, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "rows.csv")
			if err := syscall.Mkfifo(name, 0o600); err != nil {
				t.Skip("no pipes here: ", err)
			}
			done := make(chan error, 1)
			go func() {
				f, err := os.OpenFile(name, os.O_WRONLY, 0)
				if err == nil {
					for i := 0; err == nil && i <= test.rows; i++ { // until the reader is gone
						_, err = io.WriteString(f, strings.Repeat("x", 64<<10)+"\n")
					}
					err = f.Close()
				}
				done <- err
			}()
			source, list := Open(Spec{Path: name})
			switch {
			case test.want == "" && (len(list) > 0 || len(source.rows) != test.rows):
				t.Errorf("%d rows, %v", len(source.rows), list)
			case test.want != "" && (len(list) != 1 || !strings.Contains(list[0].Message, test.want)):
				t.Errorf("got %v, want %q", list, test.want)
			}
			if err := <-done; err != nil {
				t.Error(err)
			}
		})
	}
}
