//go:build !amd64

package assert

// pairs is of use where the processor looks at many bytes at once.
func (n needle) pairs([]byte) (passed int, found bool) { return 0, false }
