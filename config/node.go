package config

import "github.com/stacrun/stacrun/diag"

// Kind is the kind of a [Node].
type Kind uint8

// The kinds of node.
const (
	Null Kind = iota
	Scalar
	Sequence
	Mapping
)

// Node is one value of a document: it keeps the source text of scalars (so that 00123, 1e3 and
// dates stay what was written), the order of keys, and where everything came from.
type Node struct {
	Kind    Kind
	Text    string // Scalar: the text, unquoted
	Quoted  bool   // Scalar: was quoted or a block, so it is a string whatever it looks like
	Entries []Entry
	Items   []*Node
	Pos     diag.Pos
	Hidden  []diag.Pos // places of the values that this one replaced in a merge, latest last
}

// Entry is one entry of a mapping.
type Entry struct {
	Key    string
	KeyPos diag.Pos
	Value  *Node
}

// Get returns the value of a key, or nil.
func (n *Node) Get(key string) *Node {
	if n == nil {
		return nil
	}
	for i := range n.Entries {
		if n.Entries[i].Key == key {
			return n.Entries[i].Value
		}
	}
	return nil
}
