package input

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

func TestFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := File(name, 5); err != nil || string(text) != "hello" {
		t.Errorf("at the limit: %q, %v", text, err)
	}
	var large *TooLargeError
	if _, err := File(name, 4); !errors.As(err, &large) || large.Limit != 4 || large.Pipe {
		t.Errorf("over the limit: %v", err)
	}
	if _, err := File(name+"s", 5); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what does not exist: %v", err)
	}
	var at *fs.PathError
	if _, err := File(filepath.Dir(name), 1<<20); !errors.As(err, &at) || !errors.Is(err, ErrFolder) {
		t.Errorf("a folder: %v", err)
	}
}

// A sparse file of a terabyte is refused by its size; nothing of it is read.
func TestHugeFileIsNotRead(t *testing.T) {
	name := filepath.Join(t.TempDir(), "huge")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Truncate(1<<40), f.Close()); err != nil {
		t.Skip("the file system has no files of this size: ", err)
	}
	var large *TooLargeError
	if _, err := File(name, MaxContent); !errors.As(err, &large) || large.Error() != "it is larger than 1 GB" {
		t.Errorf("got %v", err)
	}
}

func TestDeviceIsRefused(t *testing.T) {
	if _, err := os.Stat(os.DevNull); err != nil || os.DevNull != "/dev/null" {
		t.Skip("no devices in the file system")
	}
	for _, name := range []string{"/dev/zero", "/dev/null"} {
		if _, err := File(name, 5); !errors.Is(err, ErrDevice) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestStream(t *testing.T) {
	if text, err := Stream(strings.NewReader("hello"), 5); err != nil || string(text) != "hello" {
		t.Errorf("at the limit: %q, %v", text, err)
	}
	var large *TooLargeError
	if _, err := Stream(endless{}, 3<<20); !errors.As(err, &large) || large.Error() != "it sends more than 3 MB, and may have no end" {
		t.Errorf("without an end: %v", err)
	}
}

func TestLimited(t *testing.T) {
	exact := Limited(io.NopCloser(iotest.OneByteReader(strings.NewReader("hello"))), 5)
	if text, err := io.ReadAll(exact); err != nil || string(text) != "hello" {
		t.Errorf("at the limit: %q, %v", text, err)
	}
	var large *TooLargeError
	text, err := io.ReadAll(Limited(io.NopCloser(endless{}), 1000))
	if !errors.As(err, &large) || !bytes.Equal(text, make([]byte, 1000)) {
		t.Errorf("without an end: %d bytes, %v", len(text), err)
	}
}

// endless has always more to give.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
