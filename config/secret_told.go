package config

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stacrun/stacrun/diag"
)

// MaskTold hides secrets in what is told of mistakes in a file: in the texts of the list, and in the sources whose lines are quoted
// with it. Lines keep their length, so that places in them stay right. Where a source cannot be read as YAML, what follows the name of
// a secret in a line is hidden.
func MaskTold(list diag.List, file *File) (diag.List, diag.Sources) {
	if len(list) == 0 {
		return list, file.Sources
	}
	sources := shownBy(list, file.Sources)
	documents := []*Node{file.Document, file.Merged}
	broken := map[string]bool{}
	for name, text := range sources { // also what others hide in the document
		found, _, diags := readText(name, text)
		broken[name] = name == overrideName || slices.ContainsFunc(diags, leavesGap)
		documents = append(documents, found...)
	}
	s := SecretsOf(documents...)
	for name, text := range sources {
		plain := strings.TrimPrefix(strings.ToValidUTF8(string(decodeUTF16(text)), "\uFFFD"), "\uFEFF")
		m := sourceMasker{secrets: s, lines: strings.Split(plain, "\n")}
		for _, document := range documents[2:] {
			m.document(document, name)
		}
		for i := range m.lines {
			m.line(i, broken[name])
		}
		sources[name] = []byte(strings.Join(m.lines, "\n"))
	}
	list = slices.Clone(list)
	for i := range list {
		d := &list[i]
		d.Message, d.Hint, d.Notes = s.told(d.Message), s.told(d.Hint), slices.Clone(d.Notes)
		for j := range d.Notes {
			d.Notes[j].Message = s.told(d.Notes[j].Message)
		}
	}
	return list, sources
}

// shownBy are the sources of which a list shows lines.
func shownBy(list diag.List, all diag.Sources) diag.Sources {
	shown := diag.Sources{}
	for _, d := range list {
		if text, ok := all[d.Pos.File]; ok {
			shown[d.Pos.File] = text
		}
	}
	return shown
}

// told hides the values of secrets in a sentence.
func (s *Secrets) told(text string) string { return maskParams(s.replacer.Replace(text), quotedParam) }

// sourceMasker hides secrets in the lines of a source.
type sourceMasker struct {
	secrets *Secrets
	lines   []string
}

// document hides the values of secrets' keys where they stand.
func (m *sourceMasker) document(n *Node, file string) {
	eachScalar(n, "", func(n *Node, secret bool) {
		if !secret || !hidden(n) {
			return
		}
		for _, pos := range []diag.Pos{n.Pos, n.Anchor} {
			if pos.File == file && pos.Line > 0 && pos.Line <= len(m.lines) {
				m.value(pos.Line-1, pos.Column-1, n.Text)
			}
		}
	})
}

// value hides the value that begins at a character of a line; text is what it means.
func (m *sourceMasker) value(line, column int, text string) {
	before, rest := splitChars(m.lines[line], column)
	if anchor := definition.FindString(rest); anchor != "" {
		before, rest = before+anchor, rest[len(anchor):]
	}
	switch {
	case rest == "" || rest[0] == '*':
	case rest[0] == '"' || rest[0] == '\'':
		m.quoted(line, before, rest)
	case strings.HasPrefix(rest, text):
		m.lines[line] = before + stars(text) + rest[len(text):]
	case rest[0] == '|' || rest[0] == '>':
		m.below(line)
	default: // it goes on in the next lines
		m.lines[line] = before + stars(rest)
		m.below(line)
	}
}

// definition is an anchor or a tag before a value.
var definition = regexp.MustCompile(`^([&!]\S+\s+)+`)

// quoted hides what stands in quotes, which may end lines below.
func (m *sourceMasker) quoted(line int, before, rest string) {
	quote, rest := rest[:1], rest[1:]
	before += quote
	for {
		if end := closing(rest, quote[0]); end >= 0 {
			m.lines[line] = before + stars(rest[:end]) + rest[end:]
			return
		}
		m.lines[line] = before + stars(rest)
		if line++; line == len(m.lines) {
			return
		}
		before, rest = "", m.lines[line]
	}
}

// closing is where a text in quotes ends, or -1.
func closing(text string, quote byte) int {
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\' && quote == '"':
			i++
		case text[i] != quote:
		case quote == '\'' && strings.HasPrefix(text[i+1:], "'"):
			i++
		default:
			return i
		}
	}
	return -1
}

// below hides the lines that are indented more than the given one.
func (m *sourceMasker) below(line int) {
	outer := indentation(m.lines[line])
	for line++; line < len(m.lines) && (strings.TrimSpace(m.lines[line]) == "" || indentation(m.lines[line]) > outer); line++ {
		m.lines[line] = stars(m.lines[line])
	}
}

func indentation(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// line hides known secrets wherever they stand in a line; of a source that is broken, also what follows the name of one.
func (m *sourceMasker) line(i int, broken bool) {
	line := m.lines[i]
	for _, value := range m.secrets.long {
		for part := range strings.Lines(value) {
			if part = strings.TrimSpace(part); len(part) >= minSecret {
				line = strings.ReplaceAll(line, part, stars(part))
			}
		}
	}
	line = starGroup(userInfo, 2, line, func([]string) bool { return true })
	line = starGroup(quotedParam, 3, line, func(parts []string) bool { return IsSecretKey(parts[2]) && !isReference(parts[3]) })
	if broken {
		line = starGroup(namedValue, 2, line, func(parts []string) bool { return IsSecretKey(lastPart(parts[1])) && !isReference(parts[2]) })
	}
	m.lines[i] = line
}

// namedValue is a value behind its name, as far as one can see without reading the whole text.
var namedValue = regexp.MustCompile(`([\w.-]+)["']?[ \t]*[:=][ \t]*("(?:[^"\\]|\\.)*"?|'[^']*'?|[^\s,\]}"'{\[][^,\]}]*)`)

// starGroup hides a group of the matches of which hide says so.
func starGroup(pattern *regexp.Regexp, group int, line string, hide func(parts []string) bool) string {
	var out strings.Builder
	done := 0
	for _, at := range pattern.FindAllStringSubmatchIndex(line, -1) {
		var parts []string
		for i := 0; i < len(at); i += 2 {
			parts = append(parts, line[at[i]:at[i+1]])
		}
		if hide(parts) {
			out.WriteString(line[done:at[2*group]] + stars(parts[group]))
			done = at[2*group+1]
		}
	}
	return out.String() + line[done:]
}

// stars hides a text and keeps its length. Spaces stay, and so do references, which only say where a secret comes from.
func stars(text string) string {
	var out strings.Builder
	hide := func(text string) {
		for _, c := range text {
			if !unicode.IsSpace(c) {
				c = '*'
			}
			out.WriteRune(c)
		}
	}
	done := 0
	for _, at := range variableName.FindAllStringIndex(text, -1) {
		hide(text[done:at[0]])
		out.WriteString(text[at[0]:at[1]])
		done = at[1]
	}
	hide(text[done:])
	return out.String()
}

// splitChars cuts a line before a character.
func splitChars(line string, column int) (before, rest string) {
	rest = line
	for range column {
		_, size := utf8.DecodeRuneInString(rest)
		rest = rest[size:]
	}
	return line[:len(line)-len(rest)], rest
}
