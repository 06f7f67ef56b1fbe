package wire

import (
	"syscall"
	"unsafe"
)

// outstanding gives how many bytes of what was written the peer's system has not acknowledged; ok is false when that is
// not known. It may be asked after the connection has ended, but not after it was closed here.
func (c *Conn) outstanding() (bytes int64, ok bool) {
	raw, err := c.tcp.SyscallConn()
	if err != nil {
		return 0, false
	}
	const queued = 0x5411 // SIOCOUTQ
	var n int32
	var errno syscall.Errno
	err = raw.Control(func(fd uintptr) {
		_, _, errno = syscall.RawSyscall(syscall.SYS_IOCTL, fd, queued, uintptr(unsafe.Pointer(&n)))
	})
	return int64(n), err == nil && errno == 0
}
