package extract

import "golang.org/x/sys/cpu"

// blocks walks over whole blocks, up to the closing bracket if it is among them, and returns how far it came: one byte
// more when the last block's last byte escapes it.
func (n *nest) blocks(text []byte) int {
	if len(text) < blockSize || !cpu.X86.HasAVX2 || !cpu.X86.HasBMI1 || !cpu.X86.HasBMI2 || !cpu.X86.HasPCLMULQDQ || !cpu.X86.HasPOPCNT {
		return 0
	}
	var passed int
	passed, n.depth, n.inside = passBlocks(&text[0], len(text)/blockSize, n.depth, n.inside)
	return passed
}

// passBlocks walks over that many blocks of 64 bytes. It returns the bytes passed, and the nest after them; a depth of 0
// says that the last of them is the closing bracket.
//
//go:noescape
func passBlocks(text *byte, blocks, depth int, inside uint64) (passed, depthAfter int, insideAfter uint64)
