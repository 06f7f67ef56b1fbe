package wire

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"github.com/stacrun/stacrun/internal/weigh"
)

// encode compresses with one writer.
func encode(t *testing.T, make func(io.Writer) io.WriteCloser, body []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := make(&b)
	if _, err := w.Write(body); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func encoders() map[string]func(io.Writer) io.WriteCloser {
	return map[string]func(io.Writer) io.WriteCloser{
		"gzip":    func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
		"deflate": func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) },
		"br":      func(w io.Writer) io.WriteCloser { return brotli.NewWriter(w) },
		"zstd":    func(w io.Writer) io.WriteCloser { z, _ := zstd.NewWriter(w); return z },
	}
}

func TestDecode(t *testing.T) {
	text := []byte(strings.Repeat("all work and no play ", 500))
	cases := map[string][]byte{"": text, "identity": text}
	for word, e := range encoders() {
		cases[word] = encode(t, e, text)
	}
	cases["gzip, br"] = encode(t, encoders()["br"], cases["gzip"])
	cases["X-Gzip , identity"] = cases["gzip"]
	for word, body := range cases {
		t.Run(word, func(t *testing.T) {
			got, err := Decode(Identity.add([]byte(word)), body, 1<<20, []byte("before "))
			if err != nil || string(got) != "before "+string(text) {
				t.Errorf("error %v, %d bytes", err, len(got))
			}
			if word == "" || word == "identity" {
				return
			}
			for _, broken := range [][]byte{body[:len(body)/2], append([]byte("xx"), body...), {0}} {
				if got, err := Decode(Identity.add([]byte(word)), broken, 1<<20, nil); err == nil {
					t.Errorf("%d bytes out of a broken body, and no error", len(got))
				}
			}
		})
	}
	t.Run("bare deflate", func(t *testing.T) {
		body := encode(t, func(w io.Writer) io.WriteCloser { f, _ := flate.NewWriter(w, 6); return f }, text)
		if got, err := Decode(Deflate, body, 1<<20, nil); err != nil || !bytes.Equal(got, text) {
			t.Errorf("error %v, %d bytes", err, len(got))
		}
	})
	t.Run("empty", func(t *testing.T) {
		if got, err := Decode(Gzip, nil, 10, nil); err != nil || len(got) != 0 {
			t.Errorf("error %v, %d bytes", err, len(got))
		}
	})
	for _, word := range []string{"compress", "gzip, gzip, gzip, gzip, gzip", "br, snappy"} {
		if _, err := Decode(Identity.add([]byte(word)), text, 1<<20, nil); err == nil {
			t.Errorf("%q: no error", word)
		}
	}
}

func TestDecode_bomb(t *testing.T) {
	zeros := make([]byte, 8<<20)
	for word, e := range encoders() {
		body := encode(t, e, zeros)
		got, err := Decode(Identity.add([]byte(word)), body, 100_000, nil)
		if !errors.Is(err, ErrTooLarge) || len(got) != 100_000 || cap(got) > 300_000 {
			t.Errorf("%s: error %v, %d bytes in %d", word, err, len(got), cap(got))
		}
		if got, err := Decode(Identity.add([]byte(word)), body, len(zeros), nil); err != nil || len(got) != len(zeros) {
			t.Errorf("%s: at its limit: error %v, %d bytes", word, err, len(got))
		}
	}
	if _, err := Decode(Identity, zeros, 10, nil); !errors.Is(err, ErrTooLarge) {
		t.Errorf("identity: error %v", err)
	}
}

// Decoders are used again, whatever became of the body before, and each has its own.
func TestDecode_again(t *testing.T) {
	body := bytes.Repeat([]byte("abcdefgh"), 2000)
	var wg sync.WaitGroup
	for name, make := range encoders() {
		coding := Identity.add([]byte(name))
		whole := encode(t, make, body)
		for range 4 {
			wg.Go(func() {
				for i := range 50 {
					switch i % 3 {
					case 1:
						if _, err := Decode(coding, whole[:len(whole)/2], 1<<20, nil); err == nil {
							t.Errorf("%s: half a body is decoded", name)
						}
					case 2:
						if _, err := Decode(coding, whole, 100, nil); err != ErrTooLarge {
							t.Errorf("%s: %v", name, err)
						}
					default:
						if got, err := Decode(coding, whole, 1<<20, nil); err != nil || !bytes.Equal(got, body) {
							t.Errorf("%s: error %v, %d bytes", name, err, len(got))
						}
					}
				}
			})
		}
	}
	wg.Wait()
}

func TestDecode_allocatesLittle(t *testing.T) {
	weigh.Exact(t)
	body := bytes.Repeat([]byte("abcdefgh"), 2000)
	for name, make := range encoders() {
		whole := encode(t, make, body)
		var dst []byte
		if per := weigh.Bytes(t, 50, func() {
			var err error
			if dst, err = Decode(Identity.add([]byte(name)), whole, 1<<20, dst[:0]); err != nil {
				t.Fatal(err)
			}
		}); per > 6<<10 { // 4 of them to look at how deflate begins
			t.Errorf("%s: %d bytes for each body", name, per)
		}
	}
}
