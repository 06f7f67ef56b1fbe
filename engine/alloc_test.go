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
	"time"

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
	u.iterate(1, u.iteration, u.now(), 0)
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

// TestParkedUsersAreSmall holds some thousand users in mid-request and weighs them.
func TestParkedUsersAreSmall(t *testing.T) {
	weigh.Exact(t)
	if testing.Short() {
		t.Skip("holds thousands of connections")
	}
	const users = 2000
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	release, arrived := make(chan struct{}), make(chan struct{}, users)
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			// The server's own goroutine and buffer would be weighed too; it reads once it may answer.
			go func() {
				defer conn.Close()
				arrived <- struct{}{}
				<-release
				buf := make([]byte, 2048)
				_, _ = conn.Read(buf)
				_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
			}()
		}
	}()
	plan := compile(t, fmt.Sprintf("execution: [{concurrency: %d, iterations: 1, scenario: s}]\nscenarios: {s: {default-address: 'http://%s', timeout: 0, requests: [/a]}}\n", users, ln.Addr()))
	before := weigh.HeapAndStacks(t)
	e := New(plan, RunOptions{})
	out, err := e.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for range out {
		}
	}()
	for range users {
		<-arrived
	}
	time.Sleep(200 * time.Millisecond) // let the last ones park; nothing is asserted about time
	perUser := float64(weigh.HeapAndStacks(t)-before) / users
	close(release)
	<-e.done
	// The server's side of a connection (goroutine, descriptor) is in the figure: some 3 kB.
	t.Logf("%.1f kB per user, the server's side included", perUser/1024)
	if perUser > 16<<10 {
		t.Errorf("%.0f bytes per parked user, want at most 16384", perUser)
	}
}
