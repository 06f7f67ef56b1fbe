package wire

import (
	"context"
	"io"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// listening is a server that can be stopped, connections and all, and started again at its address.
type listening struct {
	listener net.Listener
	mu       sync.Mutex
	conns    []net.Conn // guarded by mu
	ended    sync.WaitGroup
}

func listen(t *testing.T, addr string, served *atomic.Int64) *listening {
	t.Helper()
	l, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	s := &listening{listener: l}
	s.ended.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s.mu.Lock()
			s.conns = append(s.conns, c)
			s.mu.Unlock()
			s.ended.Go(func() {
				defer c.Close()
				for readHead(c) != "" {
					served.Add(1)
					_, _ = io.WriteString(c, okHead+"0123456789")
				}
			})
		}
	})
	return s
}

func (s *listening) stop() {
	_ = s.listener.Close()
	s.mu.Lock()
	for _, c := range s.conns {
		_ = c.Close()
	}
	s.mu.Unlock()
	s.ended.Wait()
}

// While the target is down requests are refused, and when it is back users connect to it again; each is told as it was.
func TestDo_targetRestarts(t *testing.T) {
	t.Parallel()
	onePath(t, func(t *testing.T, target func(string, TargetOptions) *Target) {
		var served atomic.Int64
		s := listen(t, "127.0.0.1:0", &served)
		addr := s.listener.Addr().String()
		to := target(addr, TargetOptions{})
		users := make([]Conn, 5)
		exchanges := int64(0)
		round := func(phase string, want Fault, connects bool) {
			for i := range users {
				users[i].Target = to
				req := get("/")
				req.Idempotent = i%2 == 0
				var resp Response
				users[i].Do(req, &resp)
				exchanges += int64(resp.Exchanges)
				if resp.Fault != want || resp.NewConnection != connects {
					t.Errorf("%s, user %d: %q: %s, new connection %v; want %q, %v", phase, i, resp.Fault, resp.Detail, resp.NewConnection, want, connects)
				}
			}
		}
		round("before", NoFault, true)
		round("before", NoFault, false)
		s.stop()
		round("down", FaultConnectRefused, false)
		round("down", FaultConnectRefused, false)
		s = listen(t, addr, &served)
		round("back", NoFault, true)
		round("back", NoFault, false)
		for i := range users {
			users[i].Close()
		}
		s.stop()
		if exchanges != served.Load() {
			t.Errorf("%d exchanges, the server saw %d", exchanges, served.Load())
		}
	})
}

// A name that comes to mean another address is followed by new connections, and by all when the old address is gone.
func TestDo_nameMoves(t *testing.T) {
	t.Parallel()
	var old, now atomic.Int64
	first := listen(t, "127.0.0.1:0", &old)
	_, port, _ := net.SplitHostPort(first.listener.Addr().String())
	second := listen(t, "127.0.0.2:"+port, &now)
	defer second.stop()
	var moved atomic.Bool
	target := NewTarget("http", "moving.test", port, TargetOptions{
		Clock: testClock(), ResolveEvery: time.Nanosecond,
		Lookup: func(context.Context, string) ([]netip.Addr, error) {
			if moved.Load() {
				return []netip.Addr{netip.MustParseAddr("127.0.0.2")}, nil
			}
			return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
		},
	})
	var resp Response
	do := func(c *Conn, step string, wantOld, wantNow int64) {
		t.Helper()
		c.Do(get("/"), &resp)
		if resp.Fault != NoFault || old.Load() != wantOld || now.Load() != wantNow {
			t.Errorf("%s: %q %s, old %d, new %d; want %d, %d", step, resp.Fault, resp.Detail, old.Load(), now.Load(), wantOld, wantNow)
		}
	}
	stays, comes := Conn{Target: target}, Conn{Target: target}
	defer stays.Close()
	defer comes.Close()
	do(&stays, "before", 1, 0)
	moved.Store(true)
	do(&stays, "kept alive", 2, 0)
	do(&comes, "new connection", 2, 1)
	first.stop()
	do(&stays, "old address gone", 2, 2)
}
