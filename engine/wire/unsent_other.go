//go:build !linux

package wire

// outstanding is not known here.
func (c *Conn) outstanding() (bytes int64, ok bool) { return 0, false }
