package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"unicode/utf8"

	"github.com/stacrun/stacrun/diag"
)

// readJSON reads a text as one JSON object. On an error it also gives the offset of what is wrong.
func (r *reader) readJSON(text []byte) (*Node, int, error) {
	var whole json.RawMessage
	if err := json.Unmarshal(text, &whole); err != nil {
		var syntax *json.SyntaxError
		offset := len(text)
		if errors.As(err, &syntax) {
			offset = int(syntax.Offset) - 1 // it counts the bytes that were read, the wrong one included
		}
		return nil, offset, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	j := &jsonWalk{r, decoder, &lineIndex{name: r.name, text: text}}
	return j.value(), 0, nil
}

// jsonWalk builds a tree from a text that is known to be valid JSON.
type jsonWalk struct {
	*reader
	decoder *json.Decoder
	lines   *lineIndex
}

// token gives the next token and where it begins.
func (j *jsonWalk) token() (json.Token, diag.Pos) {
	offset := int(j.decoder.InputOffset())
	for offset < len(j.lines.text) && bytes.IndexByte([]byte(" \t\r\n,:"), j.lines.text[offset]) >= 0 {
		offset++
	}
	token, err := j.decoder.Token()
	if err != nil {
		return nil, j.lines.at(offset) // cannot happen in valid JSON; reads as null
	}
	return token, j.lines.at(offset)
}

func (j *jsonWalk) value() *Node {
	token, pos := j.token()
	node := &Node{Pos: pos}
	switch v := token.(type) {
	case string:
		node.Kind, node.Text, node.Quoted = Scalar, v, true
	case json.Number:
		node.Kind, node.Text = Scalar, v.String()
	case bool:
		node.Kind, node.Text = Scalar, strconv.FormatBool(v)
	case json.Delim:
		if v == '[' {
			node.Kind = Sequence
			for i := 0; j.decoder.More(); i++ {
				node.Items = append(node.Items, j.inside(itoa(i), j.value))
			}
		} else {
			node.Kind = Mapping
			j.object(node)
		}
		if len(j.path) > maxDepth && !j.full {
			j.full = true
			j.diags.Errorf("too-deep", pos, "", "nested deeper than %d levels", maxDepth)
		}
		j.token() // the closing one
	}
	return node
}

func (j *jsonWalk) object(node *Node) {
	index := map[string]int{}
	for j.decoder.More() {
		token, pos := j.token()
		key, _ := token.(string)
		value := j.inside(key, j.value)
		at, exists := index[key]
		if !exists {
			index[key] = len(node.Entries)
			node.Entries = append(node.Entries, Entry{key, pos, value})
			continue
		}
		j.duplicateKey(key, pos, node.Entries[at].KeyPos)
		node.Entries[at] = Entry{key, pos, value}
	}
}

// lineIndex converts rising byte offsets to places without counting from the beginning each time.
type lineIndex struct {
	name   string
	text   []byte
	offset int // where it has counted to
	line   int // line breaks before offset
	column int // characters before offset in its line
}

func (x *lineIndex) at(offset int) diag.Pos {
	for ; x.offset < offset; x.offset++ {
		switch c := x.text[x.offset]; {
		case c == '\n':
			x.line++
			x.column = 0
		case utf8.RuneStart(c):
			x.column++
		}
	}
	return diag.Pos{File: x.name, Line: x.line + 1, Column: x.column + 1}
}

// jsonHint says what to write instead at a mistake in JSON.
func jsonHint(text []byte, offset int) string {
	offset = min(max(offset, 0), len(text))
	before := bytes.TrimRight(text[:offset], " \t\r\n")
	rest := bytes.TrimLeft(text[offset:], " \t\r\n")
	switch {
	case len(rest) == 0:
		return "close every { and [ that is open"
	case bytes.HasSuffix(before, []byte(",")) && (rest[0] == '}' || rest[0] == ']'):
		return "remove the comma before it"
	case rest[0] == '\'':
		return "JSON has double quotes only"
	}
	return "mend it, or write the file as YAML, which asks for fewer signs"
}
