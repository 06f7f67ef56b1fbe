package wire

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// outcome is what a parsed answer comes to.
type outcome struct {
	Status     int
	Head, Body string
	Bytes      int64
	Fault      string
	Close      bool
	Rest       int // bytes behind the answer
	Coding     string
}

// parse feeds input in pieces of the given sizes, the last one repeated, and then the end of the connection.
func parse(req *Request, input string, sizes ...int) outcome {
	c := Conn{Target: &Target{}}
	c.answer.reset(req)
	a := &c.answer
	ended := false
	for i := 0; len(input) > 0 && !ended; i++ {
		room := c.room()
		n := copy(room, input[:min(len(input), sizes[min(i, len(sizes)-1)])])
		input = input[n:]
		a.n += n
		ended = a.advance(c.buf.b)
		if !ended {
			c.park()
		}
	}
	if !ended {
		a.atEnd()
	}
	o := outcome{
		Status: a.status, Bytes: a.body, Fault: a.fault.String(), Close: a.close,
		Rest: a.n - a.pos + len(input), Coding: a.coding.String(),
	}
	if a.part == complete && c.buf != nil {
		if a.keepHead {
			o.Head = string(c.buf.b[a.start:a.headEnd])
		}
		if a.keepBody {
			o.Body = string(c.buf.b[a.bodyStart:a.kept])
		}
	}
	if a.part == broken {
		o.Rest = 0
		o.Fault += ": " + a.detail
	}
	return o
}

func TestAnswer(t *testing.T) {
	long := strings.Repeat("x", 40_000)
	for _, tt := range []struct {
		name   string
		method string
		input  string
		want   outcome
	}{
		{"length", "GET", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", outcome{Status: 200, Body: "hello", Bytes: 5}},
		{"no reason", "GET", "HTTP/1.1 404\r\ncontent-length:0\r\n\r\n", outcome{Status: 404}},
		{"bare line feeds", "GET", "HTTP/1.1 200 OK\nContent-Length: 2\n\nok", outcome{Status: 200, Body: "ok", Bytes: 2}},
		{"long body", "GET", "HTTP/1.1 200 OK\r\nContent-Length: 40000\r\n\r\n" + long, outcome{Status: 200, Body: long, Bytes: 40_000}},
		{"bytes behind", "GET", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1", outcome{Status: 200, Body: "ok", Bytes: 2, Rest: 8}},
		{"equal lengths", "GET", "HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\nContent-Length: 2\r\n\r\nok", outcome{Status: 200, Body: "ok", Bytes: 2}},
		{"chunked", "GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6 ; a=\"b\"\r\n world\r\n0\r\nExpires: never\r\n\r\n", outcome{Status: 200, Body: "hello world", Bytes: 11}},
		{"chunked in capitals", "GET", "HTTP/1.1 200 OK\r\nTRANSFER-ENCODING: Chunked\r\n\r\nA\r\n0123456789\r\n00\r\n\r\n", outcome{Status: 200, Body: "0123456789", Bytes: 10}},
		{"chunked and a length", "GET", "HTTP/1.1 200 OK\r\nContent-Length: 99\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n", outcome{Status: 200, Body: "x", Bytes: 1, Close: true}},
		{"long chunks", "GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9c40\r\n" + long + "\r\n1\r\ny\r\n0\r\n\r\n", outcome{Status: 200, Body: long + "y", Bytes: 40_001}},
		{"until close", "GET", "HTTP/1.1 200 OK\r\n\r\nall of it", outcome{Status: 200, Body: "all of it", Bytes: 9, Close: true}},
		{"connection close", "GET", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: foo, Close\r\n\r\n", outcome{Status: 200, Close: true}},
		{"1.0", "GET", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", outcome{Status: 200, Body: "ok", Bytes: 2, Close: true}},
		{"1.0 keep-alive", "GET", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nok", outcome{Status: 200, Body: "ok", Bytes: 2}},
		{"interim", "GET", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: </a>\r\nContent-Length: 7\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 1\r\n\r\n!", outcome{Status: 201, Body: "!", Bytes: 1}},
		{"101", "GET", "HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n", outcome{Status: 101, Close: true}},
		{"HEAD", "HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n", outcome{Status: 200}},
		{"HEAD chunked", "HEAD", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", outcome{Status: 200}},
		{"204", "GET", "HTTP/1.1 204 No Content\r\n\r\n", outcome{Status: 204}},
		{"304", "GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 100\r\n\r\n", outcome{Status: 304}},
		{"coding", "GET", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip, BR\r\nContent-Length: 0\r\ncontent-encoding:zstd\r\n\r\n", outcome{Status: 200, Coding: "gzip, br, zstd"}},
		{"folded elsewhere", "GET", "HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Length: 0\r\n\r\n", outcome{Status: 200}},

		{"nothing", "GET", "", outcome{Fault: "closed-early: connection closed before any byte of the response"}},
		{"half a status line", "GET", "HTTP/1.1 20", outcome{Fault: "closed-early: connection closed within the response head"}},
		{"half a head", "GET", "HTTP/1.1 200 OK\r\nA: b\r\n", outcome{Status: 200, Fault: "closed-early: connection closed within the response head"}},
		{"half a body", "GET", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel", outcome{Status: 200, Bytes: 3, Fault: "closed-early: connection closed after 3 of 5 bytes of the body"}},
		{"half a chunk", "GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel", outcome{Status: 200, Bytes: 3, Fault: "closed-early: connection closed within a chunked body, after 3 bytes of it"}},
		{"no last chunk", "GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n", outcome{Status: 200, Bytes: 1, Fault: "closed-early: connection closed within a chunked body, after 1 bytes of it"}},
		{"banner", "GET", "SSH-2.0-OpenSSH_9.2\r\n", outcome{Fault: `protocol: not an HTTP/1 status line: "SSH-2.0-OpenSSH_9.2"`}},
		{"HTTP/2", "GET", "HTTP/2 200 OK of all \r\n", outcome{Fault: `protocol: not an HTTP/1 status line: "HTTP/2 200 OK of all "`}},
		{"status of letters", "GET", "HTTP/1.1 2x0 OK\r\n", outcome{Fault: `protocol: not a status code: "2x0"`}},
		{"status of four", "GET", "HTTP/1.1 2000 OK\r\n", outcome{Fault: `protocol: not an HTTP/1 status line: "HTTP/1.1 2000 OK"`}},
		{"negative length", "GET", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n", outcome{Status: 200, Fault: `protocol: not a content length: "-1"`}},
		{"no length", "GET", "HTTP/1.1 200 OK\r\nContent-Length:\r\n", outcome{Status: 200, Fault: `protocol: not a content length: ""`}},
		{"overflowing length", "GET", "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n", outcome{Status: 200, Fault: `protocol: not a content length: "99999999999999999999"`}},
		{"two lengths", "GET", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n", outcome{Status: 200, Fault: "protocol: two content lengths: 1 and 2"}},
		{"folded length", "GET", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n 2\r\n", outcome{Status: 200, Fault: "protocol: a field that frames the response is continued on a second line"}},
		{"spaced length", "GET", "HTTP/1.1 200 OK\r\nContent-Length : 1\r\n", outcome{Status: 200, Fault: `protocol: space before the colon of a field that frames the response: "Content-Length : 1"`}},
		{"strange coding", "GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n", outcome{Status: 200, Fault: `protocol: transfer coding "gzip" was not asked for`}},
		{"chunked twice", "GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", outcome{Status: 200, Fault: `protocol: transfer coding "chunked" was not asked for`}},
		{"no chunk size", "GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nhello\r\n", outcome{Status: 200, Fault: `protocol: not a chunk size: "hello"`}},
		{"empty chunk size", "GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\n", outcome{Status: 200, Fault: `protocol: not a chunk size: ""`}},
		{"huge chunk size", "GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n", outcome{Status: 200, Fault: `protocol: chunk size is too large: "ffffffffffffffffff"`}},
		{"long chunk size line", "GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;" + long, outcome{Status: 200, Fault: "protocol: chunk size line is longer than 4096 bytes"}},
		{"chunk too long", "GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nxy\r\n", outcome{Status: 200, Bytes: 1, Fault: `protocol: chunk is longer than its size: "y"`}},
		{"endless status line", "GET", "HTTP/1.1 200 " + long + long, outcome{Fault: "too-large: response head is over its limit of 65536 bytes"}},
		{"endless head", "GET", "HTTP/1.1 200 OK\r\n" + strings.Repeat("X: y\r\n", 20_000), outcome{Status: 200, Fault: "too-large: response head is over its limit of 65536 bytes"}},
		{"endless trailer", "GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n" + strings.Repeat("X: y\r\n", 20_000), outcome{Status: 200, Fault: "too-large: response head is over its limit of 65536 bytes"}},
		{"interim flood", "GET", strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", 40), outcome{Status: 100, Fault: "protocol: more than 32 interim responses"}},
		{"body announced too long", "GET", "HTTP/1.1 200 OK\r\nContent-Length: 50001\r\n\r\n", outcome{Status: 200, Fault: "too-large: response body is over the limit of 50000 bytes for bodies that are kept"}},
		{"body too long", "GET", "HTTP/1.1 200 OK\r\n\r\n" + long + long, outcome{Status: 200, Fault: "too-large: response body is over the limit of 50000 bytes for bodies that are kept"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, sizes := range [][]int{{1 << 20}, {1}, {7}, {1000}, {30, 1}, {16 << 10}} {
				if len(tt.input) > 1000 && sizes[0] < 1000 {
					sizes = []int{sizes[0], 1, 500}
				}
				for _, keep := range []bool{true, false} {
					req := &Request{Method: tt.method, KeepHead: keep, KeepBody: keep, MaxBody: 50_000}
					want := tt.want
					if !keep {
						want.Head, want.Body = "", ""
						if strings.Contains(want.Fault, "are kept") {
							continue
						}
					}
					got := parse(req, tt.input, sizes...)
					got.Head = ""
					if want.Fault != "" {
						got.Close, got.Coding = false, ""
						if strings.HasPrefix(want.Fault, "too-large: response body") {
							got.Bytes = 0
						}
					}
					if want.Rest > 0 && got.Rest != want.Rest {
						t.Errorf("pieces of %v: %d bytes behind, want %d", sizes, got.Rest, want.Rest)
					}
					if d := cmp.Diff(want, got); d != "" {
						t.Errorf("pieces of %v, kept %v (-want +got):\n%s", sizes, keep, d)
					}
				}
			}
		})
	}
}

func TestAnswer_keptHead(t *testing.T) {
	head := "HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nContent-Length: 5\r\nset-cookie: c=d \r\n\r\n"
	for _, size := range []int{1, 10, 1000} {
		for _, body := range []bool{false, true} {
			o := parse(&Request{KeepHead: true, KeepBody: body}, "HTTP/1.1 100 Continue\r\nX: y\r\n\r\n"+head+"hello", size)
			if o.Head != head {
				t.Errorf("pieces of %d: head %q", size, o.Head)
			}
			var cookies []string
			for v := range HeaderValues([]byte(o.Head), "Set-Cookie") {
				cookies = append(cookies, string(v))
			}
			if d := cmp.Diff([]string{"a=b", "c=d"}, cookies); d != "" {
				t.Error(d)
			}
		}
	}
}

// A body that nobody keeps must not cost memory, however the pieces fall.
func TestAnswer_bufferStaysSmall(t *testing.T) {
	for _, keepHead := range []bool{false, true} {
		c := Conn{Target: &Target{}}
		c.answer.reset(&Request{KeepHead: keepHead})
		feed := func(s string) {
			for len(s) > 0 {
				n := copy(c.room(), s)
				s = s[n:]
				c.answer.n += n
				c.answer.advance(c.buf.b)
				c.park()
			}
		}
		feed("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
		for i := range 5000 {
			s := strings.Repeat("y", i%97+1)
			feed(fmt.Sprintf("%x;ext=%d\r\n%s\r\n", len(s), i, s))
		}
		if c.buf != nil && len(c.buf.b) > bufferSize {
			t.Errorf("buffer grew to %d bytes", len(c.buf.b))
		}
		feed("0\r\n\r\n")
		if c.answer.part != complete {
			t.Errorf("not complete: %s", c.answer.detail)
		}
	}
}
