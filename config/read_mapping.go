package config

import (
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/stacrun/stacrun/diag"
)

// mapping walks a mapping: merged entries first, then its own, which win. A key that stands twice
// keeps its first place and its last value.
func (r *reader) mapping(n *yaml.Node) *Node {
	m := &Node{Kind: Mapping, Pos: r.at(n), Entries: make([]Entry, 0, len(n.Content)/2)}
	index := make(map[string]int, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		if isMergeKey(n.Content[i]) {
			r.mergeKey(m, index, n.Content[i+1])
		}
	}
	merged := len(m.Entries)
	own := make(map[string]bool, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		keyNode, valueNode := n.Content[i], n.Content[i+1]
		if isMergeKey(keyNode) {
			continue
		}
		key, ok := r.key(keyNode)
		if !ok {
			at := keyNode
			if n.Style&yaml.FlowStyle != 0 {
				at = n // {{x}} is meant as a whole
			}
			r.diags.Errorf("bad-key", r.at(at), r.dotted(), "a key must be a text, not a list or a mapping").
				WithHint("quote a value that begins with a bracket or a brace; templates are written ${x}")
			continue
		}
		keyPos := r.at(keyNode)
		value := r.inside(key, func() *Node { return r.node(valueNode) })
		at, exists := index[key]
		if !exists {
			index[key] = len(m.Entries)
			own[key] = true
			m.Entries = append(m.Entries, Entry{key, keyPos, value})
			continue
		}
		first := &m.Entries[at]
		if at < merged && !own[key] {
			value.Hidden = append(value.Hidden, first.Value.Pos) // an own key hides a merged one
		} else {
			r.duplicateKey(key, keyPos, first.KeyPos)
		}
		own[key] = true
		first.KeyPos, first.Value = keyPos, value
	}
	return m
}

func (r *reader) duplicateKey(key string, second, first diag.Pos) {
	path := strings.Join(append(r.path[:len(r.path):len(r.path)], PathPart(key)), ".")
	r.diags.Warnf("duplicate-key", second, path, "key %q stands here again, and the last one counts", key).
		WithHint("remove one of the two").
		WithNote(first, "the one before")
}

func isMergeKey(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!merge" }

// key gives the text of a key. Numbers, booleans and null are keys by their source text.
func (r *reader) key(n *yaml.Node) (string, bool) {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n.Kind != yaml.ScalarNode {
		return "", false
	}
	r.tag(n)
	if plain := n.Style == 0; plain && (n.Value == "~" || n.Value == "") {
		return "null", true
	}
	return n.Value, true
}

// mergeKey puts the entries of the mappings that << names into m. In a list the earlier mapping wins.
func (r *reader) mergeKey(m *Node, index map[string]int, value *yaml.Node) {
	target := value
	if target.Kind == yaml.AliasNode {
		target = target.Alias
		r.aliases++
		defer func() { r.aliases-- }()
	}
	sources := []*yaml.Node{value}
	if target.Kind == yaml.SequenceNode && !r.active[target] {
		sources = target.Content
	}
	for _, source := range sources {
		from := r.node(source)
		if from.Kind != Mapping {
			r.notMergeable(from)
			continue
		}
		for _, e := range from.Entries {
			if _, exists := index[e.Key]; exists {
				continue
			}
			index[e.Key] = len(m.Entries)
			m.Entries = append(m.Entries, e)
		}
	}
}

func (r *reader) notMergeable(from *Node) {
	last := len(r.diags) - 1
	if from.Kind == Null && last >= 0 && (r.full || r.diags[last].Pos == from.Pos) {
		return // a cycle or a limit, reported already
	}
	r.diags.Errorf("bad-merge-key", from.Pos, r.dotted(), "the value of << must be a mapping or a list of mappings, not a %s", from.Kind).
		WithHint("write <<: *name, where &name stands at a mapping")
}

func itoa(i int) string { return strconv.Itoa(i) }
