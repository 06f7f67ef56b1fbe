package wire

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stacrun/stacrun/internal/ports"
)

// fixedLookup resolves every name to the given addresses and counts.
func fixedLookup(count *atomic.Int32, addrs ...string) func(context.Context, string) ([]netip.Addr, error) {
	return func(context.Context, string) ([]netip.Addr, error) {
		count.Add(1)
		var list []netip.Addr
		for _, a := range addrs {
			list = append(list, netip.MustParseAddr(a))
		}
		return list, nil
	}
}

func TestDial_faults(t *testing.T) {
	t.Parallel()
	_, closedPort, _ := net.SplitHostPort(ports.Dead(t))
	never := func(ctx context.Context, _ string) ([]netip.Addr, error) {
		time.Sleep(300 * time.Millisecond)
		return nil, errors.New("no answer")
	}
	for _, tt := range []struct {
		name       string
		host, port string
		opts       TargetOptions
		req        Request
		want       Fault
		detail     string
	}{
		{"nobody listens", "127.0.0.1", closedPort, TargetOptions{}, Request{}, FaultConnectRefused, "connect 127.0.0.1:" + closedPort + ": connection refused"},
		{"an IPv4 address as a resolver may write it", "x.invalid", closedPort, TargetOptions{Lookup: fixedLookup(new(atomic.Int32), "::ffff:127.0.0.1", "::ffff:127.0.0.2")}, Request{}, FaultConnectRefused, "connect 127.0.0.1:" + closedPort + ": connection refused"},
		{"unknown name", "x.invalid", "80", TargetOptions{Lookup: func(context.Context, string) ([]netip.Addr, error) {
			return nil, &net.DNSError{Err: "no such host", Name: "x.invalid", Server: "10.0.0.1:53", IsNotFound: true}
		}}, Request{}, FaultDNS, "look up x.invalid: no such host"},
		{"name without addresses", "x.invalid", "80", TargetOptions{Lookup: fixedLookup(new(atomic.Int32))}, Request{}, FaultDNS, "look up x.invalid: no addresses"},
		{"look-up takes too long", "x.invalid", "80", TargetOptions{Lookup: never}, Request{ConnectTimeout: 50 * time.Millisecond}, FaultDNS, "look up x.invalid"},
		{"not a port", "127.0.0.1", "99999", TargetOptions{}, Request{}, FaultConnect, `not a port: "99999"`},
		{"no time to connect", "127.0.0.1", closedPort, TargetOptions{}, Request{ConnectTimeout: 1}, FaultConnectTimeout, "limit"},
		{"total time is over", "127.0.0.1", closedPort, TargetOptions{}, Request{TotalTimeout: 1}, FaultConnectTimeout, "limit"},
		{"source address is not ours", "127.0.0.1", closedPort, TargetOptions{Sources: []netip.Addr{netip.MustParseAddr("192.0.2.1")}}, Request{}, FaultConnect, "no local port or address"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.opts.Clock = testClock()
			c := Conn{Target: NewTarget("http", tt.host, tt.port, tt.opts)}
			tt.req.Head = get("/").Head
			var resp Response
			c.Do(&tt.req, &resp)
			if resp.Fault != tt.want || !strings.Contains(resp.Detail, tt.detail) {
				t.Errorf("got %q: %s, want %q: %s", resp.Fault, resp.Detail, tt.want, tt.detail)
			}
			if !resp.Closed {
				t.Error("not closed")
			}
			checkTiming(t, &resp)
		})
	}
	time.Sleep(350 * time.Millisecond) // the look-up that took too long belongs to nobody and ends by itself
}

func TestDial_severalAddresses(t *testing.T) {
	t.Parallel()
	addr := serveFixed(t, []byte(okHead+"0123456789"))
	_, port, _ := net.SplitHostPort(addr)
	var lookups atomic.Int32
	target := NewTarget("http", "many.test", port, TargetOptions{
		Clock: testClock(), Lookup: fixedLookup(&lookups, "127.9.9.1", "127.9.9.2", "127.0.0.1"),
	})
	var resp Response
	for range 3 {
		c := Conn{Target: target}
		c.Do(get("/"), &resp)
		if resp.Fault != NoFault {
			t.Fatalf("%s: %s", resp.Fault, resp.Detail)
		}
		c.Close()
	}
	if n := lookups.Load(); n != 1 {
		t.Errorf("%d look-ups for three connections, want 1", n)
	}
	if target.good.Load() != 2 {
		t.Errorf("address %d is tried first, want 2, which answered", target.good.Load())
	}
}

func TestDial_forgetsAddressesThatDoNotAnswer(t *testing.T) {
	t.Parallel()
	addr := serveFixed(t, []byte(okHead+"0123456789"))
	_, port, _ := net.SplitHostPort(addr)
	var lookups atomic.Int32
	target := NewTarget("http", "moved.test", port, TargetOptions{Clock: testClock(), Lookup: func(context.Context, string) ([]netip.Addr, error) {
		if lookups.Add(1) == 1 {
			return []netip.Addr{netip.MustParseAddr("127.9.9.9")}, nil
		}
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}})
	c := Conn{Target: target}
	defer c.Close()
	var resp Response
	c.Do(get("/"), &resp)
	if resp.Fault != FaultConnectRefused {
		t.Fatalf("got %q %s, want connect-refused", resp.Fault, resp.Detail)
	}
	c.Do(get("/"), &resp)
	if resp.Fault != NoFault {
		t.Fatalf("got %q %s, want the new address to be used", resp.Fault, resp.Detail)
	}
}

func TestDial_addressAndSources(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	seen := map[string]int{}
	addr := serve(t, func(_ int, c *net.TCPConn) {
		host, _, _ := net.SplitHostPort(c.RemoteAddr().String())
		mu.Lock()
		seen[host]++
		mu.Unlock()
		readHead(c)
		_, _ = c.Write([]byte(okHead + "0123456789"))
		untilGone(c)
	})
	target := NewTarget("http", "elsewhere.test", "80", TargetOptions{
		Clock: testClock(), Address: addr,
		Sources: []netip.Addr{netip.MustParseAddr("127.0.0.11"), netip.MustParseAddr("::1"), netip.MustParseAddr("127.0.0.12")},
	})
	for range 6 {
		c := Conn{Target: target}
		var resp Response
		c.Do(get("/"), &resp)
		if resp.Fault != NoFault {
			t.Fatalf("%s: %s", resp.Fault, resp.Detail)
		}
		c.Close()
	}
	mu.Lock()
	defer mu.Unlock()
	if len(seen) != 2 || seen["127.0.0.11"]+seen["127.0.0.12"] != 6 {
		t.Errorf("connections came from %v", seen)
	}
	if s := target.String(); s != "http://elsewhere.test:80" {
		t.Errorf("target is called %s", s)
	}
}

func TestDial_ipv6(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Skip("no IPv6 here:", err)
	}
	defer l.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		c, err := l.Accept()
		if err != nil {
			return
		}
		readHead(c)
		_, _ = c.Write([]byte(okHead + "0123456789"))
		_ = c.Close()
	}()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	c := Conn{Target: NewTarget("http", "[::1]", port, TargetOptions{Clock: testClock()})}
	var resp Response
	c.Do(get("/"), &resp)
	if resp.Fault != NoFault || string(resp.Body) != "0123456789" {
		t.Errorf("%s: %s", resp.Fault, resp.Detail)
	}
	c.Close()
	<-done
}

// More users than dialers all get their connection, and nobody waits behind dialers that are stuck.
func TestDial_queue(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		lookup time.Duration
	}{{"moving", 0}, {"stuck", 250 * time.Millisecond}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			addr := serveFixed(t, []byte(okHead+"0123456789"))
			_, port, _ := net.SplitHostPort(addr)
			target := NewTarget("http", "slow.test", port, TargetOptions{Clock: testClock(), Dialers: 2, Lookup: func(context.Context, string) ([]netip.Addr, error) {
				time.Sleep(tt.lookup)
				return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
			}})
			var wg sync.WaitGroup
			var faults, queued atomic.Int32
			for range 50 {
				wg.Go(func() {
					c := Conn{Target: target}
					defer c.Close()
					var resp Response
					c.Do(get("/"), &resp)
					if resp.Fault != NoFault {
						faults.Add(1)
					}
					if resp.Queued > 0 {
						queued.Add(1)
					}
				})
			}
			wg.Wait()
			if faults.Load() != 0 {
				t.Errorf("%d of 50 users have no connection", faults.Load())
			}
		})
	}
}

func TestDial_queueKeepsTimeLimits(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	target := NewTarget("http", "stuck.test", "80", TargetOptions{Clock: testClock(), Dialers: 1, Lookup: func(context.Context, string) ([]netip.Addr, error) {
		<-release
		return nil, errors.New("never mind")
	}})
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() {
			c := Conn{Target: target}
			req := get("/")
			req.ConnectTimeout = 60 * time.Millisecond
			var resp Response
			c.Do(req, &resp)
			if resp.Fault != FaultDNS && resp.Fault != FaultConnectTimeout {
				t.Errorf("got %q %s", resp.Fault, resp.Detail)
			}
		})
	}
	c := Conn{Target: target}
	wg.Go(func() {
		var resp Response
		c.Do(get("/"), &resp)
		if resp.Fault != FaultInterrupted {
			t.Errorf("aborted while connecting: got %q %s", resp.Fault, resp.Detail)
		}
	})
	time.Sleep(30 * time.Millisecond)
	c.Abort()
	wg.Wait()
	close(release)
}

func TestProbe(t *testing.T) {
	t.Parallel()
	addr := serve(t, func(_ int, c *net.TCPConn) { untilGone(c) })
	if fault, detail := targetOf(t, addr, TargetOptions{}).Probe(time.Second); fault != NoFault {
		t.Errorf("%s: %s", fault, detail)
	}
	if fault, _ := targetOf(t, "127.9.9.9:9", TargetOptions{}).Probe(time.Second); fault != FaultConnectRefused {
		t.Errorf("got %q, want connect-refused", fault)
	}
}
