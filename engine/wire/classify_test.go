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
	"strings"
	"syscall"
	"testing"
)

func dialError(call string, errno syscall.Errno) error {
	return &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError(call, errno)}
}

func TestConnectFault(t *testing.T) {
	stopped, stop := context.WithCancel(t.Context())
	stop()
	to := netip.MustParseAddrPort("192.0.2.1:80")
	for _, tt := range []struct {
		name   string
		ctx    context.Context
		err    error
		want   Fault
		detail string
	}{
		{"refused", t.Context(), dialError("connect", syscall.ECONNREFUSED), FaultConnectRefused, "connect 192.0.2.1:80: connection refused"},
		{"no ports", t.Context(), dialError("connect", syscall.EADDRNOTAVAIL), FaultConnect, "no local port"},
		{"no descriptors of ours", t.Context(), dialError("socket", syscall.EMFILE), FaultConnect, "no file descriptor"},
		{"no descriptors at all", t.Context(), dialError("socket", syscall.ENFILE), FaultConnect, "no file descriptor"},
		{"no route", t.Context(), dialError("connect", syscall.EHOSTUNREACH), FaultConnect, "connect 192.0.2.1:80: no route to host"},
		{"no network", t.Context(), dialError("connect", syscall.ENETUNREACH), FaultConnect, "network is unreachable"},
		{"kernel gave up", t.Context(), dialError("connect", syscall.ETIMEDOUT), FaultConnectTimeout, "no answer in time"},
		{"deadline", t.Context(), &net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}, FaultConnectTimeout, "no answer in time"},
		{"reset", t.Context(), dialError("connect", syscall.ECONNRESET), FaultReset, "connection reset"},
		{"stopped", stopped, errors.New("operation was canceled"), FaultInterrupted, "stopped"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fault, detail := connectFault(tt.ctx, to, tt.err)
			if fault != tt.want || !strings.Contains(detail, tt.detail) {
				t.Errorf("got %q: %s, want %q: %s", fault, detail, tt.want, tt.detail)
			}
		})
	}
}

func TestHandshakeFault(t *testing.T) {
	for _, tt := range []struct {
		name   string
		err    error
		want   Fault
		detail string
	}{
		{"closed", io.EOF, FaultTLS, "closed within the handshake"},
		{"reset", dialError("read", syscall.ECONNRESET), FaultTLS, "reset within the handshake"},
		{"not TLS", tls.RecordHeaderError{Msg: "first record does not look like a TLS handshake", RecordHeader: [5]byte{'H', 'T', 'T', 'P', '/'}}, FaultTLS, `it sent "HTTP/"`},
		{"deadline", &net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}, FaultConnectTimeout, "not finished in time"},
		{"alert", fmt.Errorf("remote error: %w", errors.New("tls: bad certificate")), FaultTLS, "tls: remote error: tls: bad certificate"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fault, detail := handshakeFault(t.Context(), tt.err)
			if fault != tt.want || !strings.Contains(detail, tt.detail) {
				t.Errorf("got %q: %s, want %q: %s", fault, detail, tt.want, tt.detail)
			}
		})
	}
}

func TestFault_words(t *testing.T) {
	seen := map[string]bool{}
	for f := NoFault; f < FaultCount; f++ {
		word := f.String()
		if seen[word] || word == "unknown" {
			t.Errorf("fault %d has the word %q", f, word)
		}
		seen[word] = true
	}
	if s := FaultCount.String(); s != "unknown" {
		t.Errorf("beyond the last: %q", s)
	}
}
