//go:build linux && (amd64 || arm64)

package wire

import (
	"syscall"
	"unsafe"
)

// rawConn gives the descriptor access that [Conn.exchangeRaw] runs on.
func rawConn(tcp socket) syscall.RawConn {
	raw, err := tcp.SyscallConn()
	if err != nil {
		return nil // the ordinary path does as well
	}
	return raw
}

// The system calls below never block (the descriptor is non-blocking), so the scheduler need not be told of
// them: that saves about a seventh of a request.

// sendTwo writes two byte strings in one call. It never raises SIGPIPE.
func sendTwo(fd uintptr, first, second []byte) (int, syscall.Errno) {
	if len(second) == 0 {
		n, _, errno := syscall.RawSyscall6(syscall.SYS_SENDTO, fd, uintptr(unsafe.Pointer(unsafe.SliceData(first))), uintptr(len(first)), syscall.MSG_NOSIGNAL, 0, 0)
		return int(n), errno
	}
	parts := [2]syscall.Iovec{{Base: unsafe.SliceData(first), Len: uint64(len(first))}, {Base: unsafe.SliceData(second), Len: uint64(len(second))}}
	message := syscall.Msghdr{Iov: &parts[0], Iovlen: 2}
	n, _, errno := syscall.RawSyscall(syscall.SYS_SENDMSG, fd, uintptr(unsafe.Pointer(&message)), syscall.MSG_NOSIGNAL)
	return int(n), errno
}

// receive reads what has come into b, which is not empty.
func receive(fd uintptr, b []byte) (int, syscall.Errno) {
	n, _, errno := syscall.RawSyscall6(syscall.SYS_RECVFROM, fd, uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), 0, 0, 0)
	return int(n), errno
}

// peek looks at what has come without taking it.
func peek(fd uintptr, b []byte) (int, syscall.Errno) {
	n, _, errno := syscall.RawSyscall6(syscall.SYS_RECVFROM, fd, uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), syscall.MSG_PEEK|syscall.MSG_DONTWAIT, 0, 0)
	return int(n), errno
}
