package wire

import (
	"bytes"
	"iter"
)

// HeaderValue gives the first value of a field in a raw head, trimmed, as a part of head.
// The name is matched without regard to case.
func HeaderValue(head []byte, name string) (value []byte, ok bool) {
	for v := range HeaderValues(head, name) {
		return v, true
	}
	return nil, false
}

// HeaderValues yields all values of a field in a raw head, in order.
func HeaderValues(head []byte, name string) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for n, v := range Headers(head) {
			if len(n) == len(name) && equalFold(n, name) && !yield(v) {
				return
			}
		}
	}
}

// Headers yields the fields of a raw head, in order and as written, without the status line. Lines
// without a colon are skipped, continuation lines too.
func Headers(head []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		_, rest, _ := bytes.Cut(head, []byte{'\n'})
		for len(rest) > 0 {
			var line []byte
			line, rest, _ = bytes.Cut(rest, []byte{'\n'})
			if len(line) == 0 || line[0] == '\r' {
				return
			}
			if line[0] == ' ' || line[0] == '\t' {
				continue
			}
			colon := bytes.IndexByte(line, ':')
			if colon < 0 {
				continue
			}
			if !yield(line[:colon], bytes.TrimSpace(line[colon+1:])) {
				return
			}
		}
	}
}

// equalFold reports whether b is s, which is ASCII, without regard to case. Lengths must be equal.
func equalFold(b []byte, s string) bool {
	for i := range b {
		x, y := b[i], s[i]
		if x == y {
			continue
		}
		if x|0x20 != y|0x20 || x|0x20 < 'a' || x|0x20 > 'z' {
			return false
		}
	}
	return true
}
