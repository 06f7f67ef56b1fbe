package config

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/stacrun/stacrun/diag"
)

// overrideName is the name that overrides have in positions; line n is the n-th of them.
const overrideName = "-o"

// pathPart is one part of the path of an override.
type pathPart struct {
	text   string
	quoted bool     // written with quotes or a backslash at its beginning: never an index or a directive
	index  int      // when isIndex
	isInt  bool     // digits, or a minus and digits
	pos    diag.Pos // where it begins in the argument
}

// override is one parsed "path=value".
type override struct {
	parts    []pathPart
	value    string
	valuePos diag.Pos
}

// parseOverride splits an argument at the first "=" outside quotes and its path at the dots. A part
// may stand in double or single quotes, and a backslash takes the meaning from a dot, an equals
// sign, a quote or a backslash.
func parseOverride(arg string, start diag.Pos) (override, *diag.Diagnostic) {
	var o override
	fail := func(column int, hint, format string, args ...any) (override, *diag.Diagnostic) {
		var list diag.List
		pos := start
		pos.Column += column
		list.Errorf("bad-override", pos, "", format, args...).WithHint("%s", hint)
		return o, &list[0]
	}
	chars := []rune(arg)
	var text strings.Builder
	from, quoted := 0, false
	finish := func(i int) {
		part := pathPart{text: text.String(), quoted: quoted, pos: start}
		part.pos.Column += from
		if n, err := strconv.Atoi(part.text); err == nil && !quoted && part.text[0] != '+' {
			part.index, part.isInt = n, true
		}
		o.parts = append(o.parts, part)
		text.Reset()
		from, quoted = i+1, false
	}
	for i := 0; i < len(chars); i++ {
		c := chars[i]
		switch {
		case c == '\\' && i+1 < len(chars) && strings.ContainsRune(`.="'\`, chars[i+1]):
			quoted = quoted || i == from
			i++
			text.WriteRune(chars[i])
		case (c == '"' || c == '\'') && i == from:
			end := closingQuote(chars, i)
			if end < 0 {
				return fail(i, "close it before the dot or the equals sign", "the quote that opens here is never closed")
			}
			quoted = true
			for k := i + 1; k < end; k++ {
				if c == '"' && chars[k] == '\\' && k+1 < end {
					k++
				}
				text.WriteRune(chars[k])
			}
			i = end
			if i+1 < len(chars) && chars[i+1] != '.' && chars[i+1] != '=' {
				return fail(i+1, `quote the whole part, such as modules."a.b".c=1`, "a dot or an equals sign is expected after the quote")
			}
		case c == '.':
			if text.Len() == 0 && !quoted {
				return fail(i, "write the path as keys and indexes with single dots between them", "a part of the path is empty")
			}
			finish(i)
		case c == '[' && !quoted && brackets.MatchString(string(chars[i:])):
			index := brackets.FindStringSubmatch(string(chars[i:]))[1]
			return fail(i, "write "+string(chars[:i])+"."+index+strings.TrimPrefix(string(chars[i:]), "["+index+"]"), "indexes stand between dots")
		case c == '=':
			if text.Len() == 0 && !quoted {
				return fail(i, "write it as path=value, such as execution.0.hold-for=30s", "a part of the path is empty")
			}
			finish(i)
			o.value = string(chars[i+1:])
			o.valuePos = start
			o.valuePos.Column += i + 1
			return o, nil
		default:
			text.WriteRune(c)
		}
	}
	return fail(0, "write it as path=value, such as execution.0.hold-for=30s", "%q has no equals sign", arg)
}

// brackets is an index as programs write it.
var brackets = regexp.MustCompile(`^\[(-?\d+)\][.=\[]`) //nolint:gochecknoglobals // a constant

// closingQuote gives the index of the quote that closes the one at i, or -1.
func closingQuote(chars []rune, i int) int {
	for k := i + 1; k < len(chars); k++ {
		switch {
		case chars[k] == '\\' && chars[i] == '"':
			k++
		case chars[k] == chars[i]:
			return k
		}
	}
	return -1
}

// directive splits "^" or "*" off an unquoted last part.
func (p pathPart) directive() (byte, string) {
	if !p.quoted && len(p.text) > 1 && (p.text[0] == '^' || p.text[0] == '*') {
		return p.text[0], p.text[1:]
	}
	return 0, p.text
}

// dotted gives parts as the path that diagnostics show.
func dotted(parts []pathPart) string {
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = PathPart(p.text)
		if p.isInt {
			texts[i] = p.text
		}
	}
	return strings.Join(texts, ".")
}
