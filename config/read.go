package config

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/stacrun/stacrun/diag"
)

// Read turns a text into its documents: YAML, or JSON where the text is no YAML and begins with a
// brace. Every document is a mapping; empty ones are left out. The name stands in all positions.
//
// A leading byte-order mark, CRLF line ends and UTF-16 are accepted, and so are tabs in an
// indentation (with a warning). Keys that a mapping has twice, merge keys and aliases are resolved
// here. Documents are returned as far as they could be read.
func Read(name string, text []byte) ([]*Node, diag.List) {
	docs, _, diags := readText(name, text)
	return docs, diags
}

// readText is [Read] that also gives the text that positions count in.
func readText(name string, text []byte) ([]*Node, []byte, diag.List) {
	text = decodeUTF16(text)
	source := text
	text = bytes.TrimPrefix(text, []byte("\uFEFF"))
	r := &reader{name: name}
	if at := firstInvalid(text); at >= 0 {
		pos := position(name, text, at)
		if text[at] >= utf8.RuneSelf {
			r.diags.Errorf("not-utf8", pos, "", "the text is not valid UTF-8 (byte 0x%02x)", text[at]).
				WithHint("save the file as UTF-8")
		} else {
			r.diags.Errorf("control-character", pos, "", "control character 0x%02x is not allowed here", text[at]).
				WithHint("is this a text file? inside a double-quoted value write \\x%02x", text[at])
		}
		return nil, source, r.diags
	}

	nodes, failure := parse(text)
	isJSON := bytes.HasPrefix(bytes.TrimSpace(text), []byte("{"))
	if failure != nil && !isJSON {
		nodes, failure, text = parseSlashes(nodes, failure, text)
	}
	if failure != nil {
		// Only a text that cannot be read as it is has its tabs replaced: inside a block text they
		// are content.
		if replaced, runs := replaceTabs(text); len(runs) > 0 {
			again, failureAgain := parse(replaced)
			nodes, failure, r.tabs = again, failureAgain, runs
			r.warnTabs()
		}
	}
	if failure != nil && isJSON {
		doc, offset, err := r.readJSON(text)
		if err == nil {
			return []*Node{doc}, source, r.diags
		}
		// YAML is nearly a superset of JSON, so whichever reader got further knows what is wrong.
		// An escape that only JSON knows says that JSON is meant.
		at := position(name, text, offset)
		if after(at, r.pos(failure.line, failure.column)) || slashEscape(text, failure) >= 0 {
			r.diags.Errorf("syntax", at, "", "invalid JSON: %s", err).WithHint("%s", jsonHint(text, offset))
			return nil, source, r.diags
		}
	}
	var docs []*Node
	for _, node := range nodes {
		if doc := r.document(node); doc != nil {
			docs = append(docs, doc)
		}
	}
	if failure != nil {
		r.syntaxError(failure, text)
	}
	return docs, source, r.diags
}

// maxSlashes bounds the values with \/ in them that a text may have, each of which is read anew.
const maxSlashes = 200

// parseSlashes reads a text on whose quoted values hold \/ for a slash, as JSON has it and YAML since 1.2. What stands behind one
// moves a column to the left.
func parseSlashes(nodes []*yaml.Node, failure *failure, text []byte) ([]*yaml.Node, *failure, []byte) {
	again := text
	for range maxSlashes {
		if !strings.HasPrefix(failure.problem, "found unknown escape character") || slashEscape(again, failure) < 0 {
			break
		}
		var ok bool
		if again, ok = withoutSlashEscapes(again, failure); !ok {
			break
		}
		more, next := parse(again)
		if next == nil {
			return more, nil, again
		}
		nodes, failure, text = more, next, again
	}
	return nodes, failure, text
}

// withoutSlashEscapes takes the backslash away before each slash of the quoted value that a failure is in.
func withoutSlashEscapes(text []byte, f *failure) (out []byte, ok bool) {
	at := slashEscape(text, f)
	out = append(out, text[:at]...)
	for i := at; i < len(text); i++ {
		switch {
		case text[i] == '\\' && i+1 < len(text) && text[i+1] == '/':
		case text[i] == '\\' && i+1 < len(text):
			out = append(out, text[i], text[i+1])
			i++
		case text[i] == '"':
			return append(out, text[i:]...), true
		default:
			out = append(out, text[i])
		}
	}
	return text, false
}

// slashEscape gives the offset of the \/ that a failure is about, and -1 for another failure. JSON knows this escape, YAML 1.1 does
// not.
func slashEscape(text []byte, f *failure) int {
	at := 0
	for range f.line - 1 {
		next := bytes.IndexByte(text[at:], '\n')
		if next < 0 {
			return -1
		}
		at += next + 1
	}
	column := 0
	for i := range string(text[at:]) {
		if column++; column < f.column-1 {
			continue
		} else if column > f.column {
			break
		}
		if bytes.HasPrefix(text[at+i:], []byte(`\/`)) {
			return at + i
		}
	}
	return -1
}

// parse reads all documents of a YAML text, up to the first syntax error.
func parse(text []byte) ([]*yaml.Node, *failure) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var nodes []*yaml.Node
	for {
		var node yaml.Node
		err := decoder.Decode(&node)
		if errors.Is(err, io.EOF) {
			return nodes, nil
		}
		if err != nil {
			return nodes, locate(decoder, err, text)
		}
		if len(node.Content) > 0 {
			nodes = append(nodes, node.Content[0])
		}
	}
}

// decodeUTF16 converts a text that begins with a UTF-16 byte-order mark.
func decodeUTF16(text []byte) []byte {
	var high, low int
	switch {
	case bytes.HasPrefix(text, []byte{0xFE, 0xFF}):
		high, low = 0, 1
	case bytes.HasPrefix(text, []byte{0xFF, 0xFE}):
		high, low = 1, 0
	default:
		return text
	}
	var units []uint16
	for i := 2; i+1 < len(text); i += 2 {
		units = append(units, uint16(text[i+high])<<8|uint16(text[i+low]))
	}
	return []byte(string(utf16.Decode(units)))
}

// firstInvalid returns the offset of the first byte that cannot stand in a YAML text, or -1.
func firstInvalid(text []byte) int {
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			if c < ' ' && c != '\t' && c != '\n' && c != '\r' || c == 0x7F {
				return i
			}
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

// position converts a byte offset to a place.
func position(name string, text []byte, offset int) diag.Pos {
	before := text[:min(max(offset, 0), len(text))]
	start := bytes.LastIndexByte(before, '\n') + 1
	return diag.Pos{
		File: name, Line: 1 + bytes.Count(before, []byte("\n")),
		Column: 1 + utf8.RuneCount(before[start:]),
	}
}

func after(a, b diag.Pos) bool {
	return a.Line > b.Line || a.Line == b.Line && a.Column > b.Column
}

// tabWidth is what a run of tabs in an indentation becomes, as in Taurus.
const tabWidth = 4

// tabRun is a run of tabs that stood in the indentation of a line.
type tabRun struct{ spaces, tabs int }

// replaceTabs replaces the run of tabs that follows the leading spaces of a line.
func replaceTabs(text []byte) ([]byte, map[int]tabRun) {
	runs := map[int]tabRun{}
	var b bytes.Buffer
	number := 0
	for line := range bytes.Lines(text) {
		number++
		rest := bytes.TrimLeft(line, " ")
		spaces := len(line) - len(rest)
		content := bytes.TrimLeft(rest, "\t")
		if tabs := len(rest) - len(content); tabs > 0 {
			runs[number] = tabRun{spaces, tabs}
			b.Write(line[:spaces])
			b.WriteString(strings.Repeat(" ", tabWidth))
			b.Write(content)
			continue
		}
		b.Write(line)
	}
	return b.Bytes(), runs
}

// column converts a column of the replaced line to one of the line as written.
func (t tabRun) column(c int) int {
	switch {
	case c <= t.spaces:
		return c
	case c <= t.spaces+tabWidth:
		return t.spaces + 1
	}
	return c - tabWidth + t.tabs
}
