package engine

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stacrun/stacrun/internal/weigh"
)

// plainServer answers every request with the same bytes and allocates nothing for it.
func plainServer(t testing.TB, body string) string {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	answer := []byte(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body))
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				buf := make([]byte, 4096)
				end := []byte("\r\n\r\n")
				for {
					n, err := conn.Read(buf)
					if err != nil || !bytes.Contains(buf[:n], end) {
						return
					}
					if _, err := conn.Write(answer); err != nil {
						return
					}
				}
			}()
		}
	}()
	return "http://" + ln.Addr().String()
}

// lone makes a running execution and one user of it, without a schedule.
func lone(t testing.TB, text string) *user {
	e := New(compile(t, text), RunOptions{})
	e.clock = NewClock()
	e.connectTargets()
	x := e.running[0]
	x.endAt = 1<<63 - 1
	if !x.begin() {
		t.Fatal(e.Err())
	}
	u := x.newUser(0, x.gate)
	t.Cleanup(u.end)
	return u
}

func (u *user) oneIteration() {
	u.row()
	u.run.load.Scheduled.Add(1)
	u.run.load.Started.Add(1)
	u.iterate(1, u.iteration, u.now(), 0, false)
}

func TestIterationsAllocateNothing(t *testing.T) {
	url := plainServer(t, `{"id": "x", "features": [1, 2, 3]}`)
	tests := []struct{ name, requests string }{
		{"static GET", "[/a]"},
		{"templates", `[{url: "/items/${__Random(1,1000)}?user=${__threadNum}&k=${k}", label: item}]`},
		{"substring", `[{url: /a, assert: [{contains: features, regexp: false}]}]`},
		{"body", `[{url: /a, method: POST, body: '{"n": ${__Random(1,9)}}'}]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			weigh.Exact(t)
			u := lone(t, fmt.Sprintf("execution: [{scenario: s}]\nscenarios: {s: {variables: {k: v}, default-address: %q, requests: %s}}\n", url, tt.requests))
			for range 100 {
				u.oneIteration()
			}
			if u.failed {
				t.Fatal("the request failed")
			}
			if n := weigh.Allocations(t, 500, u.oneIteration); n >= 1 {
				t.Errorf("%v allocations per iteration, want 0", n)
			}
		})
	}
}

// A body too long for a user to keep is made in a buffer that is used again, also where a label is made in between.
func TestLongBodiesShareTheirBuffers(t *testing.T) {
	weigh.Exact(t)
	const size = 4 * bodyKept
	var wrong atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if n, _ := io.Copy(io.Discard, r.Body); n < size {
			wrong.Add(1)
		}
	}))
	defer server.Close()
	u := lone(t, fmt.Sprintf(`execution: [{scenario: s}]
scenarios: {s: {default-address: %q, requests: [{url: /a, method: POST, label: "${__Random(1,3)}", body: "${__Random(1,9)}%s"}]}}
`, server.URL, strings.Repeat("x", size)))
	for range 3 {
		u.oneIteration()
	}
	per := weigh.Bytes(t, 50, u.oneIteration)
	if u.failed || wrong.Load() > 0 {
		t.Fatalf("a request failed, or %d bodies were short", wrong.Load())
	}
	if per > size/4 { // the server's own are in it
		t.Errorf("%d bytes per iteration, the body has %d", per, size)
	}
}
