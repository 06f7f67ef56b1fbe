package wire

import (
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stacrun/stacrun/internal/weigh"
)

// A user who waits for an answer holds its goroutine, its connection and no buffer. The figure includes the server's end
// of the connection, which lives in this process too.
func TestDo_memoryOfWaitingUsers(t *testing.T) {
	weigh.Exact(t)
	const users, limit = 2000, 6 << 10 // a stack of twice the size does not fit
	var mu sync.Mutex
	var conns []net.Conn
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	accepting := make(chan struct{})
	go func() {
		defer close(accepting)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			conns = append(conns, c)
			mu.Unlock()
		}
	}()
	target := targetOf(t, l.Addr().String(), TargetOptions{})
	all := make([]Conn, users)
	req := &Request{Method: "GET", Head: get("/").Head, TotalTimeout: time.Minute}
	before := weigh.HeapAndStacks(t)
	var wg sync.WaitGroup
	for i := range all {
		c := &all[i]
		c.Target = target
		wg.Go(func() {
			var resp Response
			c.Do(req, &resp)
		})
	}
	for waiting := 0; waiting < users; {
		time.Sleep(10 * time.Millisecond)
		mu.Lock()
		waiting = len(conns)
		mu.Unlock()
	}
	time.Sleep(50 * time.Millisecond)
	perUser := (weigh.HeapAndStacks(t) - before) / users
	t.Logf("%d bytes per waiting user", perUser)
	if perUser > limit {
		t.Errorf("%d bytes per waiting user, want at most %d", perUser, limit)
	}
	for i := range all {
		all[i].Abort()
	}
	wg.Wait()
	_ = l.Close()
	<-accepting
	for _, c := range conns {
		_ = c.Close()
	}
}
