package assert

import "golang.org/x/sys/cpu"

var wide = cpu.X86.HasAVX2

// blockSize is how many places are looked at together.
const blockSize = 64

// pairs passes by the places at the beginning of body where the two rarest bytes do not stand as they should, and reports
// whether they do behind these.
func (n needle) pairs(body []byte) (passed int, found bool) {
	blocks := (len(body) - max(n.rare, n.other)) / blockSize
	if !wide || n.rare == n.other || blocks <= 0 {
		return 0, false
	}
	passed = findPair(&body[n.rare], blocks, n.text[n.rare], n.text[n.other], n.other-n.rare)
	return passed, passed < blocks*blockSize
}

// findPair returns the first i for which text[i] is one byte and text[i+apart] the other, of blocks of 64 places; the
// number of these when there is none.
//
//go:noescape
func findPair(text *byte, blocks int, one, other byte, apart int) int
