package wire

import (
	"context"
	"crypto/tls"
	"net/netip"
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

	// Sources are local addresses that connections are bound to in turn. A single source has about
	// 28,000 ports towards one address.
	Sources []netip.Addr

	// ResolveEvery is how long a look-up is used; 0: 30 s. A look-up is also forgotten when none of its addresses answers.
	ResolveEvery time.Duration

	// Lookup resolves a name; nil: the system's resolver.
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)

	// Dialers is how many connections are being made at once; 0: 128. Others wait their turn, but not
	// longer than 100 ms while nothing moves.
	Dialers int
}

// Target is where requests go: scheme, host and port, shared by all users of a run. Its name is resolved when
// first needed. It is safe for use by many goroutines.
type Target struct {
	buffers buffers
}

// NewTarget makes a target. The scheme is "http" or "https"; the host is a name or an address, IPv6 without
// brackets; an empty port is the scheme's.
func NewTarget(scheme, host, port string, opts TargetOptions) *Target {
	return &Target{}
}

// Probe connects once, TLS included, and disconnects: the preflight's question whether somebody is there.
func (t *Target) Probe(timeout time.Duration) (fault Fault, detail string) {
	return NoFault, ""
}

// String gives the target as scheme://host:port.
func (t *Target) String() string { return "" }
