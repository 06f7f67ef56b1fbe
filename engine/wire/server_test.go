package wire

import (
	"bytes"
	"net"
	"sync"
	"testing"
)

// serve listens on a loopback port and gives each connection to handle, until the test ends.
func serve(t testing.TB, handle func(n int, c *net.TCPConn)) (addr string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var (
		mu          sync.Mutex
		connections []net.Conn
		running     sync.WaitGroup
	)
	running.Go(func() {
		for n := 0; ; n++ {
			c, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			connections = append(connections, c)
			mu.Unlock()
			running.Go(func() {
				defer c.Close()
				handle(n, c.(*net.TCPConn))
			})
		}
	})
	t.Cleanup(func() { // nothing outlives the test, however slow the machine is
		_ = l.Close()
		mu.Lock()
		for _, c := range connections {
			_ = c.Close()
		}
		mu.Unlock()
		running.Wait()
	})
	return l.Addr().String()
}

// serveFixed answers each piece of a request that ends with an empty line with fixed bytes, allocating nothing.
func serveFixed(t testing.TB, answer []byte) (addr string) {
	return serve(t, func(_ int, c *net.TCPConn) {
		b := make([]byte, 64<<10)
		for {
			n, err := c.Read(b)
			if err != nil {
				return
			}
			if bytes.Contains(b[:n], []byte("\r\n\r\n")) {
				if _, err := c.Write(answer); err != nil {
					return
				}
			}
		}
	})
}
