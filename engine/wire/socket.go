package wire

import (
	"io"
	"syscall"
	"time"
)

// duplex is what an exchange is made over: a socket, or TLS above it.
type duplex interface {
	io.ReadWriteCloser
	SetWriteDeadline(time.Time) error
}

// socket is a TCP connection that the runtime polls: of package net, or a file where we have connected it ourselves.
type socket interface {
	duplex
	SetDeadline(time.Time) error
	SetReadDeadline(time.Time) error
	SyscallConn() (syscall.RawConn, error)
}
