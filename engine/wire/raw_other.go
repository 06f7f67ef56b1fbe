//go:build !linux || !(amd64 || arm64)

package wire

import "syscall"

// rawConn says that there is no raw path here: the ordinary one serves.
func rawConn(socket) syscall.RawConn { return nil }

func sendTwo(uintptr, []byte, []byte) (int, syscall.Errno) { return 0, syscall.ENOSYS }

func receive(uintptr, []byte) (int, syscall.Errno) { return 0, syscall.ENOSYS }

func peek(uintptr, []byte) (int, syscall.Errno) { return 0, syscall.EAGAIN }
