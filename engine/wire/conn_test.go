package wire

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// testClock is a run's clock.
func testClock() Clock {
	start := time.Now()
	return func() int64 { return int64(time.Since(start)) + 1 }
}

// targetOf makes a target of a listener's address.
func targetOf(t testing.TB, addr string, opts TargetOptions) *Target {
	t.Helper()
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	opts.Clock = testClock()
	return NewTarget("http", host, port, opts)
}

func get(path string) *Request {
	return &Request{
		Method: "GET", Idempotent: true, KeepBody: true, KeepHead: true,
		Head: []byte("GET " + path + " HTTP/1.1\r\nHost: test\r\n\r\n"), TotalTimeout: time.Minute,
	}
}

func TestDo_plain(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("X-Method", r.Method)
		_, _ = io.WriteString(w, r.URL.Path+" "+string(body))
	}))
	defer server.Close()
	c := Conn{Target: targetOf(t, server.Listener.Addr().String(), TargetOptions{})}
	defer c.Close()
	var resp Response
	for i := range 3 {
		c.Do(get("/hello"), &resp)
		if resp.Fault != NoFault || resp.Status != 200 || string(resp.Body) != "/hello " {
			t.Fatalf("%d: fault %s %s, status %d, body %q", i, resp.Fault, resp.Detail, resp.Status, resp.Body)
		}
		if resp.NewConnection != (i == 0) {
			t.Errorf("%d: new connection: %v", i, resp.NewConnection)
		}
		checkTiming(t, &resp)
	}
	big := strings.Repeat("0123456789", 1_000_000)
	req := get("/up")
	req.Head = []byte("POST /up HTTP/1.1\r\nHost: test\r\nContent-Length: 10000000\r\n\r\n")
	req.Body = []byte(big)
	c.Do(req, &resp)
	if resp.Fault != NoFault || string(resp.Body) != "/up "+big {
		t.Fatalf("fault %s %s, status %d, %d bytes", resp.Fault, resp.Detail, resp.Status, len(resp.Body))
	}
	if want := int64(len(req.Head) + len(req.Body)); resp.BytesOut != want {
		t.Errorf("sent %d bytes, want %d", resp.BytesOut, want)
	}
	checkTiming(t, &resp)
}

// checkTiming fails unless the phases follow one another.
func checkTiming(t *testing.T, resp *Response) {
	t.Helper()
	x := resp.Timing
	if !(0 < x.Start && x.Start <= x.DNS && x.DNS <= x.Connected && x.Connected <= x.TLS && x.TLS <= x.Sent && x.Sent <= x.FirstByte && x.FirstByte <= x.End) {
		t.Errorf("phases out of order: %+v", x)
	}
}
