package wire

// Fault classifies why an exchange failed, by phase and cause. The words are those of the house's samples.
type Fault uint8

// The faults, in the order of an exchange.
const (
	NoFault             Fault = iota
	FaultDNS                  // the name did not resolve
	FaultConnectRefused       // nobody listens
	FaultConnectTimeout       // no connection, or no TLS session, in time
	FaultConnect              // other connect errors: no route, no ports, no descriptors
	FaultTLS                  // handshake or record error, certificate not accepted
	FaultReset                // connection reset by the peer
	FaultClosedEarly          // closed before the whole answer had come
	FaultTimeout              // no first byte, or no end, in time
	FaultProtocol             // what came is not HTTP/1
	FaultTooLarge             // head, or a body that had to be kept, over its limit
	FaultInterrupted          // [Conn.Abort] was called while it was under way
	FaultCount                // number of faults, not a fault
)

// String gives the fixed word of the fault, "" for NoFault.
func (f Fault) String() string {
	switch f {
	case NoFault:
		return ""
	case FaultDNS:
		return "dns"
	case FaultConnectRefused:
		return "connect-refused"
	case FaultConnectTimeout:
		return "connect-timeout"
	case FaultConnect:
		return "connect"
	case FaultTLS:
		return "tls"
	case FaultReset:
		return "reset"
	case FaultClosedEarly:
		return "closed-early"
	case FaultTimeout:
		return "timeout"
	case FaultProtocol:
		return "protocol"
	case FaultTooLarge:
		return "too-large"
	case FaultInterrupted:
		return "interrupted"
	}
	return "unknown"
}
