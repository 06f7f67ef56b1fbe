package config

import (
	"fmt"
	"io"
	"strings"

	"github.com/stacrun/stacrun/diag"
)

// FormatOptions tell [Format] what to write.
type FormatOptions struct {
	Origins bool // YAML: add "# file:line" to each line, and what it hides
	JSON    bool // JSON instead of YAML
	Mask    bool // hide secrets, see [MaskSecrets]
}

// Format writes a document as YAML or JSON, keys in their order. What it writes reads back as the
// same document, places and comments aside.
func Format(w io.Writer, n *Node, o FormatOptions) error {
	if o.Mask {
		n = MaskSecrets(n)
	}
	var b strings.Builder
	if o.JSON {
		writeJSON(&b, n, "\n", "  ")
		b.WriteByte('\n')
	} else {
		y := &yamlWriter{origins: o.Origins}
		y.document(n)
		b.WriteString(y.b.String())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// maxSimpleKey is the length in bytes up to which a key needs no "?" before it; YAML allows 1024 characters.
const maxSimpleKey = 1000

// yamlWriter writes block style, with two spaces a level and list items below their key.
type yamlWriter struct {
	b       strings.Builder
	origins bool
}

func (y *yamlWriter) document(n *Node) {
	switch {
	case n == nil:
	case n.Kind == Mapping && len(n.Entries) > 0:
		y.mapping(n, 0, false)
	case n.Kind == Sequence && len(n.Items) > 0:
		y.sequence(n, 0, false)
	default:
		y.b.WriteString(y.inline(n, 0))
		y.end(n)
	}
}

// mapping writes entries at the given indent. With started, the first one continues a line.
func (y *yamlWriter) mapping(n *Node, indent int, started bool) {
	for i, e := range n.Entries {
		if i > 0 || !started {
			y.b.WriteString(strings.Repeat(" ", indent))
		}
		if key := keyText(e.Key); len(key) > maxSimpleKey {
			y.b.WriteString("? " + key + "\n" + strings.Repeat(" ", indent) + ":")
		} else {
			y.b.WriteString(key + ":")
		}
		y.child(e.Value, e.KeyPos, indent)
	}
}

func (y *yamlWriter) sequence(n *Node, indent int, started bool) {
	for i, item := range n.Items {
		if i > 0 || !started {
			y.b.WriteString(strings.Repeat(" ", indent))
		}
		y.b.WriteByte('-')
		switch {
		case item.Kind == Mapping && len(item.Entries) > 0:
			y.b.WriteByte(' ')
			y.mapping(item, indent+2, true)
		case item.Kind == Sequence && len(item.Items) > 0:
			y.b.WriteByte(' ')
			y.sequence(item, indent+2, true)
		default:
			y.b.WriteString(" " + y.inline(item, indent))
			y.end(item)
		}
	}
}

// child writes the value of a key: on its line, or below it.
func (y *yamlWriter) child(n *Node, keyPos diag.Pos, indent int) {
	switch {
	case n != nil && n.Kind == Mapping && len(n.Entries) > 0:
		y.comment(keyPos, n.Hidden)
		y.mapping(n, indent+2, false)
	case n != nil && n.Kind == Sequence && len(n.Items) > 0:
		y.comment(keyPos, n.Hidden)
		y.sequence(n, indent+2, false)
	default:
		y.b.WriteString(" " + y.inline(n, indent))
		y.end(n)
	}
}

// inline gives a value that begins on the line of its key. A block text runs on over the next lines,
// and so has its comment in its first one.
func (y *yamlWriter) inline(n *Node, indent int) string {
	switch {
	case n == nil || n.Kind == Null:
		return "null"
	case n.Kind == Mapping:
		return "{}"
	case n.Kind == Sequence:
		return "[]"
	}
	if header, lines, ok := blockText(n.Text); ok {
		var b strings.Builder
		b.WriteString(header)
		if y.origins {
			b.WriteString(originComment(n.Pos, n.Hidden))
		}
		for _, line := range lines {
			b.WriteByte('\n')
			if line != "" {
				b.WriteString(strings.Repeat(" ", indent+2) + line)
			}
		}
		return b.String()
	}
	return scalarText(n)
}

// end ends the line of a value.
func (y *yamlWriter) end(n *Node) {
	if n == nil {
		y.b.WriteByte('\n')
		return
	}
	if _, _, block := blockText(n.Text); n.Kind == Scalar && block {
		y.b.WriteByte('\n')
		return
	}
	y.comment(n.Pos, n.Hidden)
}

func (y *yamlWriter) comment(pos diag.Pos, hidden []diag.Pos) {
	if y.origins {
		y.b.WriteString(originComment(pos, hidden))
	}
	y.b.WriteByte('\n')
}

// originComment says where a value comes from and which ones it replaced.
func originComment(pos diag.Pos, hidden []diag.Pos) string {
	if !pos.Known() {
		return ""
	}
	text := "  # " + place(pos)
	for i, p := range hidden {
		if i == 0 {
			text += ", hides "
		} else {
			text += " and "
		}
		text += place(p)
	}
	return strings.ReplaceAll(text, "\n", " ")
}

func place(p diag.Pos) string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}
