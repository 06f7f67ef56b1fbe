//go:build !linux || (!amd64 && !arm64)

package wire

import "time"

// direct is for systems whose sockets we drive ourselves.
func (t *Target) direct(*Conn, *dialing, time.Duration) bool { return false }
