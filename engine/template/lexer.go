package template

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// segment is a stretch of a text: literal text, or what stands between "${" and "}".
type segment struct {
	text    string
	offset  int // of text in the whole, in bytes
	dynamic bool
}

// lexMistake is a mistake at a byte offset of a text.
type lexMistake struct {
	offset  int
	message string
	hint    string
}

// maxDepth bounds how deep braces, parentheses and "${" may nest.
const maxDepth = 64

// split cuts a text into segments. "$${" gives a literal "${".
func split(text string) ([]segment, *lexMistake) {
	var segments []segment
	literalFrom := 0
	flush := func(to int) {
		if to > literalFrom {
			segments = append(segments, segment{text: text[literalFrom:to], offset: literalFrom})
		}
	}
	for i := 0; i < len(text); {
		at := strings.IndexByte(text[i:], '$')
		if at < 0 {
			break
		}
		i += at
		switch {
		case strings.HasPrefix(text[i:], "$${"):
			flush(i)
			literalFrom = i + 1 // the "${" stays
			i += 3
		case strings.HasPrefix(text[i:], "${"):
			end, err := closingBrace(text, i)
			if err != nil {
				return segments, err
			}
			flush(i)
			segments = append(segments, segment{text: text[i+2 : end], offset: i + 2, dynamic: true})
			i = end + 1
			literalFrom = i
		default:
			i++
		}
	}
	flush(len(text))
	return segments, nil
}

// closingBrace returns the offset of the "}" that ends the "${" at start.
func closingBrace(text string, start int) (int, *lexMistake) {
	body := start + 2
	if end, ok := callEnd(text, body, 0); ok {
		return end, nil
	}
	if end, ok := expressionEnd(text, body); ok {
		return end, nil
	}
	return 0, &lexMistake{
		offset:  start,
		message: fmt.Sprintf("%q is never closed by %q", "${", "}"),
		hint:    "write $${ where the characters themselves are meant",
	}
}

// expressionEnd finds the closing brace of an expression: quotes and nested braces are skipped.
func expressionEnd(text string, i int) (int, bool) {
	depth := 0
	for ; i < len(text); i++ {
		switch text[i] {
		case '{':
			depth++
		case '}':
			if depth == 0 {
				return i, true
			}
			depth--
		case '"', '\'', '`':
			end := quoteEnd(text, i)
			if end < 0 {
				return 0, false
			}
			i = end
		}
	}
	return 0, false
}

// quoteEnd returns the offset of the quote that ends the string beginning at i, or -1.
func quoteEnd(text string, i int) int {
	quote := text[i]
	for i++; i < len(text); i++ {
		switch {
		case text[i] == quote:
			return i
		case text[i] == '\\' && quote != '`':
			i++
		}
	}
	return -1
}

// callEnd finds the closing brace of a JMeter call, "__Name" or "__Name(a,b)", whose arguments are
// plain text: quotes mean nothing in them, "\" escapes the next character, parentheses balance and
// "${" may stand inside. It reports false when the text is not of that form as a whole.
func callEnd(text string, i, depth int) (int, bool) {
	if depth > maxDepth {
		return 0, false
	}
	i = skipSpace(text, i)
	name := functionName(text[i:])
	if name == "" {
		return 0, false
	}
	i += len(name)
	if i < len(text) && text[i] == '(' {
		end, ok := argumentsEnd(text, i+1, depth)
		if !ok {
			return 0, false
		}
		i = end + 1
	}
	i = skipSpace(text, i)
	if i < len(text) && text[i] == '}' {
		return i, true
	}
	return 0, false
}

// argumentsEnd returns the offset of the ")" that ends the arguments beginning at i.
func argumentsEnd(text string, i, depth int) (int, bool) {
	open := 0
	for ; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '(':
			open++
		case ')':
			if open == 0 {
				return i, true
			}
			open--
		case '$':
			if strings.HasPrefix(text[i:], "${") {
				end, ok := callEnd(text, i+2, depth+1)
				if !ok {
					end, ok = expressionEnd(text, i+2)
				}
				if !ok {
					return 0, false
				}
				i = end
			}
		}
	}
	return 0, false
}

// functionName returns the "__Name" that text begins with, or "".
func functionName(text string) string {
	if !strings.HasPrefix(text, "__") {
		return ""
	}
	end := 2
	for end < len(text) && isWord(text[end]) {
		end++
	}
	if end == 2 {
		return ""
	}
	return text[:end]
}

func isWord(b byte) bool {
	return b == '_' || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}

func skipSpace(text string, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\t' || text[i] == '\n' || text[i] == '\r') {
		i++
	}
	return i
}

// argument is one argument of a JMeter call, still with its "${…}" inside.
type argument struct {
	text   string
	offset int // of its first character in the text of the call
}

// splitCall reads a whole segment as a JMeter call.
func splitCall(text string) (name string, args []argument, ok bool) {
	start := skipSpace(text, 0)
	name = functionName(text[start:])
	if name == "" {
		return "", nil, false
	}
	i := start + len(name)
	if skipSpace(text, i) == len(text) {
		return name, nil, true
	}
	if text[i] != '(' {
		return "", nil, false
	}
	end, ok := argumentsEnd(text, i+1, 0)
	if !ok || skipSpace(text, end+1) != len(text) {
		return "", nil, false
	}
	return name, splitArguments(text[i+1:end], i+1), true
}

// splitArguments cuts at commas that are not escaped, not in parentheses and not inside "${…}".
func splitArguments(text string, offset int) []argument {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	var args []argument
	var current strings.Builder
	from, open := 0, 0
	flush := func(next int) {
		raw := current.String()
		trimmed := strings.TrimSpace(raw)
		if trimmed == "" {
			trimmed = raw // white space alone is meant, such as a delimiter
		}
		args = append(args, argument{text: trimmed, offset: offset + from + strings.Index(raw, trimmed)})
		current.Reset()
		from = next
	}
	for i := 0; i < len(text); i++ {
		switch b := text[i]; {
		case b == '\\' && i+1 < len(text) && strings.IndexByte(`,\$`, text[i+1]) >= 0:
			i++
			if text[i] == '$' && strings.HasPrefix(text[i:], "${") {
				current.WriteByte('$') // "\${" is the literal that "$${" is elsewhere
			}
			current.WriteByte(text[i])
		case b == ',' && open == 0:
			flush(i + 1)
		case b == '$' && strings.HasPrefix(text[i:], "${"):
			end, err := closingBrace(text, i)
			if err != nil {
				current.WriteByte(b)
				continue
			}
			current.WriteString(text[i : end+1])
			i = end
		default:
			switch b {
			case '(':
				open++
			case ')':
				open--
			}
			current.WriteByte(b)
		}
	}
	flush(len(text))
	return args
}

// unquote strips the quotes of an argument that is one quoted string as a whole, so that
// ${__RandomString(5, "abc")} means the same as ${__RandomString(5,abc)}.
func unquote(s string) string {
	if len(s) < 2 || (s[0] != '"' && s[0] != '\'') || s[len(s)-1] != s[0] {
		return s
	}
	if inner := s[1 : len(s)-1]; strings.IndexByte(inner, s[0]) < 0 {
		return inner
	}
	return s
}

// isName reports whether a text looks like the name of a variable rather than an expression.
func isName(s string) bool {
	if s == "" {
		return false
	}
	for i, r := range s {
		switch {
		case r == '_' || r >= utf8.RuneSelf || r < utf8.RuneSelf && isWord(byte(r)) && (i > 0 || r > '9'):
		case i > 0 && (r == '-' || r == '.'):
		default:
			return false
		}
	}
	return true
}
