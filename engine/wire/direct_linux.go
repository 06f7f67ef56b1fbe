//go:build linux && (amd64 || arm64)

package wire

import (
	"context"
	"net/netip"
	"os"
	"syscall"
	"time"
)

// direct makes a plain connection on the user's own goroutine, when nobody has to be waited for: one address, known, and a dialer's
// place free. A dialer would cost two goroutines, a growing stack and some thirty allocations, about a fifth of an exchange
// that has a connection to itself. False: it has to be made by a dialer.
func (t *Target) direct(c *Conn, d *dialing, limit time.Duration) bool {
	if t.stream || t.tunnel {
		return false
	}
	addrs := t.names.known()
	if len(addrs) != 1 || addrs[0].Zone() != "" || !t.queue.enter() {
		return false
	}
	defer t.leaveQueue()
	to := netip.AddrPortFrom(addrs[0].Unmap(), t.toPort)
	d.resolved = d.begun
	err := os.ErrDeadlineExceeded
	if left := limit - time.Duration(t.clock()-d.begun); left > 0 {
		err = t.connectHere(c, d, to, time.Now().Add(left))
	}
	if err != nil {
		d.tcp, d.raw = nil, nil
		if d.fault, d.detail = connectFault(context.Background(), to, err); c.aborted.Load() {
			d.fault, d.detail = FaultInterrupted, "stopped while connecting"
		}
		t.tellShort(err)
		t.names.forget()
		return true
	}
	d.connected = t.clock()
	d.secured = d.connected
	d.nc = d.tcp
	return true
}

// connectHere connects a socket of its own and hands it to the runtime's poller.
func (t *Target) connectHere(c *Conn, d *dialing, to netip.AddrPort, deadline time.Time) error {
	fd, err := syscall.Socket(family(to.Addr()), syscall.SOCK_STREAM|syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC, syscall.IPPROTO_TCP)
	if err != nil {
		return os.NewSyscallError("socket", err)
	}
	_ = syscall.SetsockoptInt(fd, syscall.IPPROTO_TCP, syscall.TCP_NODELAY, 1) // never fails for TCP
	if from := t.nextSource(to.Addr()); from.IsValid() {
		_ = syscall.SetsockoptInt(fd, syscall.IPPROTO_IP, ipBindAddressNoPort, 1) // see lateBind
		if err := syscall.Bind(fd, socketAddress(from)); err != nil {
			_ = syscall.Close(fd)
			return os.NewSyscallError("bind", err)
		}
	}
	peer := socketAddress(to)
	done, err := connectStep(fd, peer)
	if !done && err == nil {
		done, err = connectStep(fd, peer) // within a machine it is there by now; what was refused is not tried again
	}
	if err != nil {
		_ = syscall.Close(fd)
		return os.NewSyscallError("connect", err)
	}
	file := os.NewFile(uintptr(fd), "tcp")
	raw, err := file.SyscallConn()
	if err == nil && !done {
		err = c.awaitConnect(file, raw, peer, deadline)
	}
	if err != nil {
		_ = file.Close()
		return err
	}
	d.tcp, d.raw = file, raw
	return nil
}

// awaitConnect parks the user until the connection is there, broken, or its time is up. Abort ends it.
func (c *Conn) awaitConnect(file *os.File, raw syscall.RawConn, peer syscall.Sockaddr, deadline time.Time) error {
	c.mu.Lock()
	c.open = file
	c.mu.Unlock()
	if c.aborted.Load() { // since before we said what to close
		return os.ErrClosed
	}
	_ = file.SetWriteDeadline(deadline)
	var failed error
	err := raw.Write(func(fd uintptr) bool {
		done, err := connectStep(int(fd), peer)
		failed = err
		return done || err != nil
	})
	if err != nil {
		return err
	}
	_ = file.SetWriteDeadline(time.Time{})
	return os.NewSyscallError("connect", failed)
}

// connectStep begins to connect or asks how far it is.
func connectStep(fd int, peer syscall.Sockaddr) (done bool, err error) {
	switch err := syscall.Connect(fd, peer); err { //nolint:errorlint // a bare number
	case nil, syscall.EISCONN:
		return true, nil
	case syscall.EINPROGRESS, syscall.EALREADY, syscall.EINTR:
		return false, nil
	default:
		return false, err
	}
}

func family(a netip.Addr) int {
	if a.Is4() {
		return syscall.AF_INET
	}
	return syscall.AF_INET6
}

func socketAddress(a netip.AddrPort) syscall.Sockaddr {
	if a.Addr().Is4() {
		return &syscall.SockaddrInet4{Addr: a.Addr().As4(), Port: int(a.Port())}
	}
	return &syscall.SockaddrInet6{Addr: a.Addr().As16(), Port: int(a.Port())}
}
