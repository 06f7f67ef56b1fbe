package wire

import (
	"runtime"
	"testing"

	"github.com/stacrun/stacrun/internal/weigh"
)

func TestDo_allocatesNothing(t *testing.T) {
	addr := serveFixed(t, []byte("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Type: text/plain\r\n\r\nhello"))
	c := Conn{Target: targetOf(t, addr, TargetOptions{})}
	defer c.Close()
	for _, tt := range []struct {
		name string
		req  *Request
	}{
		{"counted", &Request{Method: "GET", Head: get("/").Head, Idempotent: true, TotalTimeout: 10e9}},
		{"kept", get("/")},
		{"with body", &Request{Method: "POST", Head: []byte("POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n"), Body: []byte("ab"), TotalTimeout: 10e9}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var resp Response
			c.Do(tt.req, &resp)
			if n := weigh.Allocations(t, 2000, func() {
				c.Do(tt.req, &resp)
				if resp.Fault != NoFault {
					t.Fatal(resp.Fault, resp.Detail)
				}
				resp.Release()
			}); n != 0 {
				t.Errorf("%v allocations per exchange, want 0", n)
			}
		})
	}
}

// A connection for each request stays cheap where the user makes it itself: no dialer, no context, no deadline.
func TestDo_newConnectionAllocatesLittle(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("dialers make the connections here")
	}
	addr := serveFixed(t, []byte(okHead+"0123456789"))
	c := Conn{Target: targetOf(t, addr, TargetOptions{})}
	req := get("/")
	req.KeepHead, req.KeepBody = false, false
	var resp Response
	const most = 20 // of which the server, in this process, makes some
	if n := weigh.Allocations(t, 200, func() {
		c.Do(req, &resp)
		c.Close()
	}); n > most || resp.Fault != NoFault {
		t.Errorf("%v allocations per connection, want at most %d; %q: %s", n, most, resp.Fault, resp.Detail)
	}
}
