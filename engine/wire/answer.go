package wire

import (
	"bytes"
	"fmt"
)

// Bounds on what a server may send beside head and body.
const (
	maxInterim   = 32   // 1xx answers before the final one
	maxChunkLine = 4096 // bytes of a chunk's size and extensions
)

// part is where in an answer the parser stands.
type part uint8

const (
	inStatus part = iota
	inHead
	inLength     // a body of known length
	inChunkSize  // the line before a chunk
	inChunk      // its bytes
	inChunkEnd   // the line end behind it
	inTrailer    // lines behind the last chunk
	inUntilClose // a body that ends with the connection
	complete
	broken // fault and detail say why
)

// answer parses one answer, interim ones before it included, as its bytes come in, and keeps what was asked for.
//
// The bytes stand in a buffer b that the caller owns and may move between calls:
//
//	b[:kept]    kept for the response: head, then body with the transfer coding taken out
//	b[pos:n]    received, not yet parsed
//
// Between kept and pos is what can be overwritten. Without anything to keep, kept stays 0.
type answer struct {
	part      part
	toHead    bool // answers a HEAD request
	keepHead  bool
	keepBody  bool
	http10    bool
	close     bool // the connection ends with this answer
	keepAlive bool // HTTP/1.0 said so
	chunked   bool
	framing   bool // the line before was one that matters and must not be continued
	sized     bool // Content-Length was seen
	interim   uint8
	fault     Fault
	coding    Coding
	status    int
	maxHead   int
	maxBody   int
	headBytes int   // of all heads and trailers
	length    int64 // Content-Length
	left      int64 // of the body or the chunk
	body      int64 // bytes of the body so far, without framing

	kept, pos, n   int
	seen           int // bytes after pos in which no line end was found
	start, headEnd int // the kept head
	bodyStart      int // the kept body begins here
	detail         string
}

// reset prepares for the answer to a request.
func (a *answer) reset(req *Request) {
	*a = answer{}
	a.toHead, a.keepHead, a.keepBody = req.Method == "HEAD", req.KeepHead, req.KeepBody
	a.maxHead, a.maxBody = req.MaxHead, req.MaxBody
	if a.maxHead == 0 {
		a.maxHead = DefaultMaxHead
	}
	if a.maxBody == 0 {
		a.maxBody = DefaultMaxBody
	}
}

// advance parses b[pos:n]. It reports whether the answer has ended, complete or broken.
func (a *answer) advance(b []byte) bool {
	for {
		switch a.part {
		case inLength, inChunk:
			a.take(b, int(min(a.left, int64(a.n-a.pos))))
			if a.part == broken {
				return true
			}
			if a.left > 0 {
				return false
			}
			if a.part == inLength {
				a.part = complete
				return true
			}
			a.part = inChunkEnd
		case inUntilClose:
			a.take(b, a.n-a.pos)
			return a.part == broken
		case complete, broken:
			return true
		default:
			line, ok := a.line(b)
			if !ok {
				return a.part == broken
			}
			a.parseLine(line)
			if a.keepHead && a.part <= inHead {
				a.kept = a.pos
			}
		}
	}
}

// line cuts the next line off the unparsed bytes, without its end. A bare line feed ends a line too (RFC 9112, 2.2).
func (a *answer) line(b []byte) ([]byte, bool) {
	i := bytes.IndexByte(b[a.pos+a.seen:a.n], '\n')
	if i < 0 {
		a.seen = a.n - a.pos
		a.bound(a.seen)
		return nil, false
	}
	size := a.seen + i + 1
	a.seen = 0
	if a.bound(size) {
		return nil, false
	}
	line := b[a.pos : a.pos+size-1]
	a.pos += size
	if a.part <= inHead || a.part == inTrailer {
		a.headBytes += size
	}
	if l := len(line); l > 0 && line[l-1] == '\r' {
		line = line[:l-1]
	}
	return line, true
}

// bound breaks the answer when a line of that many bytes, ended or not, is too long.
func (a *answer) bound(size int) bool {
	if a.part == inChunkSize || a.part == inChunkEnd {
		if size > maxChunkLine {
			a.fail(FaultProtocol, fmt.Sprintf("chunk size line is longer than %d bytes", maxChunkLine))
			return true
		}
		return false
	}
	if a.headBytes+size > a.maxHead {
		a.fail(FaultTooLarge, fmt.Sprintf("response head is over its limit of %d bytes", a.maxHead))
		return true
	}
	return false
}

func (a *answer) parseLine(line []byte) {
	switch a.part {
	case inStatus:
		a.statusLine(line)
	case inHead:
		if len(line) == 0 {
			a.endHead()
			return
		}
		// Only fields that frame the answer matter, and few fields begin with their letters.
		switch line[0] | 0x20 {
		case 'c', 't':
			a.field(line)
		case ' ', '\t' | 0x20: // a continued line
			if a.framing {
				a.fail(FaultProtocol, "a field that frames the response is continued on a second line")
			}
		default:
			a.framing = false
		}
	case inChunkSize:
		a.chunkSize(line)
	case inChunkEnd:
		if len(line) != 0 {
			a.fail(FaultProtocol, fmt.Sprintf("chunk is longer than its size: %q", excerpt(line)))
			return
		}
		a.part = inChunkSize
	case inTrailer:
		if len(line) == 0 {
			a.part = complete
		}
	}
}

// take passes over n bytes of the body, keeping them if asked for.
func (a *answer) take(b []byte, n int) {
	if a.keepBody {
		if a.kept-a.bodyStart+n > a.maxBody {
			a.tooLong()
			return
		}
		if a.kept != a.pos {
			copy(b[a.kept:], b[a.pos:a.pos+n])
		}
		a.kept += n
	}
	a.pos += n
	a.left -= int64(n)
	a.body += int64(n)
}

func (a *answer) tooLong() {
	a.fail(FaultTooLarge, fmt.Sprintf("response body is over the limit of %d bytes for bodies that are kept", a.maxBody))
}

func (a *answer) fail(f Fault, detail string) {
	a.part, a.fault, a.detail = broken, f, detail
}

// atEnd says how the answer stands when the peer has closed: complete, or broken with the reason.
func (a *answer) atEnd() {
	switch {
	case a.part == inUntilClose:
		a.part = complete
	case a.part >= complete:
	case a.part == inStatus && a.n == 0 && a.interim == 0:
		a.fail(FaultClosedEarly, "connection closed before any byte of the response")
	case a.part <= inHead:
		a.fail(FaultClosedEarly, "connection closed within the response head")
	case a.part == inLength:
		a.fail(FaultClosedEarly, fmt.Sprintf("connection closed after %d of %d bytes of the body", a.body, a.length))
	default:
		a.fail(FaultClosedEarly, fmt.Sprintf("connection closed within a chunked body, after %d bytes of it", a.body))
	}
}

// excerpt shortens what a server sent so that a message can quote it.
func excerpt(b []byte) []byte {
	if len(b) > 60 {
		return b[:60]
	}
	return b
}
