package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"syscall"
)

// connectFault names what an attempt to connect ended in.
func connectFault(ctx context.Context, to netip.AddrPort, err error) (Fault, string) {
	doing := "connect " + to.String() + ": "
	var timeout net.Error
	switch {
	case ctx.Err() == context.Canceled:
		return FaultInterrupted, "stopped while connecting"
	case errors.Is(err, syscall.ECONNREFUSED):
		return FaultConnectRefused, doing + "connection refused"
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return FaultConnect, doing + "no local port or address is free for it"
	case outOfDescriptors(err):
		return FaultConnect, doing + "no file descriptor is free for it"
	case errors.Is(err, syscall.ETIMEDOUT), errors.As(err, &timeout) && timeout.Timeout():
		return FaultConnectTimeout, doing + "no answer in time"
	case errors.Is(err, syscall.ECONNRESET):
		return FaultReset, doing + "connection reset"
	}
	return FaultConnect, doing + cause(err)
}

func outOfDescriptors(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// handshakeFault names what a TLS handshake ended in.
func handshakeFault(ctx context.Context, err error) (Fault, string) {
	var timeout net.Error
	switch {
	case ctx.Err() == context.Canceled:
		return FaultInterrupted, "stopped while connecting"
	case ctx.Err() != nil, errors.As(err, &timeout) && timeout.Timeout():
		return FaultConnectTimeout, "tls: handshake was not finished in time"
	case errors.Is(err, io.EOF):
		return FaultTLS, "tls: connection closed within the handshake"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return FaultTLS, "tls: connection reset within the handshake"
	}
	var plain tls.RecordHeaderError
	if errors.As(err, &plain) {
		return FaultTLS, fmt.Sprintf("tls: the server does not speak TLS here: it sent %q", plain.RecordHeader[:])
	}
	return FaultTLS, "tls: " + trimTLS(err.Error())
}

func trimTLS(s string) string {
	const prefix = "tls: "
	if len(s) > len(prefix) && s[:len(prefix)] == prefix {
		return s[len(prefix):]
	}
	return s
}

func ctxFault(ctx context.Context) Fault {
	if ctx.Err() == context.Canceled {
		return FaultInterrupted
	}
	return FaultConnectTimeout
}

// failRead ends the exchange with the fault of an error while sending or reading.
func (c *Conn) failRead(err error) {
	where := "before any byte of the response"
	if c.resp.BytesIn > 0 {
		where = fmt.Sprintf("after %d bytes of the response", c.resp.BytesIn)
	}
	switch {
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		c.fail(FaultReset, "connection reset "+where)
	case errors.Is(err, io.ErrUnexpectedEOF):
		c.fail(FaultClosedEarly, "connection closed "+where)
	case errors.Is(err, syscall.ETIMEDOUT), errors.Is(err, os.ErrDeadlineExceeded):
		c.fail(FaultTimeout, "connection timed out "+where)
	case c.tcp != c.nc && !isSyscall(err):
		c.fail(FaultTLS, "tls: "+trimTLS(cause(err))+" "+where)
	default:
		c.fail(FaultReset, cause(err)+" "+where)
	}
}

func isSyscall(err error) bool {
	var errno syscall.Errno
	return errors.As(err, &errno)
}

// cause gives the innermost text of a network error, without the addresses that differ from one connection to the next.
func cause(err error) string {
	var op *net.OpError
	for errors.As(err, &op) && op.Err != nil {
		err = op.Err
	}
	var call *os.SyscallError
	if errors.As(err, &call) {
		err = call.Err
	}
	return err.Error()
}
