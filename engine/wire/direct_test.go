//go:build linux && (amd64 || arm64)

package wire

import (
	"net"
	"net/netip"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"
)

// crowded listens and accepts nothing, with its queue full: who connects waits until accept is called.
func crowded(t *testing.T) (addr string, accept func()) {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	file := os.NewFile(uintptr(fd), "listener")
	defer file.Close()
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	l, err := net.FileListener(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	addr = l.Addr().String()
	for full := false; !full; { // a queue of 0 takes one or two
		c, err := net.DialTimeout("tcp", addr, 300*time.Millisecond)
		if full = err != nil; !full {
			t.Cleanup(func() { _ = c.Close() })
		}
	}
	return addr, func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				if readHead(c) != "" {
					_, _ = c.Write([]byte(okHead + "0123456789"))
				}
			}()
		}
	}
}

// A connection that is not there at once is waited for by its user: until its time is up, until it is aborted, or until it comes.
func TestDirect_waits(t *testing.T) {
	t.Parallel()
	t.Run("time is up", func(t *testing.T) {
		t.Parallel()
		addr, _ := crowded(t)
		c := Conn{Target: targetOf(t, addr, TargetOptions{})}
		req := get("/")
		req.ConnectTimeout = 50 * time.Millisecond
		var resp Response
		c.Do(req, &resp)
		if resp.Fault != FaultConnectTimeout || resp.Detail != "connect "+addr+": no answer in time (limit 50ms)" || resp.Exchanges != 0 {
			t.Errorf("%q: %s, %d exchanges", resp.Fault, resp.Detail, resp.Exchanges)
		}
		if !idle(c.Target) {
			t.Error("the dialer's place was kept")
		}
	})
	t.Run("aborted", func(t *testing.T) {
		t.Parallel()
		addr, _ := crowded(t)
		c := Conn{Target: targetOf(t, addr, TargetOptions{})}
		var done sync.WaitGroup
		var resp Response
		done.Go(func() { c.Do(get("/"), &resp) })
		time.Sleep(20 * time.Millisecond) // most likely waiting; right in any case
		c.Abort()
		done.Wait()
		if resp.Fault != FaultInterrupted || !idle(c.Target) {
			t.Errorf("%q: %s", resp.Fault, resp.Detail)
		}
	})
	t.Run("it comes", func(t *testing.T) {
		t.Parallel()
		addr, accept := crowded(t)
		c := Conn{Target: targetOf(t, addr, TargetOptions{})}
		go accept()
		var resp Response
		c.Do(get("/"), &resp)
		if resp.Fault != NoFault || string(resp.Body) != "0123456789" || !resp.NewConnection {
			t.Errorf("%q: %s", resp.Fault, resp.Detail)
		}
		checkTiming(t, &resp)
		c.Close()
	})
}

func idle(t *Target) bool {
	t.queue.mu.Lock()
	defer t.queue.mu.Unlock()
	return t.queue.active == 0 && len(t.queue.waiting) == 0
}

// When all places are taken, users queue for dialers, and a user that gives its own place up lets the next one in.
func TestDirect_placesAreShared(t *testing.T) {
	t.Parallel()
	addr := serveFixed(t, []byte(okHead+"0123456789"))
	target := targetOf(t, addr, TargetOptions{Dialers: 2})
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			for range 50 {
				c := Conn{Target: target}
				var resp Response
				if c.Do(get("/"), &resp); resp.Fault != NoFault {
					t.Errorf("%q: %s", resp.Fault, resp.Detail)
				}
				c.Close()
			}
		})
	}
	all.Wait()
	if !idle(target) {
		t.Error("places are taken though nobody connects")
	}
}

// Connections that are made here come from the sources given, over IPv6 too.
func TestDirect_addresses(t *testing.T) {
	t.Parallel()
	from := make(chan string, 1)
	hello := func(_ int, c *net.TCPConn) {
		if readHead(c) != "" {
			host, _, _ := net.SplitHostPort(c.RemoteAddr().String())
			from <- host
			_, _ = c.Write([]byte(okHead + "0123456789"))
		}
	}
	c := Conn{Target: targetOf(t, serve(t, hello), TargetOptions{Sources: []netip.Addr{netip.MustParseAddr("127.0.0.3")}})}
	defer c.Close()
	var resp Response
	if c.Do(get("/"), &resp); resp.Fault != NoFault {
		t.Fatalf("%q: %s", resp.Fault, resp.Detail)
	}
	if host := <-from; host != "127.0.0.3" {
		t.Errorf("it came from %s", host)
	}

	l, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Skip("no IPv6 here: ", err)
	}
	defer l.Close()
	go func() {
		if conn, err := l.Accept(); err == nil {
			hello(0, conn.(*net.TCPConn))
			_ = conn.Close()
		}
	}()
	six := Conn{Target: targetOf(t, l.Addr().String(), TargetOptions{})}
	defer six.Close()
	if six.Do(get("/"), &resp); resp.Fault != NoFault {
		t.Fatalf("%q: %s", resp.Fault, resp.Detail)
	}
	if host := <-from; host != "::1" {
		t.Errorf("it came from %s", host)
	}
}
