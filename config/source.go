package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/stacrun/stacrun/diag"
)

// FormatSource lays a scenario file out anew: two spaces a level, comments and single empty lines
// kept, values, their spelling and the order of keys untouched. Laying out the result again changes
// nothing. A text that cannot be read, or whose comments would be lost, comes back as an error.
func FormatSource(name string, text []byte) ([]byte, diag.List) {
	before, source, diags := readText(name, text)
	if diags.HasErrors() {
		return nil, diags
	}
	out := bytes.TrimPrefix(source, []byte("\uFEFF"))
	if plainText.Match(out) {
		return nil, refuse(name, "it holds the word %q, which is used on the way", plainText.Find(out))
	}
	if json.Valid(out) {
		return jsonSource(before), nil
	}
	if _, failure := parse(out); failure != nil {
		out, _ = replaceTabs(out) // which is why it could be read
	}
	comments := commentLines(out)
	const rounds = 5 // comments may move once or twice until they have found their place
	for range rounds {
		next, err := layout(out)
		if err != nil {
			return nil, refuse(name, "%v", err)
		}
		if bytes.Equal(next, out) {
			break
		}
		out = next
	}
	after, _, _ := readText(name, out)
	if !slices.EqualFunc(before, after, sameDocument) {
		return nil, refuse(name, "the file would not mean the same afterwards")
	}
	for _, comment := range comments {
		if !bytes.Contains(out, []byte(comment)) {
			return nil, refuse(name, "the comment %q would be lost", diag.Shorten(comment, 40))
		}
	}
	if again, err := layout(out); err != nil || !bytes.Equal(again, out) {
		return nil, refuse(name, "its comments do not come to rest")
	}
	return out, nil
}

func refuse(name, format string, args ...any) diag.List {
	var list diag.List
	list.Errorf("not-formatted", diag.Pos{File: name}, "", "the file is left as it is: "+format, args...).
		WithHint("move comments to lines of their own above what they are about")
	return list
}

// jsonSource writes documents as JSON.
func jsonSource(docs []*Node) []byte {
	var b bytes.Buffer
	for _, doc := range docs {
		_ = Format(&b, doc, FormatOptions{JSON: true})
	}
	return b.Bytes()
}

// blankMark stands for an empty line while the library, which forgets those, has the text.
const blankMark = "#\u2063empty"

// layout goes once through the library.
func layout(text []byte) ([]byte, error) {
	marked := markBlanks(text)
	if !sameMeaning(text, marked) {
		marked = text // an empty line is part of a text over several lines
	}
	nodes, failure := parseDocuments(marked)
	if failure != nil {
		return nil, fmt.Errorf("line %d: %s", failure.line, failure.problem)
	}
	var b bytes.Buffer
	var plain plainTexts
	for i, node := range nodes {
		if i > 0 {
			b.WriteString("---\n")
		}
		plain.hide(node, false)
		encoder := yaml.NewEncoder(&b)
		encoder.SetIndent(2)
		if err := encoder.Encode(node); err != nil {
			return nil, err
		}
		if err := encoder.Close(); err != nil {
			return nil, err
		}
	}
	return unmarkBlanks(plain.show(b.Bytes())), nil
}

// plainTexts stand in for texts without quotes while the library lays a document out: it would quote
// some that need it in no reader, such as 1:30 and addresses in [ ].
type plainTexts struct{ texts []string }

var plainText = regexp.MustCompile(`zq[0-9]{6}qz`)

// hide replaces the plain texts below n by words that are plain everywhere. An empty value between
// braces is written out, since the library would make it an empty text.
func (p *plainTexts) hide(n *yaml.Node, flow bool) {
	if n.Kind == yaml.ScalarNode && n.Style == 0 && (n.Value != "" || flow) {
		n.Value = orElse(n.Value, "null")
		p.texts = append(p.texts, n.Value)
		n.Tag, n.Value = "!!str", fmt.Sprintf("zq%06dqz", len(p.texts)-1)
	}
	for _, inner := range n.Content {
		p.hide(inner, flow || n.Style&yaml.FlowStyle != 0)
	}
}

// show puts them back.
func (p *plainTexts) show(text []byte) []byte {
	return plainText.ReplaceAllFunc(text, func(word []byte) []byte {
		i, _ := strconv.Atoi(string(word[2:8]))
		if i >= len(p.texts) {
			return word
		}
		return []byte(p.texts[i])
	})
}

// parseDocuments reads documents with the nodes that hold their comments.
func parseDocuments(text []byte) ([]*yaml.Node, *failure) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var nodes []*yaml.Node
	for {
		node := new(yaml.Node)
		switch err := decoder.Decode(node); {
		case err == nil:
			nodes = append(nodes, node)
		case err.Error() == "EOF":
			return nodes, nil
		default:
			return nodes, locate(decoder, err, text)
		}
	}
}

// markBlanks puts a comment where one or more empty lines stand, indented like the line after them,
// outside of block texts.
func markBlanks(text []byte) []byte {
	lines := strings.Split(string(text), "\n")
	var out []string
	block := -1 // indent of the line that began a block text
	for i := 0; i < len(lines); i++ {
		line := strings.TrimRight(lines[i], " \t\r")
		if line != "" {
			indent := indentOf(line)
			if block >= 0 && indent > block {
				out = append(out, lines[i])
				continue
			}
			block = -1
			if beginsBlock(line) {
				block = indent
			}
			out = append(out, strings.TrimRight(lines[i], "\r"))
			continue
		}
		next := i
		for next < len(lines) && strings.TrimSpace(lines[next]) == "" {
			next++
		}
		switch {
		case next == len(lines) || len(out) == 0:
			// nothing at either end of the file
		case block >= 0 && indentOf(lines[next]) > block:
			out = append(out, lines[i:next]...)
		case strings.HasPrefix(lines[next], "---") || strings.HasPrefix(out[len(out)-1], "---"):
		default:
			out = append(out, strings.Repeat(" ", indentOf(lines[next]))+blankMark)
		}
		i = next - 1
	}
	return []byte(strings.Join(out, "\n") + "\n")
}

func unmarkBlanks(text []byte) []byte {
	var b strings.Builder
	blank := false
	for line := range strings.Lines(string(text)) {
		if strings.TrimSpace(line) == blankMark || strings.TrimSpace(line) == "" && blank {
			if !blank {
				b.WriteByte('\n')
			}
			blank = true
			continue
		}
		blank = false
		b.WriteString(strings.TrimSuffix(strings.TrimRight(strings.TrimSuffix(line, "\n"), "\n"), " "+blankMark) + "\n")
	}
	return []byte(strings.TrimRight(strings.TrimLeft(b.String(), "\n"), "\n") + "\n")
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// beginsBlock reports whether a line ends in the sign of a block text, such as "body: |".
func beginsBlock(line string) bool {
	if at := strings.Index(line, " #"); at >= 0 {
		line = strings.TrimRight(line[:at], " ")
	}
	line = strings.TrimRight(line, "0123456789+-")
	return strings.HasSuffix(line, " |") || strings.HasSuffix(line, " >")
}

// commentLines lists the comments that fill a line, outside of block texts.
func commentLines(text []byte) []string {
	var out []string
	block := -1
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, " \t\r\n")
		if line == "" || block >= 0 && indentOf(line) > block {
			continue
		}
		block = -1
		if beginsBlock(line) {
			block = indentOf(line)
		}
		if comment := strings.TrimSpace(line); strings.HasPrefix(comment, "#") {
			out = append(out, comment)
		}
	}
	return out
}

func sameMeaning(a, b []byte) bool {
	before, _, _ := readText("", a)
	after, _, _ := readText("", b)
	return slices.EqualFunc(before, after, sameDocument)
}

// sameDocument compares two trees, places aside.
func sameDocument(a, b *Node) bool {
	if a.Kind != b.Kind || a.Text != b.Text {
		return false
	}
	if a.Quoted != b.Quoted { // which says nothing about a text that could be nothing else
		if _, isText := (&Node{Kind: Scalar, Text: a.Text}).Any().(string); !isText || sexagesimal.MatchString(a.Text) {
			return false
		}
	}
	return slices.EqualFunc(a.Items, b.Items, sameDocument) && slices.EqualFunc(a.Entries, b.Entries, func(x, y Entry) bool {
		return x.Key == y.Key && sameDocument(x.Value, y.Value)
	})
}
