package engine

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stacrun/stacrun/engine/wire"
	"github.com/stacrun/stacrun/metrics"
)

// fakeServer answers exchanges in the time of a synctest bubble.
type fakeServer struct {
	clock  Clock
	answer func(target string, n int) fakeAnswer // n counts all exchanges from 0
	mu     sync.Mutex
	count  int
	heads  []string
}

type fakeAnswer struct {
	after  time.Duration
	status int
	head   string // header lines
	fault  wire.Fault
}

type fakeConn struct {
	srv     *fakeServer
	aborted chan struct{}
	once    sync.Once
}

func (s *fakeServer) connect(string) Connection {
	return &fakeConn{srv: s, aborted: make(chan struct{})}
}

func (c *fakeConn) Do(req *wire.Request, resp *wire.Response) {
	s := c.srv
	s.mu.Lock()
	n := s.count
	s.count++
	s.heads = append(s.heads, string(req.Head))
	s.mu.Unlock()
	target := strings.Fields(string(req.Head))[1]
	a := fakeAnswer{after: time.Millisecond, status: 200}
	if s.answer != nil {
		a = s.answer(target, n)
	}
	start := s.clock.Now()
	*resp = wire.Response{BytesOut: int64(len(req.Head)), Exchanges: 1} // it went out, whatever comes back
	timer := time.NewTimer(a.after)
	defer timer.Stop()
	select {
	case <-timer.C:
		resp.Status, resp.Fault = a.status, a.fault
	case <-c.aborted:
		resp.Fault, resp.Detail = wire.FaultInterrupted, "stopped"
	}
	end := s.clock.Now()
	resp.Timing = wire.Timing{Start: start, DNS: start, Connected: start, TLS: start, Sent: start, FirstByte: end, End: end}
	resp.Head = []byte("HTTP/1.1 200 OK\r\n" + a.head + "\r\n")
	if a.fault != wire.NoFault {
		resp.Status, resp.Detail = 0, a.fault.String()
	}
}

func (c *fakeConn) Abort() { c.once.Do(func() { close(c.aborted) }) }
func (c *fakeConn) Close() {}

// dry is what a run on made-up time gave.
type dry struct {
	*metrics.Snapshot
	samples []metrics.Sample // sorted by start
	heads   []string
	engine  *Engine
	took    time.Duration
	events  []string
	dropAt  int64 // second in which iterations were dropped last
}

// starts are the starts of all request samples in milliseconds.
func (d *dry) starts() []int64 {
	var ms []int64
	for _, s := range d.samples {
		if s.Kind == metrics.RequestKind {
			ms = append(ms, s.Start/1e6)
		}
	}
	return ms
}

// dryRun runs a document on made-up time.
func dryRun(t *testing.T, text string, answer func(target string, n int) fakeAnswer, while func(*Engine)) *dry {
	t.Helper()
	return dryRunOf(t, compile(t, text), answer, while)
}

func dryRunOf(t *testing.T, plan *Plan, answer func(target string, n int) fakeAnswer, while func(*Engine)) *dry {
	t.Helper()
	d := &dry{}
	synctest.Test(t, func(t *testing.T) {
		clock := NewClock()
		srv := &fakeServer{clock: clock, answer: answer}
		d.engine = New(plan, RunOptions{Clock: clock, Connect: srv.connect, Samples: func(batch []metrics.Sample) {
			d.samples = append(d.samples, batch...)
		}})
		if while != nil {
			go while(d.engine)
		}
		began := time.Now()
		out, err := d.engine.Start(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		d.Snapshot = metrics.NewSnapshot()
		for iv := range out {
			for _, e := range iv.Events {
				d.events = append(d.events, e.Kind+": "+e.Text)
			}
			for _, l := range iv.Load {
				if l.Dropped != [metrics.DropCount]int64{} {
					d.dropAt = iv.Second
				}
			}
			d.Add(iv)
		}
		d.took = time.Since(began)
		d.heads = srv.heads
		synctest.Wait()
	})
	if err := d.Reconcile(); err != nil {
		t.Error(err)
	}
	slices.SortStableFunc(d.samples, func(a, b metrics.Sample) int { return cmp.Compare(a.Start, b.Start) })
	return d
}

const oneRequest = "\nscenarios: {s: {default-address: 'http://fake', requests: [/]}}\n"

// slow answers everything after d.
func slow(d time.Duration) func(string, int) fakeAnswer {
	return func(string, int) fakeAnswer { return fakeAnswer{after: d, status: 200} }
}
