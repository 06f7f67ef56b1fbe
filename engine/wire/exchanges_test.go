package wire

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stacrun/stacrun/internal/ports"
)

// What goes out into a connection that the server has closed meanwhile is no exchange: the server has not seen it.
func TestExchanges_equalTheServersCount(t *testing.T) {
	t.Parallel()
	onePath(t, func(t *testing.T, target func(string, TargetOptions) *Target) {
		var served atomic.Int64
		var closing sync.Mutex // held while the server answers and closes, so that the next request finds the connection closed
		addr := serve(t, func(n int, c *net.TCPConn) {
			for i := 0; readHead(c) != ""; i++ {
				served.Add(1)
				switch (n + i) % 5 {
				case 3: // it has read the request, but does not answer
					_ = c.Close()
				case 4:
					closing.Lock()
					_, _ = io.WriteString(c, okHead+"0123456789")
					_ = c.Close()
					closing.Unlock()
				default:
					_, _ = io.WriteString(c, okHead+"0123456789")
				}
			}
		})
		c := Conn{Target: target(addr, TargetOptions{})}
		defer c.Close()
		exchanges, faults := int64(0), 0
		for i := range 150 {
			req := get("/")
			req.Idempotent = i%3 > 0
			var resp Response
			c.Do(req, &resp)
			exchanges += int64(resp.Exchanges)
			if resp.Fault != NoFault {
				faults++
			}
			closing.Lock()
			closing.Unlock() //nolint:staticcheck // it was only to be waited for
		}
		if exchanges != served.Load() {
			t.Errorf("%d exchanges, the server saw %d", exchanges, served.Load())
		}
		if faults == 0 || faults > 75 {
			t.Errorf("%d faults", faults)
		}
	})
}

// Where nothing was sent there was no exchange.
func TestExchanges_noneWithoutAConnection(t *testing.T) {
	t.Parallel()
	addr := ports.Dead(t)
	plain := serveFixed(t, []byte(okHead+"0123456789"))
	host, port, _ := net.SplitHostPort(plain)
	for _, tt := range []struct {
		name   string
		target *Target
		want   Fault
	}{
		{"refused", targetOf(t, addr, TargetOptions{}), FaultConnectRefused},
		{"no TLS", NewTarget("https", host, port, TargetOptions{Clock: testClock()}), FaultTLS},
		{"wrong port", NewTarget("http", host, "0", TargetOptions{Clock: testClock()}), FaultConnect},
	} {
		c := Conn{Target: tt.target}
		req := get("/")
		req.ConnectTimeout = 500 * time.Millisecond
		var resp Response
		c.Do(req, &resp)
		if resp.Exchanges != 0 || resp.BytesOut != 0 || resp.Fault != tt.want && resp.Fault != FaultConnectTimeout {
			t.Errorf("%s: %d exchanges, %d bytes, %s %s", tt.name, resp.Exchanges, resp.BytesOut, resp.Fault, resp.Detail)
		}
	}
}
