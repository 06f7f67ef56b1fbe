package wire

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// maxLookup bounds a look-up that several users may wait for.
const maxLookup = 30 * time.Second

// names resolves one host name for all users: one look-up at a time, and its result for a while.
type names struct {
	host   string
	fixed  []netip.Addr // of a host that is an address
	lookup func(ctx context.Context, host string) ([]netip.Addr, error)
	every  time.Duration
	moved  func(host string, before, now []netip.Addr)
	guard

	mu      sync.Mutex
	addrs   []netip.Addr // guarded by mu
	until   time.Time    // guarded by mu
	running *lookup      // guarded by mu
}

// lookup is one look-up under way.
type lookup struct {
	done  chan struct{}
	addrs []netip.Addr
	err   error
}

// resolve gives the addresses of the host, in the order in which they should be tried, and whether they were known
// without looking them up.
func (n *names) resolve(ctx context.Context) (addrs []netip.Addr, known bool, err error) {
	n.mu.Lock()
	if addrs := n.held(); addrs != nil {
		n.mu.Unlock()
		return addrs, true, nil
	}
	l := n.running
	if l == nil {
		l = &lookup{done: make(chan struct{})}
		n.running = l
		go n.run(l)
	}
	n.mu.Unlock()
	select {
	case <-l.done:
		return l.addrs, false, l.err
	case <-ctx.Done():
		return nil, false, fmt.Errorf("look up %s: %w", n.host, ctx.Err())
	}
}

// known gives the addresses where they need no look-up, else none.
func (n *names) known() []netip.Addr {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.held()
}

// held is known under the lock.
func (n *names) held() []netip.Addr {
	if n.fixed != nil {
		return n.fixed
	}
	if len(n.addrs) > 0 && time.Now().Before(n.until) {
		return n.addrs
	}
	return nil
}

// run makes one look-up. It belongs to no single user, so no single user's time limit ends it.
func (n *names) run(l *lookup) {
	defer n.watch()
	ctx, cancel := context.WithTimeout(context.Background(), maxLookup)
	defer cancel()
	l.addrs, l.err = n.lookup(ctx, n.host)
	for i := range l.addrs {
		l.addrs[i] = l.addrs[i].Unmap() // resolvers write IPv4 addresses in either form, and texts should tell them in one
	}
	if l.err == nil && len(l.addrs) == 0 {
		l.err = errors.New("no addresses")
	}
	var dns *net.DNSError
	if errors.As(l.err, &dns) {
		l.err = errors.New(dns.Err) // without the address of the name server, which varies
	}
	if l.err != nil {
		l.err = fmt.Errorf("look up %s: %w", n.host, l.err)
	}
	n.mu.Lock()
	n.running = nil
	before := n.addrs
	if l.err == nil {
		n.addrs, n.until = l.addrs, time.Now().Add(n.every)
	}
	n.mu.Unlock()
	if l.err == nil && n.moved != nil && len(before) > 0 && !sameAddrs(before, l.addrs) {
		n.moved(n.host, before, l.addrs)
	}
	close(l.done)
}

// forget makes the next connection look the name up again.
func (n *names) forget() {
	n.mu.Lock()
	n.until = time.Time{}
	n.mu.Unlock()
}

// sameAddrs compares without regard to order, which name servers change with every answer.
func sameAddrs(a, b []netip.Addr) bool {
	if len(a) != len(b) {
		return false
	}
	for _, addr := range a {
		if !slices.Contains(b, addr) {
			return false
		}
	}
	return true
}
