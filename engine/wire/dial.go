package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/netip"
	"sync"
	"syscall"
	"time"
)

// stuck is how long a queue of dialers may not move before who waits goes on without one.
const stuck = 100 * time.Millisecond

// dialing is one connection being made. What is below done is written by the dialer and read after done.
type dialing struct {
	ctx   context.Context
	begun int64
	taken bool // guarded by the queue's mu: by a dialer, or given up

	done      chan struct{}
	tcp       socket
	nc        duplex
	raw       syscall.RawConn
	fault     Fault
	detail    string
	queued    int64 // ns
	resolved  int64 // clock time, as the others; 0: not reached
	connected int64
	secured   int64
}

// queue hands dialing to goroutines of its own: connecting needs a deep stack, and users' stacks should stay small.
// Its limit keeps the target's accept queue from overflowing.
type queue struct {
	mu      sync.Mutex
	limit   int
	active  int // guarded by mu
	waiting []*dialing
	moved   time.Time // guarded by mu: when a dialing ended last
}

// dial makes a connection for c, in at most the time that its request allows.
func (t *Target) dial(c *Conn) *dialing {
	start := t.clock()
	d := &dialing{begun: start}
	if t.wrong != "" {
		d.fault, d.detail = FaultConnect, t.wrong
		d.resolved, d.connected, d.secured = start, start, start
		return d
	}
	limit := c.req.ConnectTimeout
	if limit <= 0 {
		limit = DefaultConnectTimeout
	}
	if total := c.req.TotalTimeout; total > 0 {
		limit = min(limit, total-time.Duration(start-c.resp.Timing.Start))
	}
	if !t.direct(c, d, limit) {
		t.byDialer(c, d, limit)
	}
	if d.fault == FaultConnectTimeout {
		d.detail += " (limit " + limit.Round(time.Millisecond).String() + ")"
	}
	// The phase that failed lasted until now, and those after it took no time.
	now := t.clock()
	for _, end := range [...]*int64{&d.resolved, &d.connected, &d.secured} {
		if *end == 0 {
			*end = now
		}
	}
	return d
}

// byDialer has a dialer make the connection, and waits for it.
func (t *Target) byDialer(c *Conn, d *dialing, limit time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	d.ctx, d.done = ctx, make(chan struct{})
	c.mu.Lock()
	c.cancel = cancel
	c.mu.Unlock()
	if c.aborted.Load() {
		cancel()
	}
	if !t.enqueue(d) {
		t.await(d)
	}
	<-d.done
}

// enqueue starts a dialer or puts d into the queue.
func (t *Target) enqueue(d *dialing) (started bool) {
	q := &t.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.active < q.limit {
		q.active++
		d.taken = true
		go t.dialer(d)
		return true
	}
	q.waiting = append(q.waiting, d)
	return false
}

// await waits in the queue until a dialer has taken d, or the queue is stuck, or time is up.
func (t *Target) await(d *dialing) {
	q := &t.queue
	ticker := time.NewTicker(stuck)
	defer ticker.Stop()
	for {
		select {
		case <-d.done:
			return
		case <-d.ctx.Done():
		case <-ticker.C:
		}
		q.mu.Lock()
		if d.taken {
			q.mu.Unlock()
			return
		}
		if d.ctx.Err() != nil {
			d.taken = true
			q.mu.Unlock()
			d.queued = t.clock() - d.begun
			d.fault, d.detail = ctxFault(d.ctx), "not connected: waited in vain for a free dialer"
			close(d.done)
			return
		}
		if time.Since(q.moved) >= stuck {
			d.taken = true
			q.active++
			q.mu.Unlock()
			go t.dialer(d)
			return
		}
		q.mu.Unlock()
	}
}

// dialer makes the connection d, and then those that wait.
func (t *Target) dialer(d *dialing) {
	defer t.names.watch()
	for d != nil {
		t.make(d)
		close(d.done)
		d = t.queue.next()
	}
}

// next gives who has waited longest to a place that has become free, or gives the place up.
func (q *queue) next() (d *dialing) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.moved = time.Now()
	for d == nil && len(q.waiting) > 0 && q.active <= q.limit {
		next := q.waiting[0]
		q.waiting[0] = nil
		q.waiting = q.waiting[1:]
		if !next.taken {
			next.taken = true
			d = next
		}
	}
	if d == nil {
		q.active--
	}
	return d
}

// enter takes a place for a connection that its user makes, unless others wait for one.
func (q *queue) enter() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.active >= q.limit || len(q.waiting) > 0 {
		return false
	}
	q.active++
	return true
}

// leaveQueue gives that place to who waits, whom a dialer serves.
func (t *Target) leaveQueue() {
	if d := t.queue.next(); d != nil {
		go t.dialer(d)
	}
}

// make resolves, connects, opens a tunnel where one is needed, and shakes hands for https.
func (t *Target) make(d *dialing) {
	d.queued = t.clock() - d.begun
	addrs, known, err := t.names.resolve(d.ctx)
	if err != nil {
		d.fault, d.detail = FaultDNS, err.Error()
		if d.ctx.Err() == context.Canceled {
			d.fault = FaultInterrupted
		}
		return
	}
	d.resolved = d.begun
	if !known {
		d.resolved = t.clock()
	}
	if !t.connectAny(d, addrs) {
		t.names.forget()
		if t.tunnel && d.fault != FaultInterrupted {
			d.detail = "proxy: " + d.detail
		}
		return
	}
	if t.tunnel && !t.openTunnel(d) {
		_ = d.tcp.Close()
		return
	}
	d.connected = t.clock()
	d.secured = d.connected
	d.nc = d.tcp
	d.raw = rawConn(d.tcp)
	if t.tls == nil {
		return
	}
	secure := tls.Client(d.tcp.(*net.TCPConn), t.tls) // connectAny makes no others
	if err := secure.HandshakeContext(d.ctx); err != nil {
		_ = d.tcp.Close()
		d.fault, d.detail = handshakeFault(d.ctx, err)
		return
	}
	d.nc = secure
	d.secured = t.clock()
}

// connectAny tries the addresses in order, beginning with the one that answered last, or with each in turn. Each but the last gets its
// share of the time that is left, but no less than 2 s.
func (t *Target) connectAny(d *dialing, addrs []netip.Addr) bool {
	first := int(t.good.Load())
	if t.inTurn {
		first = int(t.good.Add(1) - 1)
	}
	deadline, _ := d.ctx.Deadline()
	for i := range addrs {
		index := (first + i) % len(addrs)
		ctx, cancel := d.ctx, context.CancelFunc(func() {})
		if rest := len(addrs) - i; rest > 1 {
			share := max(time.Until(deadline)/time.Duration(rest), 2*time.Second)
			ctx, cancel = context.WithTimeout(d.ctx, share)
		}
		to := netip.AddrPortFrom(addrs[index], t.toPort)
		tcp, err := t.connectTo(ctx, to)
		if err == nil {
			cancel()
			d.tcp, d.fault, d.detail = tcp, NoFault, ""
			if index != first && !t.inTurn {
				t.good.Store(uint32(index))
			}
			return true
		}
		if d.fault == NoFault || d.ctx.Err() != nil { // the first address' trouble is the telling one
			d.fault, d.detail = connectFault(ctx, to, err)
			t.tellShort(err)
		}
		cancel()
		if d.ctx.Err() != nil {
			return false
		}
	}
	return false
}

// tellShort tells of what this machine had none left of.
func (t *Target) tellShort(err error) {
	port := errors.Is(err, syscall.EADDRNOTAVAIL)
	if t.short != nil && (port || outOfDescriptors(err)) {
		t.short(port)
	}
}

func (t *Target) connectTo(ctx context.Context, to netip.AddrPort) (*net.TCPConn, error) {
	dialer := net.Dialer{KeepAlive: -1} // users notice a dead peer by their timeouts
	// DialTCP would bind even without a source, which takes a port from all peers at once and long to find it.
	if from := t.nextSource(to.Addr()); from.IsValid() {
		dialer.LocalAddr, dialer.Control = net.TCPAddrFromAddrPort(from), lateBind
	}
	conn, err := dialer.DialContext(ctx, "tcp", to.String())
	if err != nil {
		return nil, err
	}
	return conn.(*net.TCPConn), nil
}
