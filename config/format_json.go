package config

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
)

// writeJSON writes a tree as JSON with its keys in order. With newline "" the form is compact;
// else each level is indented by indent.
func writeJSON(b *strings.Builder, n *Node, newline, indent string) {
	if n == nil {
		b.WriteString("null")
		return
	}
	colon := ":"
	if newline != "" {
		colon = ": "
	}
	switch n.Kind {
	case Null:
		b.WriteString("null")
	case Scalar:
		b.WriteString(jsonScalar(n))
	case Sequence:
		writeList(b, '[', ']', len(n.Items), newline, indent, func(i int, newline string) {
			writeJSON(b, n.Items[i], newline, indent)
		})
	case Mapping:
		writeList(b, '{', '}', len(n.Entries), newline, indent, func(i int, newline string) {
			b.WriteString(jsonString(n.Entries[i].Key) + colon)
			writeJSON(b, n.Entries[i].Value, newline, indent)
		})
	}
}

func writeList(b *strings.Builder, opening, closing byte, n int, newline, indent string, item func(int, string)) {
	b.WriteByte(opening)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		inner := newline
		if newline != "" {
			inner += indent
		}
		b.WriteString(inner)
		item(i, inner)
	}
	if n > 0 {
		b.WriteString(newline)
	}
	b.WriteByte(closing)
}

// jsonScalar keeps the text of a number where JSON can hold it.
func jsonScalar(n *Node) string {
	switch n.Plain() {
	case PlainBool:
		return strings.ToLower(n.Text)
	case PlainInt, PlainFloat:
		if json.Valid([]byte(n.Text)) {
			return n.Text
		}
		if v, ok := parseInt(n.Text); ok {
			return strconv.FormatInt(v, 10)
		}
		f, _ := parseFloat(n.Text)
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	return jsonString(n.Text)
}

// jsonString quotes without escaping <, > and &, which stand in many URLs.
func jsonString(s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // a string always encodes
	return strings.TrimSuffix(b.String(), "\n")
}
