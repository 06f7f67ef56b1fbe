package wire

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stacrun/stacrun/internal/ports"
)

// connectProxy answers CONNECT with the given text; one that begins with a status of 2xx opens a tunnel to the address.
// It gives what it was asked, line by line.
func connectProxy(t *testing.T, answer, to string) (addr string, asked func() []string) {
	var mu sync.Mutex
	var lines []string
	addr = serve(t, func(_ int, c *net.TCPConn) {
		r := bufio.NewReader(c)
		req, err := http.ReadRequest(r)
		if err != nil {
			return
		}
		mu.Lock()
		lines = append(lines, req.Method+" "+req.RequestURI+" "+req.Host+" "+req.Header.Get("Proxy-Authorization"))
		mu.Unlock()
		_, _ = io.WriteString(c, answer)
		if !strings.Contains(answer, " 200 ") {
			return
		}
		out, err := net.Dial("tcp", to)
		if err != nil {
			return
		}
		defer out.Close()
		var back sync.WaitGroup
		back.Go(func() {
			_, _ = io.Copy(c, out)
			_ = c.CloseWrite()
		})
		_, _ = io.Copy(out, r)
		_ = out.(*net.TCPConn).CloseWrite()
		back.Wait()
	})
	return addr, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return lines
	}
}

func tunnelTo(proxy string, tlsConfig *tls.Config) *Target {
	return NewTarget("https", "example.com", "8443", TargetOptions{
		Clock: testClock(), TLS: tlsConfig, Address: proxy, Tunnel: true, TunnelLines: "Proxy-Authorization: Basic dTpw\r\n",
	})
}

// The answers to CONNECT that open a tunnel: whatever stands in the head, nothing of it is taken for a body.
func TestTunnel(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, "%s %s %q", r.Host, r.URL.Path, r.Header.Get("Proxy-Authorization"))
	}))
	t.Cleanup(server.Close)
	for _, answer := range []string{
		"HTTP/1.1 200 Connection established\r\n\r\n",
		"HTTP/1.0 200 OK\r\nVia: x\r\nContent-Length: 5\r\n\r\n",
		"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX: " + strings.Repeat("y", 5000) + "\r\n\r\n",
	} {
		proxy, asked := connectProxy(t, answer, server.Listener.Addr().String())
		c := Conn{Target: tunnelTo(proxy, server.Client().Transport.(*http.Transport).TLSClientConfig)}
		req := &Request{Method: "GET", Head: []byte("GET /a HTTP/1.1\r\nHost: example.com:8443\r\n\r\n"), KeepBody: true}
		var resp Response
		for range 2 {
			c.Do(req, &resp)
			if got := string(resp.Body); resp.Fault != NoFault || got != `example.com:8443 /a ""` {
				t.Fatalf("got %q, %q: %s", got, resp.Fault, resp.Detail)
			}
			checkTiming(t, &resp)
		}
		if resp.Exchanges != 1 || resp.BytesOut != int64(len(req.Head)) {
			t.Errorf("exchanges %d, bytes out %d: the proxy's part must not count", resp.Exchanges, resp.BytesOut)
		}
		c.Close()
		want := "CONNECT example.com:8443 example.com:8443 Basic dTpw"
		if got := asked(); len(got) != 1 || got[0] != want {
			t.Errorf("the proxy was asked %q, want %q once for the connection", got, want)
		}
	}
}

func TestTunnel_faults(t *testing.T) {
	t.Parallel()
	closed := serve(t, func(_ int, c *net.TCPConn) { _, _ = c.Read(make([]byte, 1<<10)) })
	silent := serve(t, func(_ int, c *net.TCPConn) { _, _ = io.Copy(io.Discard, c) })
	answering := func(text string) string {
		addr, _ := connectProxy(t, text, "")
		return addr
	}
	for _, tt := range []struct {
		name, proxy string
		want        Fault
		detail      string
	}{
		{"no name", answering("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n"), FaultConnect, "the proxy refuses a tunnel to example.com:8443: status 407 Proxy Authentication Required"},
		{"the target is down", answering("HTTP/1.1 502 x\r\nContent-Length: 3\r\n\r\nbad"), FaultConnect, "status 502 Bad Gateway"},
		{"forbidden", answering("HTTP/1.0 403 no\r\n\r\n"), FaultConnect, "status 403 Forbidden"},
		{"closed", closed, FaultConnect, "CONNECT example.com:8443: the proxy closed the connection without opening a tunnel"},
		{"closed in the head", answering("HTTP/1.1 2"), FaultConnect, "closed the connection without"},
		{"not HTTP", answering("SSH-2.0-x\r\n"), FaultConnect, "not an HTTP/1 status line"},
		{"an endless head", answering("HTTP/1.1 200 OK\r\n" + strings.Repeat("a: b\r\n", 5000)), FaultConnect, "over its limit"},
		{"too many bytes", answering("HTTP/1.1 200 OK\r\n\r\nhello"), FaultConnect, "5 bytes too many"},
		{"silent", silent, FaultConnectTimeout, "CONNECT example.com:8443: no answer of the proxy in time (limit 1s)"},
		{"nobody there", ports.Dead(t), FaultConnectRefused, "proxy: connect 127.0.0.1:"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			req := get("/")
			if tt.want == FaultConnectTimeout {
				req.ConnectTimeout = time.Second
			}
			c := Conn{Target: tunnelTo(tt.proxy, nil)}
			var resp Response
			c.Do(req, &resp)
			if resp.Fault != tt.want || !strings.Contains(resp.Detail, tt.detail) {
				t.Errorf("got %q: %s, want %q: %s", resp.Fault, resp.Detail, tt.want, tt.detail)
			}
			if resp.Exchanges != 0 || !resp.Closed {
				t.Errorf("exchanges %d, closed %v", resp.Exchanges, resp.Closed)
			}
			checkTiming(t, &resp)
			if tm := resp.Timing; tm.TLS != tm.Connected {
				t.Error("time of a handshake that did not take place")
			}
		})
	}
}

// Stopping does not wait for a proxy that says nothing.
func TestTunnel_abort(t *testing.T) {
	t.Parallel()
	reached := make(chan struct{})
	silent := serve(t, func(_ int, c *net.TCPConn) {
		close(reached)
		_, _ = io.Copy(io.Discard, c)
	})
	c := Conn{Target: tunnelTo(silent, nil)}
	var resp Response
	var done sync.WaitGroup
	done.Go(func() { c.Do(get("/"), &resp) })
	<-reached
	c.Abort()
	done.Wait()
	if resp.Fault != FaultInterrupted {
		t.Errorf("got %q: %s", resp.Fault, resp.Detail)
	}
}
