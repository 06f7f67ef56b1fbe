package config

import (
	"strconv"
	"strings"

	"github.com/stacrun/stacrun/diag"
)

// Kind is the kind of a [Node].
type Kind uint8

// The kinds of node.
const (
	Null Kind = iota
	Scalar
	Sequence
	Mapping
)

// String gives the word that messages use for a kind.
func (k Kind) String() string {
	return [...]string{"null", "scalar", "list", "mapping"}[k]
}

// Node is one value of a document: it keeps the source text of scalars (so that 00123, 1e3 and
// dates stay what was written), the order of keys, and where everything came from.
type Node struct {
	Kind    Kind
	Text    string // Scalar: the text, unquoted
	Quoted  bool   // Scalar: was quoted or a block, so it is a string whatever it looks like
	Entries []Entry
	Items   []*Node
	Pos     diag.Pos
	Anchor  diag.Pos   // where the value is defined, when it is used through an alias; else zero
	Hidden  []diag.Pos // places of the values that this one replaced in a merge, latest last
	Secrets []string   // Scalar: the values in Text that variables with a secret's name gave; clones share it
}

// Entry is one entry of a mapping.
type Entry struct {
	Key    string
	KeyPos diag.Pos
	Value  *Node
}

// Get returns the value of a key, or nil.
func (n *Node) Get(key string) *Node {
	if e := n.Entry(key); e != nil {
		return e.Value
	}
	return nil
}

// Entry returns the entry of a key, or nil. It is valid until the mapping changes.
func (n *Node) Entry(key string) *Entry {
	if n == nil {
		return nil
	}
	for i := range n.Entries {
		if n.Entries[i].Key == key {
			return &n.Entries[i]
		}
	}
	return nil
}

// Set sets a key, in its place when it exists, else at the end.
func (n *Node) Set(key string, keyPos diag.Pos, value *Node) {
	if e := n.Entry(key); e != nil {
		e.KeyPos, e.Value = keyPos, value
		return
	}
	n.Entries = append(n.Entries, Entry{Key: key, KeyPos: keyPos, Value: value})
}

// Delete removes a key and reports whether it was there.
func (n *Node) Delete(key string) bool {
	for i := range n.Entries {
		if n.Entries[i].Key == key {
			n.Entries = append(n.Entries[:i], n.Entries[i+1:]...)
			return true
		}
	}
	return false
}

// At walks down by keys and by indexes of lists (decimal), or returns nil.
func (n *Node) At(path ...string) *Node {
	for _, part := range path {
		if n == nil {
			return nil
		}
		switch n.Kind {
		case Mapping:
			n = n.Get(part)
		case Sequence:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(n.Items) {
				return nil
			}
			n = n.Items[i]
		default:
			return nil
		}
	}
	return n
}

// Pointer walks down by a JSON pointer such as "/execution/0/hold-for", with ~1 for "/" and ~0
// for "~". It returns the value, the entry that holds it (nil for list items and the root) and the
// dotted path; the value is nil when there is none.
func (n *Node) Pointer(pointer string) (value *Node, entry *Entry, path string) {
	if pointer == "" {
		return n, nil, ""
	}
	unescape := strings.NewReplacer("~1", "/", "~0", "~")
	var dotted []string
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		part := unescape.Replace(token)
		dotted = append(dotted, PathPart(part))
		entry = nil
		if n != nil && n.Kind == Mapping {
			entry = n.Entry(part)
		}
		n = n.At(part)
	}
	return n, entry, strings.Join(dotted, ".")
}

// PathPart quotes a key for use in a dotted path when it holds a dot or a quote itself, in the way
// that -o understands.
func PathPart(key string) string {
	if key == "" || strings.ContainsAny(key, `."'\=`) {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(key) + `"`
	}
	return key
}

// Clone copies a tree, so that changes to one do not show in the other.
func (n *Node) Clone() *Node {
	if n == nil {
		return nil
	}
	c := *n
	if n.Entries != nil {
		c.Entries = make([]Entry, len(n.Entries))
		for i, e := range n.Entries {
			c.Entries[i] = Entry{Key: e.Key, KeyPos: e.KeyPos, Value: e.Value.Clone()}
		}
	}
	if n.Items != nil {
		c.Items = make([]*Node, len(n.Items))
		for i, item := range n.Items {
			c.Items[i] = item.Clone()
		}
	}
	return &c
}
