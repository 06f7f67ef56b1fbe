package wire

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"

	"github.com/andybalholm/brotli"
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
		next, closer, err := decoder(one, r)
		if err != nil {
			return dst, fmt.Errorf("decode %s: %w", one, err)
		}
		if closer != nil {
			defer closer()
		}
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

func decoder(one Coding, r io.Reader) (io.Reader, func(), error) {
	switch one {
	case Gzip:
		z, err := gzip.NewReader(r)
		return z, nil, err
	case Deflate:
		// "deflate" means zlib's format, but some servers send the bare stream.
		b := bufio.NewReader(r)
		if head, _ := b.Peek(2); len(head) == 2 && head[0]&0x0f == 8 && (int(head[0])<<8|int(head[1]))%31 == 0 {
			z, err := zlib.NewReader(b)
			return z, nil, err
		}
		return flate.NewReader(b), nil, nil
	case Brotli:
		return brotli.NewReader(r), nil, nil
	case Zstd:
		z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(64<<20))
		if err != nil {
			return nil, nil, err
		}
		return z, z.Close, nil
	}
	return nil, nil, errors.New("coding is not supported")
}
