//go:build !amd64

package extract

// blocks is faster than bytes where the processor looks at many bytes at once; here it leaves all to bytes.
func (n *nest) blocks([]byte) int { return 0 }
