package wire

import "strings"

// Coding is a list of content codings in the order in which they were applied, four at most. Zero: none.
type Coding uint32

// Single codings.
const (
	Identity Coding = iota
	Gzip
	Deflate
	Brotli
	Zstd
	Unsupported // a coding that cannot be decoded here, or more than four
)

// String gives the codings as Content-Encoding spells them, "" for none.
func (c Coding) String() string {
	var words []string
	for ; c != 0; c >>= 8 {
		switch c & 0xff {
		case Gzip:
			words = append(words, "gzip")
		case Deflate:
			words = append(words, "deflate")
		case Brotli:
			words = append(words, "br")
		case Zstd:
			words = append(words, "zstd")
		default:
			words = append(words, "unsupported")
		}
	}
	return strings.Join(words, ", ")
}

// add appends the codings of one field's value.
func (c Coding) add(value []byte) Coding {
	for len(value) > 0 {
		var token []byte
		token, value = nextToken(value)
		var one Coding
		switch {
		case len(token) == 0 || isToken(token, "identity"):
			continue
		case isToken(token, "gzip"), isToken(token, "x-gzip"):
			one = Gzip
		case isToken(token, "deflate"):
			one = Deflate
		case isToken(token, "br"):
			one = Brotli
		case isToken(token, "zstd"):
			one = Zstd
		default:
			return Unsupported
		}
		switch {
		case c == Unsupported || c>>24 != 0:
			return Unsupported
		case c == 0:
			c = one
		case c>>8 == 0:
			c |= one << 8
		case c>>16 == 0:
			c |= one << 16
		default:
			c |= one << 24
		}
	}
	return c
}

// nextToken cuts the first element off a comma-separated list and trims it.
func nextToken(list []byte) (token, rest []byte) {
	end := len(list)
	for i, x := range list {
		if x == ',' {
			end, rest = i, list[i+1:]
			break
		}
	}
	token = list[:end]
	for len(token) > 0 && isSpace(token[0]) {
		token = token[1:]
	}
	for len(token) > 0 && isSpace(token[len(token)-1]) {
		token = token[:len(token)-1]
	}
	return token, rest
}

func isToken(b []byte, s string) bool { return len(b) == len(s) && equalFold(b, s) }

func isSpace(x byte) bool { return x == ' ' || x == '\t' || x == '\r' }
