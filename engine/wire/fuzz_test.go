package wire

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzResponse holds that any bytes end in an answer or a fault, the same however they are cut into pieces, and
// that what net/http reads as a whole answer is the same answer here.
func FuzzResponse(f *testing.F) {
	for _, s := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n0\r\nA: b\r\n\r\n",
		"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\nHTTP/1.1",
		"HTTP/1.0 200 OK\r\nContent-Encoding: gzip, br\r\n\r\nuntil the end",
		"HTTP/1.1 304 Not Modified\r\nContent-Length: 10\r\n\r\n",
	} {
		f.Add([]byte(s), uint16(3), false)
	}
	f.Fuzz(func(t *testing.T, input []byte, cut uint16, head bool) {
		req := &Request{Method: "GET", KeepHead: true, KeepBody: true, MaxHead: 4096, MaxBody: 8192}
		if head {
			req.Method = "HEAD"
		}
		whole := parse(req, string(input), 1<<20)
		if pieces := parse(req, string(input), int(cut)+1, 1); !strings.HasPrefix(whole.Fault, "too-large") {
			// Which of two faults is met first may depend on the pieces only where a limit is concerned.
			if d := cmp.Diff(whole, pieces); d != "" {
				t.Fatalf("in pieces (-whole +pieces):\n%s", d)
			}
		}
		counted := *req
		counted.KeepHead, counted.KeepBody = false, false
		if got := parse(&counted, string(input), int(cut)+1); whole.Fault == "" && (got.Fault != "" || got.Bytes != whole.Bytes || got.Rest != whole.Rest) {
			t.Fatalf("counted %+v, kept %+v", got, whole)
		}
		if int64(len(whole.Body)) != whole.Bytes && whole.Fault == "" {
			t.Fatalf("%d bytes of body, counted %d", len(whole.Body), whole.Bytes)
		}
		compare(t, req, input, whole)
	})
}

// compare reads the input with net/http.
func compare(t *testing.T, req *Request, input []byte, got outcome) {
	if got.Fault != "" || got.Status == 101 || strings.Contains(got.Head, "\n ") || strings.Contains(got.Head, "\n\t") {
		return
	}
	if strings.HasPrefix(got.Head, "HTTP/1.0") && strings.Contains(strings.ToLower(got.Head), "transfer-encoding") {
		return // faulty framing (RFC 9112, 6.1): it reads until the end, we, like curl, believe the chunks; both close
	}
	r := bufio.NewReader(bytes.NewReader(input))
	for {
		resp, err := http.ReadResponse(r, &http.Request{Method: req.Method})
		if err != nil {
			return
		}
		if resp.StatusCode < 200 {
			if resp.ContentLength > 0 || len(resp.TransferEncoding) > 0 {
				return // it reads a body there
			}
			continue
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			return
		}
		if resp.StatusCode != got.Status || string(body) != got.Body {
			t.Fatalf("net/http reads %d %q, we read %d %q", resp.StatusCode, body, got.Status, got.Body)
		}
		return
	}
}
