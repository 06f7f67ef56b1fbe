package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"
)

// tunnelHead bounds the proxy's answer to CONNECT, in bytes.
const tunnelHead = 16 << 10

// openTunnel asks the proxy at the other end of d.tcp for a way to the target (RFC 9110 section 9.3.6). It belongs to making the
// connection: its time is part of the connect phase, and its bytes are neither the request's nor the answer's.
func (t *Target) openTunnel(d *dialing) bool {
	// Cancelling and the deadline of the context both end what is waited for.
	stop := context.AfterFunc(d.ctx, func() { _ = d.tcp.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	to := net.JoinHostPort(t.host, t.port)
	head := "CONNECT " + to + " HTTP/1.1\r\nHost: " + to + "\r\n" + t.tunnelLines + "\r\n"
	if _, err := io.WriteString(d.tcp, head); err != nil {
		d.fault, d.detail = tunnelFault(d.ctx, to, err)
		return false
	}
	var a answer
	a.reset(&Request{Method: "HEAD", MaxHead: tunnelHead}) // what stands behind the head is the target's
	b := make([]byte, 2<<10)
	for a.part != complete {
		if a.n == len(b) {
			b = append(b, make([]byte, len(b))...)
		}
		n, err := d.tcp.Read(b[a.n:])
		a.n += n
		if n > 0 && a.advance(b) && a.part == broken {
			d.fault, d.detail = FaultConnect, "the proxy's answer to CONNECT "+to+": "+a.detail
			return false
		}
		if err != nil && a.part != complete {
			d.fault, d.detail = tunnelFault(d.ctx, to, err)
			return false
		}
	}
	switch {
	case a.status/100 != 2:
		why := strings.TrimSpace(fmt.Sprintf("status %d %s", a.status, http.StatusText(a.status)))
		d.fault, d.detail = FaultConnect, "the proxy refuses a tunnel to "+to+": "+why
	case a.pos < a.n: // a TLS server says nothing before the client has
		d.fault, d.detail = FaultConnect, fmt.Sprintf("the proxy sent %d bytes too many when it opened a tunnel to %s", a.n-a.pos, to)
	case !stop():
		d.fault, d.detail = tunnelFault(d.ctx, to, d.ctx.Err())
	default:
		return true
	}
	return false
}

// tunnelFault names what ended the wait for a tunnel.
func tunnelFault(ctx context.Context, to string, err error) (Fault, string) {
	doing := "CONNECT " + to + ": "
	switch {
	case ctx.Err() == context.Canceled:
		return FaultInterrupted, "stopped while connecting"
	case ctx.Err() != nil:
		return FaultConnectTimeout, doing + "no answer of the proxy in time"
	case errors.Is(err, io.EOF):
		return FaultConnect, doing + "the proxy closed the connection without opening a tunnel"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return FaultConnect, doing + "the proxy reset the connection"
	}
	return FaultConnect, doing + cause(err)
}
