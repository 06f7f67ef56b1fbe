package extract

import "bytes"

// endOfValue returns where the JSON value that begins at i ends, or -1.
func endOfValue(text []byte, i int) int {
	if i >= len(text) {
		return -1
	}
	switch text[i] {
	case '"':
		return endOfString(text, i)
	case '{', '[':
		return endOfNested(text, i)
	}
	begin := i
	for i < len(text) && text[i] > ' ' && text[i] != ',' && text[i] != ']' && text[i] != '}' {
		i++
	}
	if i == begin {
		return -1
	}
	return i
}

// shortString is the length in bytes up to which looking at each byte is faster than calling a search.
const shortString = 24

// endOfString returns where the string whose opening quote stands at i ends, or -1.
func endOfString(text []byte, i int) int {
	end := i + 1
	for last := min(end+shortString, len(text)); end < last && text[end] != '"'; end++ {
	}
	for {
		next := bytes.IndexByte(text[end:], '"')
		if next < 0 {
			return -1
		}
		end += next
		// The quote is one of the text when an odd number of backslashes stands before it.
		back := end
		for back > i+1 && text[back-1] == '\\' {
			back--
		}
		if (end-back)%2 == 0 {
			return end + 1
		}
		end++
	}
}

// nest is how far a walk through a list or object has come.
type nest struct {
	depth  int    // brackets that are open
	inside uint64 // all ones within a string, 0 outside
}

// endOfNested returns where the list or object that begins at i ends, or -1. It counts brackets of both kinds alike.
func endOfNested(text []byte, i int) int {
	n := nest{depth: 1}
	for i++; i < len(text); {
		i += n.blocks(text[i:])
		if n.depth == 0 {
			return i
		}
		i = n.bytes(text, i, min(i+blockSize, len(text)))
		if n.depth == 0 {
			return i
		}
	}
	return -1
}

// blockSize is how many bytes are looked at together.
const blockSize = 64

// bytes walks from i to end, or to one byte behind it, or to the closing bracket, and returns how far it came.
func (n *nest) bytes(text []byte, i, end int) int {
	for i < end {
		if n.inside != 0 {
			for i < end && text[i] != '"' && text[i] != '\\' {
				i++
			}
			switch {
			case i >= end:
			case text[i] == '"':
				n.inside = 0
				i++
			default:
				i += 2
			}
			continue
		}
		for i < end && kinds[text[i]] == 0 {
			i++
		}
		if i >= end {
			break
		}
		kind := kinds[text[i]]
		i++
		switch kind {
		case opening:
			n.depth++
		case closing:
			if n.depth--; n.depth == 0 {
				return i
			}
		default:
			n.inside = ^uint64(0)
		}
	}
	return i
}

const (
	opening = iota + 1
	closing
	quote
)

// kinds tells the bytes that matter outside of strings.
var kinds = [256]uint8{'{': opening, '[': opening, '}': closing, ']': closing, '"': quote}
