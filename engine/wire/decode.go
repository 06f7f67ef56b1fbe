package wire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// ErrTooLarge says that a body would be longer than its limit when decoded.
var ErrTooLarge = errors.New("decoded body is over its limit")

// Decode appends the decoded body to dst and returns it. A body that would become longer than limit bytes
// ends in [ErrTooLarge], with what was decoded until then; so does not more memory than that get used by a bomb.
func Decode(coding Coding, body []byte, limit int, dst []byte) ([]byte, error) {
	if coding == Identity {
		if len(body) > limit {
			return append(dst, body[:limit]...), ErrTooLarge
		}
		return append(dst, body...), nil
	}
	if len(body) == 0 { // as an answer to HEAD, or a 304, has
		return dst, nil
	}
	// The coding applied last stands last in the list and is the outermost.
	var r io.Reader = bytes.NewReader(body)
	for shift := 24; shift >= 0; shift -= 8 {
		one := coding >> shift & 0xff
		if one == 0 {
			continue
		}
		if one == Unsupported {
			return dst, errors.New("decode: Content-Encoding names a coding that is none of gzip, deflate, br and zstd, or more than four")
		}
		next, release, err := decoder(one, r)
		if err != nil {
			return dst, fmt.Errorf("decode %s: %w", one, err)
		}
		defer release()
		r = next
	}
	base := len(dst)
	for {
		if len(dst) == cap(dst) {
			dst = append(dst, 0)[:len(dst)]
		}
		room := dst[len(dst):min(cap(dst), base+limit+1)]
		n, err := r.Read(room)
		dst = dst[:len(dst)+n]
		if len(dst)-base > limit {
			return dst[:base+limit], ErrTooLarge
		}
		if err == io.EOF {
			return dst, nil
		}
		if err != nil {
			return dst, fmt.Errorf("decode %s: %w", coding, err)
		}
	}
}

// zlibHead is what a reader of zlib's format wants to see before it is given what it is to read.
const zlibHead = "\x78\x9c"

// decoders are used again, per coding: making one takes more memory than most bodies have.
var decoders struct{ gzip, zlib, flate, brotli, zstd sync.Pool }

// decoder returns a reader of what r holds encoded, and what to call when it is not needed any more.
func decoder(one Coding, r io.Reader) (z io.Reader, release func(), err error) {
	switch one {
	case Gzip:
		return pooled(&decoders.gzip, r, func() (*gzip.Reader, error) { return new(gzip.Reader), nil }, (*gzip.Reader).Reset)
	case Deflate:
		// "deflate" means zlib's format, but some servers send the bare stream.
		b := bufio.NewReader(r)
		if head, _ := b.Peek(2); len(head) == 2 && head[0]&0x0f == 8 && (int(head[0])<<8|int(head[1]))%31 == 0 {
			return pooled(&decoders.zlib, b, func() (io.ReadCloser, error) { return zlib.NewReader(strings.NewReader(zlibHead)) }, func(z io.ReadCloser, r io.Reader) error {
				return z.(zlib.Resetter).Reset(r, nil)
			})
		}
		return pooled(&decoders.flate, b, func() (io.ReadCloser, error) { return flate.NewReader(b), nil }, func(z io.ReadCloser, r io.Reader) error {
			return z.(flate.Resetter).Reset(r, nil)
		})
	case Brotli:
		return pooled(&decoders.brotli, r, func() (*brotli.Reader, error) { return new(brotli.Reader), nil }, (*brotli.Reader).Reset)
	case Zstd:
		return pooled(&decoders.zstd, r, func() (*zstd.Decoder, error) {
			return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(64<<20))
		}, (*zstd.Decoder).Reset)
	}
	return nil, nil, errors.New("coding is not supported")
}

// pooled takes a decoder from the pool or makes one, and has it read r.
func pooled[Z io.Reader](pool *sync.Pool, r io.Reader, fresh func() (Z, error), reset func(Z, io.Reader) error) (io.Reader, func(), error) {
	z, ok := pool.Get().(Z)
	if !ok {
		var err error
		if z, err = fresh(); err != nil {
			return nil, nil, err
		}
	}
	release := func() { pool.Put(z) }
	if err := reset(z, r); err != nil {
		release()
		return nil, nil, err
	}
	return z, release, nil
}
