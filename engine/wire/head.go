package wire

import (
	"fmt"
	"math"
)

// statusLine reads "HTTP/1.x SSS reason".
func (a *answer) statusLine(line []byte) {
	if len(line) < 12 || string(line[:7]) != "HTTP/1." || line[7]-'0' > 9 || line[8] != ' ' || len(line) > 12 && line[12] != ' ' {
		a.fail(FaultProtocol, fmt.Sprintf("not an HTTP/1 status line: %q", excerpt(line)))
		return
	}
	h, t, o := line[9]-'0', line[10]-'0', line[11]-'0'
	if h < 1 || h > 9 || t > 9 || o > 9 {
		a.fail(FaultProtocol, fmt.Sprintf("not a status code: %q", line[9:12]))
		return
	}
	a.status = int(h)*100 + int(t)*10 + int(o)
	a.http10 = line[7] == '0'
	a.part = inHead
}

// field looks at a line that begins with c or t.
func (a *answer) field(line []byte) {
	a.framing = false
	// The length of the name tells the four fields apart.
	switch {
	case len(line) > 10 && line[10] == ':' && equalFold(line[:10], "connection"):
		a.connection(line[11:])
	case len(line) > 14 && line[14] == ':' && equalFold(line[:14], "content-length"):
		a.framing = true
		a.contentLength(line[15:])
	case len(line) > 16 && line[16] == ':' && equalFold(line[:16], "content-encoding"):
		a.coding = a.coding.add(line[17:])
	case len(line) > 17 && line[17] == ':' && equalFold(line[:17], "transfer-encoding"):
		a.framing = true
		a.transferEncoding(line[18:])
	case spacedFraming(line):
		a.fail(FaultProtocol, fmt.Sprintf("space before the colon of a field that frames the response: %q", excerpt(line)))
	}
}

// spacedFraming reports "Content-Length :" and its like, which agents read differently (RFC 9112, 5.1).
func spacedFraming(line []byte) bool {
	for _, name := range [...]string{"content-length", "transfer-encoding"} {
		if len(line) > len(name)+1 && isSpace(line[len(name)]) && equalFold(line[:len(name)], name) {
			return true
		}
	}
	return false
}

func (a *answer) connection(list []byte) {
	for len(list) > 0 {
		var token []byte
		token, list = nextToken(list)
		switch {
		case isToken(token, "close"):
			a.close = true
		case isToken(token, "keep-alive"):
			a.keepAlive = true
		}
	}
}

// contentLength reads one value or a list of equal ones, as some intermediaries make (RFC 9112, 6.3).
func (a *answer) contentLength(list []byte) {
	if token, rest := nextToken(list); len(rest) == 0 { // nearly always
		a.oneLength(token)
		return
	}
	for len(list) > 0 && a.part != broken {
		var token []byte
		token, list = nextToken(list)
		a.oneLength(token)
	}
}

func (a *answer) oneLength(digits []byte) {
	n := int64(0)
	for _, d := range digits {
		d -= '0'
		if d > 9 || n > (math.MaxInt64-9)/10 {
			n = -1
			break
		}
		n = n*10 + int64(d)
	}
	switch {
	case n < 0 || len(digits) == 0:
		a.fail(FaultProtocol, fmt.Sprintf("not a content length: %q", excerpt(digits)))
	case a.sized && n != a.length:
		a.fail(FaultProtocol, fmt.Sprintf("two content lengths: %d and %d", a.length, n))
	default:
		a.sized, a.length = true, n
	}
}

func (a *answer) transferEncoding(list []byte) {
	for len(list) > 0 {
		var token []byte
		token, list = nextToken(list)
		switch {
		case len(token) == 0 || isToken(token, "identity"):
		case isToken(token, "chunked") && !a.chunked:
			a.chunked = true
		default: // we offer none, so a server must not use one
			a.fail(FaultProtocol, fmt.Sprintf("transfer coding %q was not asked for", excerpt(token)))
			return
		}
	}
}

// endHead decides what comes after the empty line (RFC 9112, 6.3).
func (a *answer) endHead() {
	if a.status < 200 && a.status != 101 {
		a.interimEnd()
		return
	}
	if a.keepHead {
		a.headEnd = a.pos
		a.kept = a.pos
	}
	if a.keepBody && a.kept == 0 {
		a.kept = a.pos
	}
	a.bodyStart = a.kept
	if a.http10 && !a.keepAlive {
		a.close = true
	}
	switch {
	case a.status == 101: // another protocol follows; that is not ours to speak
		a.close = true
		a.part = complete
	case a.toHead || a.status == 204 || a.status == 304:
		a.part = complete
	case a.chunked:
		// A length beside it, or HTTP/1.0, is a sign of confusion on the way: believe the chunks, trust nothing after.
		if a.sized || a.http10 {
			a.close = true
		}
		a.part = inChunkSize
	case a.sized:
		a.part, a.left = inLength, a.length
		if a.keepBody && a.length > int64(a.maxBody) {
			a.tooLong()
		} else if a.length == 0 {
			a.part = complete
		}
	default:
		a.close = true
		a.part = inUntilClose
	}
}

// interimEnd forgets a 1xx answer.
func (a *answer) interimEnd() {
	a.interim++
	if a.interim > maxInterim {
		a.fail(FaultProtocol, fmt.Sprintf("more than %d interim responses", maxInterim))
		return
	}
	a.part, a.start = inStatus, a.pos
	a.sized, a.chunked, a.close, a.keepAlive, a.framing = false, false, false, false, false
	a.coding, a.length, a.status = Identity, 0, 0
}

// chunkSize reads "size[;extensions]" in hexadecimal.
func (a *answer) chunkSize(line []byte) {
	n, i := int64(0), 0
	for ; i < len(line); i++ {
		d := line[i]
		switch {
		case d-'0' <= 9:
			d -= '0'
		case d|0x20 >= 'a' && d|0x20 <= 'f':
			d = d | 0x20 - 'a' + 10
		default:
			d = 255
		}
		if d == 255 {
			break
		}
		if n >= 1<<58 {
			a.fail(FaultProtocol, fmt.Sprintf("chunk size is too large: %q", excerpt(line)))
			return
		}
		n = n<<4 | int64(d)
	}
	rest := line[i:]
	for len(rest) > 0 && isSpace(rest[0]) {
		rest = rest[1:]
	}
	if i == 0 || len(rest) > 0 && rest[0] != ';' {
		a.fail(FaultProtocol, fmt.Sprintf("not a chunk size: %q", excerpt(line)))
		return
	}
	a.part, a.left = inChunk, n
	if n == 0 {
		a.part = inTrailer
	}
}
