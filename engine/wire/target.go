package wire

import (
	"context"
	"crypto/tls"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// TargetOptions say how a [Target] is reached. Only Clock is required.
type TargetOptions struct {
	Clock Clock

	// TLS is the client configuration of an https target; nil verifies against the system's roots. It is cloned;
	// an empty ServerName becomes the target's host.
	TLS *tls.Config

	// Address, "host:port" or "host", is connected to instead of the target's own; Host header and server name stay.
	Address string

	// Tunnel says that Address is a proxy, which is asked by CONNECT for a way to the target. TunnelLines are further header
	// lines for it, each with its line end, such as Proxy-Authorization.
	Tunnel      bool
	TunnelLines string

	// Sources are local addresses that connections are bound to in turn. A single source has about
	// 28,000 ports towards one address.
	Sources []netip.Addr

	// ResolveEvery is how long a look-up is used; 0: 30 s. A look-up is also forgotten when none of its addresses answers.
	ResolveEvery time.Duration

	// InTurn spreads connections over all addresses of the name; otherwise they go to the one that answered last.
	InTurn bool

	// Moved is told when a look-up gives other addresses than the one before; nil: nobody wants to know.
	Moved func(host string, before, now []netip.Addr)

	// Short is told when a connection could not be made because this machine had no file descriptor, or no local port, left for
	// it: then the fault is not the target's. nil: nobody wants to know.
	Short func(port bool)

	// Lookup resolves a name; nil: the system's resolver.
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)

	// Dying is told when a goroutine of the target panics, which is to end the process; nil: the language does.
	Dying func(mistake any)

	// Dialers is how many connections are being made at once; 0: 128. Others wait their turn, but not
	// longer than 100 ms while nothing moves.
	Dialers int
}

// Target is where requests go: scheme, host and port, shared by all users of a run. Its name is resolved when
// first needed. It is safe for use by many goroutines.
type Target struct {
	scheme, host, port string

	clock   Clock
	tls     *tls.Config // nil: plain
	sources []netip.Addr
	source  atomic.Uint32 // next of sources
	names   names
	queue   queue
	good    atomic.Uint32 // index of the address that answered last
	inTurn  bool          // … or of the next one
	short   func(port bool)
	stream  bool   // take the ordinary path even where there is a raw one
	wrong   string // why it can never be connected to, "" normally
	toPort  uint16

	tunnel      bool
	tunnelLines string

	buffers buffers
}

// NewTarget makes a target. The scheme is "http" or "https"; the host is a name or an address, IPv6 with or without
// brackets; an empty port is the scheme's.
func NewTarget(scheme, host, port string, opts TargetOptions) *Target {
	t := &Target{
		scheme: strings.ToLower(scheme), host: unbracket(host), port: port,
		clock: opts.Clock, sources: opts.Sources, inTurn: opts.InTurn, short: opts.Short, tunnel: opts.Tunnel, tunnelLines: opts.TunnelLines,
	}
	if t.port == "" {
		t.port = "80"
		if t.scheme == "https" {
			t.port = "443"
		}
	}
	if t.scheme == "https" {
		t.tls = clientTLS(opts.TLS, t.host)
		t.stream = true
	}
	toHost, toPort := t.host, t.port
	if opts.Address != "" {
		if h, p, err := net.SplitHostPort(opts.Address); err == nil {
			toHost, toPort = h, p
		} else {
			toHost = unbracket(opts.Address)
		}
	}
	number, err := strconv.ParseUint(toPort, 10, 16)
	if err != nil || number == 0 {
		t.wrong = "not a port: " + strconv.Quote(toPort)
	}
	t.toPort = uint16(number)
	t.names = names{host: toHost, lookup: opts.Lookup, every: opts.ResolveEvery, moved: opts.Moved, guard: guard{opts.Dying}}
	if a, err := netip.ParseAddr(toHost); err == nil {
		t.names.fixed = []netip.Addr{a}
	}
	if t.names.every == 0 {
		t.names.every = 30 * time.Second
	}
	if t.names.lookup == nil {
		t.names.lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	t.queue.limit = opts.Dialers
	if t.queue.limit <= 0 {
		t.queue.limit = 128
	}
	return t
}

// clientTLS completes a configuration. We speak HTTP/1.1 only, so that is what is offered unless the configuration
// offers something itself.
func clientTLS(given *tls.Config, host string) *tls.Config {
	cfg := given.Clone()
	if cfg == nil {
		cfg = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	if cfg.ServerName == "" {
		cfg.ServerName = strings.TrimSuffix(host, ".")
	}
	if len(cfg.NextProtos) == 0 {
		cfg.NextProtos = []string{"http/1.1"}
	}
	return cfg
}

func unbracket(host string) string {
	if len(host) > 1 && host[0] == '[' && host[len(host)-1] == ']' {
		return host[1 : len(host)-1]
	}
	return host
}

// String gives the target as scheme://host:port.
func (t *Target) String() string { return t.scheme + "://" + net.JoinHostPort(t.host, t.port) }

// Probe connects once, TLS included, and disconnects: the preflight's question whether somebody is there.
func (t *Target) Probe(timeout time.Duration) (fault Fault, detail string) {
	c := Conn{Target: t, req: &Request{ConnectTimeout: timeout}, resp: &Response{}}
	c.resp.Timing.Start = t.clock()
	if c.connect() {
		c.Close()
	}
	return c.resp.Fault, c.resp.Detail
}

// nextSource gives the local address for the next connection; invalid: any.
func (t *Target) nextSource(remote netip.Addr) netip.AddrPort {
	for range t.sources {
		a := t.sources[int(t.source.Add(1)-1)%len(t.sources)]
		if a.Is4() == remote.Unmap().Is4() {
			return netip.AddrPortFrom(a, 0)
		}
	}
	return netip.AddrPort{}
}
