package wire

import "syscall"

// ipBindAddressNoPort makes bind leave the port to connect, which can then use one port towards several peers (Linux 4.2).
const ipBindAddressNoPort = 24

// lateBind is a [net.Dialer] Control for connections from a given address. Where the kernel does not know the option,
// the address has fewer ports, and nothing else changes.
func lateBind(_, _ string, raw syscall.RawConn) error {
	return raw.Control(func(fd uintptr) {
		_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_IP, ipBindAddressNoPort, 1)
	})
}
