package config

import (
	"strings"

	"github.com/stacrun/stacrun/diag"
)

// merger merges documents by the rules of Taurus.
type merger struct {
	diags *diag.List
	path  []string
}

// Merge merges mappings in order into a new one. The first character of a key may be a directive:
// "~" drops what was there before, "^" deletes the key, "$" merges a list element by element. They
// are read wherever mappings alone lead to, not inside items of lists that are appended, and
// also in the first document.
func Merge(docs ...*Node) (*Node, diag.List) {
	var diags diag.List
	result := &Node{Kind: Mapping}
	m := &merger{diags: &diags}
	for _, doc := range docs {
		m.mapping(result, doc)
	}
	return result, diags
}

// mergeInto merges src into dst, which are mappings. Values move from src to dst.
func mergeInto(dst, src *Node, diags *diag.List) {
	m := &merger{diags: diags}
	m.mapping(dst, src)
}

func (m *merger) mapping(dst, src *Node) {
	if !dst.Pos.Known() {
		dst.Pos = src.Pos
	}
	for _, e := range src.Entries {
		directive, key, ok := m.directive(e)
		if !ok {
			continue
		}
		m.path = append(m.path, PathPart(key))
		m.entry(dst, directive, key, e)
		m.path = m.path[:len(m.path)-1]
	}
}

// directive splits the directive off a key; 0 when it has none.
func (m *merger) directive(e Entry) (directive byte, key string, ok bool) {
	if e.Key == "" || !strings.ContainsRune("~^$", rune(e.Key[0])) {
		return 0, e.Key, true
	}
	directive, key = e.Key[0], e.Key[1:]
	path := strings.Join(append(m.path[:len(m.path):len(m.path)], PathPart(e.Key)), ".")
	switch {
	case key == "":
		m.diags.Errorf("bad-directive", e.KeyPos, path, "nothing follows the merge directive %q", e.Key).
			WithHint("write the key behind it, such as %q", e.Key+"execution")
		return 0, "", false
	case strings.HasPrefix(e.Key, "${"):
		m.diags.Warnf("directive-key", e.KeyPos, path, "the $ of key %q is a merge directive, so the key becomes %q", e.Key, key).
			WithHint("write %q to keep the $", "$"+e.Key)
	}
	return directive, key, true
}

func (m *merger) entry(dst *Node, directive byte, key string, e Entry) {
	value := e.Value
	old := dst.Get(key)
	switch directive {
	case '^':
		dst.Delete(key)
		return
	case '~':
		if old != nil {
			hide(value, old)
			dst.Delete(key)
			old = nil
		}
	}
	if old == nil {
		if value.Kind == Mapping {
			value = m.fresh(value)
		}
		dst.Entries = append(dst.Entries, Entry{key, e.KeyPos, value})
		return
	}
	switch {
	case value.Kind == Mapping && old.Kind == Mapping:
		m.mapping(old, value)
	case value.Kind == Sequence && old.Kind == Sequence:
		if directive == '$' {
			m.elements(old, value)
		} else {
			old.Items = append(old.Items, value.Items...)
		}
	default:
		m.warnKinds(key, e.KeyPos, old, value)
		hide(value, old)
		if value.Kind == Mapping {
			value = m.fresh(value)
		}
		dst.Set(key, e.KeyPos, value)
	}
}

// fresh is a mapping that replaces what was there, or is new: its own directives are read.
func (m *merger) fresh(value *Node) *Node {
	result := &Node{Kind: Mapping, Pos: value.Pos, Anchor: value.Anchor, Hidden: value.Hidden}
	m.mapping(result, value)
	return result
}

// elements merges a list onto a list, index by index.
func (m *merger) elements(dst, src *Node) {
	for i, item := range src.Items {
		if i >= len(dst.Items) {
			dst.Items = append(dst.Items, item)
			continue
		}
		old := dst.Items[i]
		m.path = append(m.path, itoa(i))
		if old.Kind == Mapping && item.Kind == Mapping {
			m.mapping(old, item)
		} else {
			m.diags.Warnf("merge-overwrites", item.Pos, strings.Join(m.path, "."), "item %d of the list is overwritten, because not both are mappings", i).
				WithNote(old.Pos, "the value that is lost")
			hide(item, old)
			dst.Items[i] = item
		}
		m.path = m.path[:len(m.path)-1]
	}
}

// warnKinds warns of a list that replaces a mapping or the other way round: people expect both to
// be joined.
func (m *merger) warnKinds(key string, at diag.Pos, old, value *Node) {
	if (old.Kind != Mapping && old.Kind != Sequence) || (value.Kind != Mapping && value.Kind != Sequence) {
		return
	}
	m.diags.Warnf("merge-replaces", at, strings.Join(m.path, "."), "%q is a %s here and a %s before, so it replaces what was there", key, value.Kind, old.Kind).
		WithHint("write both in the same form to join them, or %q to say that replacing is meant", "~"+key).
		WithNote(old.Pos, "the %s that is lost", old.Kind)
}

// hide records that value took the place of old.
func hide(value, old *Node) {
	places := append([]diag.Pos(nil), old.Hidden...)
	if old.Pos.Known() {
		places = append(places, old.Pos)
	}
	value.Hidden = append(places, value.Hidden...)
}
