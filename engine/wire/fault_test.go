package wire

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		// The toxic network of a test keeps what stops or delays for as long as it was told.
		goleak.IgnoreAnyFunction("github.com/Shopify/toxiproxy/v2.(*ToxicLink).write"),
		goleak.IgnoreAnyFunction("github.com/Shopify/toxiproxy/v2.(*ToxicLink).read"),
		goleak.IgnoreAnyFunction("github.com/Shopify/toxiproxy/v2/toxics.(*ToxicStub).Run"),
	)
}

// readHead reads a request up to its empty line.
func readHead(c io.Reader) string {
	var head []byte
	one := make([]byte, 1)
	for !bytes.HasSuffix(head, []byte("\r\n\r\n")) {
		if _, err := c.Read(one); err != nil {
			return ""
		}
		head = append(head, one[0])
	}
	return string(head)
}

// reset closes with a reset instead of an end.
func reset(c *net.TCPConn) {
	_ = c.SetLinger(0)
	_ = c.Close()
}

// drip writes a few bytes at a time.
func drip(c *net.TCPConn, s string) {
	for i := range len(s) {
		if _, err := c.Write([]byte{s[i]}); err != nil {
			return
		}
	}
}

// forever writes until the client has gone.
func forever(c *net.TCPConn, s string) {
	b := []byte(strings.Repeat(s, 1+4096/len(s)))
	for {
		if _, err := c.Write(b); err != nil {
			return
		}
	}
}

// untilGone waits for the client to close.
func untilGone(c *net.TCPConn) { _, _ = io.Copy(io.Discard, c) }

// unread leaves what comes alone until the test is over.
func unread(c *net.TCPConn) {
	for c.SetDeadline(time.Time{}) == nil {
		time.Sleep(5 * time.Millisecond)
	}
}

// onePath runs a test over the raw and over the ordinary path.
func onePath(t *testing.T, test func(t *testing.T, target func(addr string, opts TargetOptions) *Target)) {
	for name, stream := range map[string]bool{"raw": false, "ordinary": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, func(addr string, opts TargetOptions) *Target {
				target := targetOf(t, addr, opts)
				target.stream = stream
				return target
			})
		})
	}
}

// A timeLimit is the one that a test lets pass.
type timeLimit int

const (
	noLimit timeLimit = iota
	firstByte
	total
)

// set gives req the limit, and detail with the limit in it.
func (l timeLimit) set(req *Request, limit time.Duration, detail string) string {
	switch l {
	case firstByte:
		req.FirstByteTimeout = limit
	case total:
		req.TotalTimeout = limit
	}
	return strings.ReplaceAll(detail, "LIMIT", limit.String())
}

// try calls do with a short limit, and, as a server on a busy machine may not have begun to answer within it, with a long
// one where the first try has found something wrong.
func (l timeLimit) try(t *testing.T, do func(limit time.Duration) (wrong []string)) {
	t.Helper()
	wrong := do(150 * time.Millisecond)
	if len(wrong) > 0 && l != noLimit {
		wrong = do(10 * time.Second)
	}
	if len(wrong) > 0 {
		t.Error(strings.Join(wrong, "; "))
	}
}

const okHead = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"

func TestDo_faultyServer(t *testing.T) {
	t.Parallel()
	upload := func() *Request {
		req := get("/")
		req.Method, req.Idempotent = "POST", false
		req.Head = []byte("POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 20000000\r\n\r\n")
		req.Body = make([]byte, 20_000_000)
		return req
	}
	for _, tt := range []struct {
		name   string
		serve  func(c *net.TCPConn)
		limit  timeLimit
		req    *Request
		want   string // fault, or the body
		detail string // part of it
		status int
	}{
		{name: "reset at once", serve: reset, want: "reset"},
		{name: "closed at once", serve: func(c *net.TCPConn) { _ = c.Close() }, want: "closed-early|reset"},
		{name: "half closed at once", serve: func(c *net.TCPConn) { _ = c.CloseWrite(); untilGone(c) }, want: "closed-early", detail: "before any byte"},
		{name: "closed after the request", serve: func(c *net.TCPConn) { readHead(c); _ = c.Close() }, want: "closed-early", detail: "before any byte"},
		{name: "half closed after the request", serve: func(c *net.TCPConn) { readHead(c); _ = c.CloseWrite(); untilGone(c) }, want: "closed-early"},
		{name: "reset after the request", serve: func(c *net.TCPConn) { readHead(c); reset(c) }, want: "reset"},
		{name: "closed within the head", serve: func(c *net.TCPConn) { readHead(c); _, _ = io.WriteString(c, okHead[:20]) }, want: "closed-early", detail: "within the response head", status: 200},
		{name: "closed within the body", serve: func(c *net.TCPConn) { readHead(c); _, _ = io.WriteString(c, okHead+"abc") }, want: "closed-early", detail: "after 3 of 10 bytes", status: 200},
		{name: "half closed within the body", serve: func(c *net.TCPConn) {
			readHead(c)
			_, _ = io.WriteString(c, okHead+"abc")
			_ = c.CloseWrite()
			untilGone(c)
		}, want: "closed-early", detail: "after 3 of 10 bytes", status: 200},
		{name: "closed within a chunk", serve: func(c *net.TCPConn) {
			readHead(c)
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab")
		}, want: "closed-early", detail: "chunked", status: 200},
		{name: "a banner before the request", serve: func(c *net.TCPConn) { _, _ = io.WriteString(c, "SSH-2.0-x\r\n"); untilGone(c) }, want: "protocol", detail: "SSH-2.0-x"},
		{name: "an answer before the request", serve: func(c *net.TCPConn) { _, _ = io.WriteString(c, okHead+"0123456789"); untilGone(c) }, want: "body 0123456789", status: 200},
		{name: "byte by byte", serve: func(c *net.TCPConn) {
			readHead(c)
			drip(c, "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
			untilGone(c)
		}, want: "body hello", status: 200},
		{name: "chunks byte by byte without an end", serve: func(c *net.TCPConn) {
			readHead(c)
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
			for {
				if _, err := io.WriteString(c, "1\r\nx\r\n"); err != nil {
					return
				}
				time.Sleep(time.Millisecond)
			}
		}, limit: total, want: "timeout", detail: "not complete within LIMIT", status: 200},
		{name: "silence", serve: untilGone, limit: total, want: "timeout", detail: "no response within LIMIT"},
		{name: "silence before the first byte", serve: untilGone, limit: firstByte, want: "timeout", detail: "no first byte within LIMIT"},
		{name: "endless fields", serve: func(c *net.TCPConn) {
			readHead(c)
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n")
			forever(c, "A: b\r\n")
		}, want: "too-large", detail: "head", status: 200},
		{name: "an endless line", serve: func(c *net.TCPConn) { readHead(c); forever(c, "HTTP/1.1 200 ") }, want: "too-large", detail: "head"},
		{name: "endless interim answers", serve: func(c *net.TCPConn) { readHead(c); forever(c, "HTTP/1.1 100 Continue\r\n\r\n") }, want: "protocol", detail: "interim", status: 100},
		{name: "an endless body to be kept", serve: func(c *net.TCPConn) { readHead(c); forever(c, "HTTP/1.1 200 OK\r\n\r\n") }, req: &Request{Head: get("/").Head, KeepBody: true, MaxBody: 100_000, TotalTimeout: time.Minute}, want: "too-large", detail: "kept", status: 200},
		{name: "an endless body", serve: func(c *net.TCPConn) { readHead(c); forever(c, "HTTP/1.1 200 OK\r\n\r\n") }, req: &Request{Head: get("/").Head}, limit: total, want: "timeout", status: 200},
		{name: "endless chunk extensions", serve: func(c *net.TCPConn) {
			readHead(c)
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1")
			forever(c, ";a=b")
		}, want: "protocol", detail: "chunk size line", status: 200},
		{name: "a wrong length", serve: func(c *net.TCPConn) {
			readHead(c)
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: ten\r\n\r\n0123456789")
		}, want: "protocol", detail: `"ten"`, status: 200},
		{name: "until close", serve: func(c *net.TCPConn) {
			readHead(c)
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\n\r\nuntil")
			time.Sleep(20 * time.Millisecond)
			_, _ = io.WriteString(c, " the end")
		}, want: "body until the end", status: 200},
		{name: "an early answer to an upload, then closed", serve: func(c *net.TCPConn) {
			readHead(c)
			_, _ = io.WriteString(c, "HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno")
			_ = c.CloseWrite()
			_, _ = io.CopyN(io.Discard, c, 100_000)
		}, req: upload(), want: "body no", status: 413},
		{name: "an early answer to an upload that nobody reads", serve: func(c *net.TCPConn) {
			readHead(c)
			_, _ = io.WriteString(c, "HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno")
			unread(c)
		}, req: upload(), want: "body no", status: 413},
		{name: "an upload that nobody reads", serve: func(c *net.TCPConn) { readHead(c); unread(c) }, req: upload(), limit: total, want: "timeout", detail: "no response within LIMIT"},
		{name: "an upload that ends in a reset", serve: func(c *net.TCPConn) { readHead(c); reset(c) }, req: upload(), want: "reset"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			addr := serve(t, func(_ int, c *net.TCPConn) { tt.serve(c) })
			onePath(t, func(t *testing.T, target func(string, TargetOptions) *Target) {
				tt.limit.try(t, func(limit time.Duration) (wrong []string) {
					c := Conn{Target: target(addr, TargetOptions{})}
					defer c.Close()
					req := *get("/")
					if tt.req != nil {
						req = *tt.req
					}
					detail := tt.limit.set(&req, limit, tt.detail)
					var resp Response
					c.Do(&req, &resp)
					if body, ok := strings.CutPrefix(tt.want, "body "); ok {
						if resp.Fault != NoFault || string(resp.Body) != body {
							wrong = append(wrong, fmt.Sprintf("%s %s, body %q, want %q", resp.Fault, resp.Detail, resp.Body, body))
						}
					} else if !strings.Contains("|"+tt.want+"|", "|"+resp.Fault.String()+"|") || !strings.Contains(resp.Detail, detail) {
						wrong = append(wrong, fmt.Sprintf("got %s: %s, want %s: %s", resp.Fault, resp.Detail, tt.want, detail))
					}
					if resp.Status != tt.status {
						wrong = append(wrong, fmt.Sprintf("status %d, want %d", resp.Status, tt.status))
					}
					if resp.Fault == FaultTimeout && resp.Timing.End-resp.Timing.Start < int64(limit) {
						wrong = append(wrong, fmt.Sprintf("timed out after %s, before its time", time.Duration(resp.Timing.End-resp.Timing.Start)))
					}
					if resp.Fault != NoFault && !resp.Closed {
						t.Error("the connection of a broken exchange lives on")
					}
					checkTiming(t, &resp)
					return wrong
				})
			})
		})
	}
}

// The limit for the first byte is none for the body, which comes when the limit is long over.
func TestDo_slowBodyIsNoLateFirstByte(t *testing.T) {
	t.Parallel()
	onePath(t, func(t *testing.T, target func(string, TargetOptions) *Target) {
		do := func(limit time.Duration) Response {
			addr := serve(t, func(_ int, c *net.TCPConn) {
				readHead(c)
				_, _ = io.WriteString(c, okHead)
				time.Sleep(2 * limit)
				_, _ = io.WriteString(c, "0123456789")
			})
			c := Conn{Target: target(addr, TargetOptions{})}
			defer c.Close()
			req := get("/")
			req.FirstByteTimeout, req.TotalTimeout = limit, time.Minute
			var resp Response
			c.Do(req, &resp)
			return resp
		}
		resp := do(150 * time.Millisecond)
		if resp.Status == 0 {
			resp = do(5 * time.Second) // the machine is busy: the head did not come in time
		}
		if resp.Fault != NoFault || string(resp.Body) != "0123456789" {
			t.Errorf("%s %s, body %q", resp.Fault, resp.Detail, resp.Body)
		}
	})
}

// A reused connection that the server has closed is replaced, and the request sent again only if that is safe.
func TestDo_staleConnection(t *testing.T) {
	t.Parallel()
	closed := func(c *net.TCPConn) { _ = c.Close() }
	for _, tt := range []struct {
		name       string
		idempotent bool
		idle       func(c *net.TCPConn) // what the server does before the next request is sent
		after      func(c *net.TCPConn) // what it does then
		want       string               // fault of the second exchange
		retried    int
	}{
		{"closed while idle", true, closed, nil, "", 0},
		{"closed while idle, not to be repeated", false, closed, nil, "", 0},
		{"half closed while idle", true, func(c *net.TCPConn) { _ = c.CloseWrite() }, untilGone, "", 0},
		{"reset while idle", false, reset, nil, "", 0},
		{"a late word while idle", true, func(c *net.TCPConn) { _, _ = io.WriteString(c, "HTTP/1.1 408 Timeout\r\n\r\n") }, untilGone, "", 0},
		{"closed on the next request", true, nil, func(c *net.TCPConn) { readHead(c); _ = c.Close() }, "", 1},
		{"reset on the next request", true, nil, func(c *net.TCPConn) { readHead(c); reset(c) }, "", 1},
		{"closed on the next request, not to be repeated", false, nil, func(c *net.TCPConn) { readHead(c); _ = c.Close() }, "closed-early", 0},
		{"closed within the next answer", true, nil, func(c *net.TCPConn) { readHead(c); _, _ = io.WriteString(c, okHead); _ = c.Close() }, "closed-early", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			onePath(t, func(t *testing.T, target func(string, TargetOptions) *Target) {
				answered, waiting := make(chan struct{}), make(chan struct{})
				addr := serve(t, func(n int, c *net.TCPConn) {
					readHead(c)
					_, _ = io.WriteString(c, okHead+"0123456789")
					if n > 0 {
						untilGone(c)
						return
					}
					<-answered
					if tt.idle != nil {
						tt.idle(c)
					}
					close(waiting)
					if tt.after != nil {
						tt.after(c)
					}
				})
				c := Conn{Target: target(addr, TargetOptions{})}
				defer c.Close()
				req := get("/")
				req.Idempotent = tt.idempotent
				var resp Response
				c.Do(req, &resp)
				if resp.Fault != NoFault {
					t.Fatal(resp.Fault, resp.Detail)
				}
				close(answered)
				<-waiting // over loopback, what the server has done has arrived when it has returned
				if tt.idle != nil {
					time.Sleep(30 * time.Millisecond) // a connection that was used a moment ago is not looked at
				}
				c.Do(req, &resp)
				if resp.Fault.String() != tt.want || resp.Retried != tt.retried || resp.Exchanges != 1+tt.retried {
					t.Errorf("got %q: %s, retried %d, exchanges %d; want %q, %d", resp.Fault, resp.Detail, resp.Retried, resp.Exchanges, tt.want, tt.retried)
				}
				if tt.want == "" && !resp.NewConnection {
					t.Error("no new connection")
				}
				checkTiming(t, &resp)
			})
		})
	}
}

func TestDo_bytesBehindTheAnswerEndTheConnection(t *testing.T) {
	t.Parallel()
	addr := serve(t, func(_ int, c *net.TCPConn) {
		readHead(c)
		_, _ = io.WriteString(c, okHead+"0123456789HTTP/1.1 500 Smuggled\r\n\r\n")
		untilGone(c)
	})
	onePath(t, func(t *testing.T, target func(string, TargetOptions) *Target) {
		c := Conn{Target: target(addr, TargetOptions{})}
		defer c.Close()
		for range 2 {
			var resp Response
			c.Do(get("/"), &resp)
			if resp.Fault != NoFault || resp.Status != 200 || !resp.Closed || !resp.NewConnection {
				t.Errorf("fault %q, status %d, closed %v, new %v", resp.Fault, resp.Status, resp.Closed, resp.NewConnection)
			}
			if want := int64(len(okHead) + 10); resp.BytesIn != want {
				t.Errorf("%d bytes in, want %d", resp.BytesIn, want)
			}
		}
	})
}

func TestDo_countsBytesExactly(t *testing.T) {
	t.Parallel()
	answers := []string{
		okHead + "0123456789",
		"HTTP/1.1 100 Continue\r\n\r\n" + okHead + "0123456789",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\nX: y\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n" + strings.Repeat("x", 300_000),
		"HTTP/1.1 204 No Content\r\n\r\n",
	}
	addr := serve(t, func(_ int, c *net.TCPConn) {
		r := bufio.NewReader(c)
		for {
			req, err := http.ReadRequest(r)
			if err != nil {
				return
			}
			_, _ = io.Copy(io.Discard, req.Body)
			var i int
			_, _ = fmt.Sscanf(req.URL.Path, "/%d", &i)
			if _, err := io.WriteString(c, answers[i]); err != nil {
				return
			}
		}
	})
	onePath(t, func(t *testing.T, target func(string, TargetOptions) *Target) {
		c := Conn{Target: target(addr, TargetOptions{})}
		defer c.Close()
		for _, keep := range []bool{false, true} {
			for i, answer := range answers {
				req := get(fmt.Sprint("/", i))
				req.KeepBody, req.KeepHead = keep, keep
				var resp Response
				c.Do(req, &resp)
				if resp.Fault != NoFault || resp.BytesIn != int64(len(answer)) || resp.BytesOut != int64(len(req.Head)) {
					t.Errorf("answer %d: fault %q %s, %d bytes in, want %d; %d out, want %d", i, resp.Fault, resp.Detail, resp.BytesIn, len(answer), resp.BytesOut, len(req.Head))
				}
				if keep && int64(len(resp.Body)) != resp.BodyBytes {
					t.Errorf("answer %d: kept %d of %d bytes", i, len(resp.Body), resp.BodyBytes)
				}
				resp.Release()
			}
		}
	})
}

func TestAbort(t *testing.T) {
	t.Parallel()
	silent := serve(t, func(_ int, c *net.TCPConn) { untilGone(c) })
	deaf := serve(t, func(_ int, c *net.TCPConn) { readHead(c); unread(c) })
	big := get("/")
	big.Head = []byte("POST / HTTP/1.1\r\nContent-Length: 20000000\r\n\r\n")
	big.Body = make([]byte, 20_000_000)
	onePath(t, func(t *testing.T, target func(string, TargetOptions) *Target) {
		for _, tt := range []struct {
			name string
			addr string
			req  *Request
		}{{"waiting", silent, get("/")}, {"uploading", deaf, big}} {
			c := Conn{Target: target(tt.addr, TargetOptions{})}
			var resp Response
			done := make(chan struct{})
			go func() {
				defer close(done)
				c.Do(tt.req, &resp)
			}()
			time.Sleep(30 * time.Millisecond)
			c.Abort()
			<-done
			if resp.Fault != FaultInterrupted {
				t.Errorf("%s: got %q %s, want interrupted", tt.name, resp.Fault, resp.Detail)
			}
			checkTiming(t, &resp)
			c.Do(tt.req, &resp)
			if resp.Fault != FaultInterrupted {
				t.Errorf("%s, afterwards: got %q, want interrupted", tt.name, resp.Fault)
			}
			c.Close()
		}
	})
}

func TestDo_tls(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, _ = fmt.Fprintf(w, "%s %d %s", r.TLS.ServerName, len(body), r.Proto)
	}))
	server.EnableHTTP2 = true
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // refused certificates are what is tested
	server.StartTLS()
	defer server.Close()
	plain := serveFixed(t, []byte(okHead+"0123456789"))
	closing := serve(t, func(_ int, c *net.TCPConn) { _, _ = c.Read(make([]byte, 10)) })
	silent := serve(t, func(_ int, c *net.TCPConn) { untilGone(c) })
	trust := server.Client().Transport.(*http.Transport).TLSClientConfig
	withName := trust.Clone()
	withName.ServerName = "example.com"

	for _, tt := range []struct {
		name   string
		addr   string
		cfg    *tls.Config
		want   Fault
		detail string
		body   string
	}{
		{"trusted", server.Listener.Addr().String(), withName, NoFault, "", "example.com 0 HTTP/1.1"},
		{"unknown authority", server.Listener.Addr().String(), nil, FaultTLS, "certificate", ""},
		{"wrong name", server.Listener.Addr().String(), &tls.Config{RootCAs: trust.RootCAs, ServerName: "other.test"}, FaultTLS, "other.test", ""},
		{"not TLS", plain, nil, FaultTLS, "closed|does not speak TLS", ""},
		{"closed within the handshake", closing, nil, FaultTLS, "handshake", ""},
		{"silent", silent, nil, FaultConnectTimeout, "handshake was not finished in time (limit 1s)", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			host, port, _ := net.SplitHostPort(tt.addr)
			c := Conn{Target: NewTarget("https", host, port, TargetOptions{Clock: testClock(), TLS: tt.cfg})}
			defer c.Close()
			req := get("/")
			if tt.want == FaultConnectTimeout {
				req.ConnectTimeout = time.Second
			} else if tt.name == "not TLS" {
				req.ConnectTimeout = time.Second // it waits for more of our hello than comes
			}
			for i := range 3 {
				var resp Response
				c.Do(req, &resp)
				if tt.name == "not TLS" && resp.Fault == FaultConnectTimeout {
					return
				}
				if resp.Fault != tt.want || string(resp.Body) != tt.body {
					t.Fatalf("got %q: %s, body %q; want %q, %q", resp.Fault, resp.Detail, resp.Body, tt.want, tt.body)
				}
				if !strings.Contains(resp.Detail, strings.Split(tt.detail, "|")[0]) {
					t.Errorf("detail %q, want %q in it", resp.Detail, tt.detail)
				}
				if tt.want == NoFault && resp.NewConnection != (i == 0) {
					t.Errorf("exchange %d: new connection %v", i, resp.NewConnection)
				}
				checkTiming(t, &resp)
			}
		})
	}

	t.Run("large upload, and closed while idle", func(t *testing.T) {
		host, port, _ := net.SplitHostPort(server.Listener.Addr().String())
		c := Conn{Target: NewTarget("https", host, port, TargetOptions{Clock: testClock(), TLS: withName})}
		defer c.Close()
		req := get("/")
		req.Idempotent = false
		req.Head = []byte("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5000000\r\n\r\n")
		req.Body = make([]byte, 5_000_000)
		for i := range 2 {
			var resp Response
			c.Do(req, &resp)
			if resp.Fault != NoFault || string(resp.Body) != "example.com 5000000 HTTP/1.1" || !resp.NewConnection {
				t.Errorf("%d: %q %s, body %q, new %v", i, resp.Fault, resp.Detail, resp.Body, resp.NewConnection)
			}
			server.CloseClientConnections()
			time.Sleep(20 * time.Millisecond)
		}
	})
}
