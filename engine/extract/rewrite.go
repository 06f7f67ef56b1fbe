package extract

import (
	"fmt"
	"strings"
)

// Rewrite turns the JSONPath spellings of Jayway, which Taurus files use, into RFC 9535. length
// reports that the path ended in ".length()": the number of elements is meant.
//
//	features.id             $.features.id          the root is added
//	$.[0].id                $[0].id
//	$.a[(@.length-1)]       $.a[-1]
//	$.properties.eo:cloud   $.properties['eo:cloud']
//	$.a[?(@.b =~ /x.*/i)]   $.a[?(match(@.b, '(?i)x.*'))]
func Rewrite(path string) (rewritten string, length bool, err error) {
	w := &rewriter{text: strings.TrimSpace(path)}
	for _, suffix := range []string{".length()", ".size()"} {
		if before, ok := strings.CutSuffix(w.text, suffix); ok {
			w.text, length = before, true
		}
	}
	switch {
	case w.text == "":
		return "", length, fmt.Errorf("the path is empty")
	case w.text[0] == '$':
	case w.text[0] == '.' || w.text[0] == '[':
		w.text = "$" + w.text
	default:
		w.text = "$." + w.text
	}
	for w.i < len(w.text) && w.err == nil {
		w.step()
	}
	out := w.out.String()
	if trimmed, ok := strings.CutSuffix(out, "."); ok && w.err == nil {
		out = strings.TrimSuffix(trimmed, ".") // a path of "$." means the root
	}
	return out, length, w.err
}

type rewriter struct {
	text   string
	i      int
	out    strings.Builder
	filter int // open "[?" … : inside a filter
	open   int // open brackets and parentheses since the filter began
	err    error
}

// step copies or rewrites what stands at the cursor.
func (w *rewriter) step() {
	rest := w.text[w.i:]
	switch b := rest[0]; {
	case b == '"' || b == '\'':
		w.copy(quotedLength(rest))
	case strings.HasPrefix(rest, "[("):
		w.fromEnd(rest)
	case strings.HasPrefix(rest, "[?"):
		w.filter++
		w.open++
		w.copy(2)
	case b == '[' || b == '(':
		w.open++
		w.copy(1)
	case b == ']' || b == ')':
		w.open--
		if w.open <= 0 {
			w.filter, w.open = 0, 0
		}
		w.copy(1)
	case strings.HasPrefix(rest, ".["):
		w.i++ // ".[" is "["
	case b == '.':
		w.dot(rest)
	case w.filter > 0 && isDigit(b):
		w.copy(numberLength(rest))
	case w.filter > 0 && strings.HasPrefix(rest, "=~"):
		w.matches(rest)
	case w.filter > 0 && isLetter(b):
		w.word(rest)
	default:
		w.copy(1)
	}
}

func (w *rewriter) copy(n int) {
	w.out.WriteString(w.text[w.i : w.i+n])
	w.i += n
}

// dot copies "." or ".." and the name behind it, which is quoted where RFC 9535 wants it.
func (w *rewriter) dot(rest string) {
	dots := 1
	if strings.HasPrefix(rest, "..") {
		dots = 2
	}
	end := dots
	for end < len(rest) && strings.IndexByte(".[]() \t\r\n,'\"*?=!<>&|~", rest[end]) < 0 {
		end++
	}
	name := rest[dots:end]
	switch {
	case name == "":
		if dots == 2 && strings.HasPrefix(rest, "..[") {
			w.copy(2)
			return
		}
		w.copy(dots)
	case end < len(rest) && rest[end] == '(':
		w.err = fmt.Errorf("the function %s() is not part of JSONPath (RFC 9535)", name)
	case isShorthand(name):
		w.copy(end)
	default:
		if dots == 2 {
			w.out.WriteString("..")
		}
		w.out.WriteString("['" + strings.ReplaceAll(name, `\`, `\\`) + "']")
		w.i += end
	}
}

// fromEnd turns "[(@.length-1)]" into "[-1]".
func (w *rewriter) fromEnd(rest string) {
	end := strings.Index(rest, ")]")
	for end >= 0 && strings.HasSuffix(rest[:end], "(") { // the ")" of "length()"
		next := strings.Index(rest[end+1:], ")]")
		if next < 0 {
			break
		}
		end += 1 + next
	}
	if end < 0 {
		w.err = fmt.Errorf("%q is never closed", "[(")
		return
	}
	inner := strings.ReplaceAll(rest[2:end], " ", "")
	for _, prefix := range []string{"@.length()-", "@.length-", "@.size()-"} {
		if n, ok := strings.CutPrefix(inner, prefix); ok && n != "" && strings.Trim(n, "0123456789") == "" {
			w.out.WriteString("[-" + n + "]")
			w.i += end + 2
			return
		}
	}
	w.err = fmt.Errorf("the script %q cannot be run; count from the end with [-1]", rest[:end+2])
}

// matches turns "left =~ /pattern/flags" into match(left, 'pattern'). The left side is the path
// that was written last.
func (w *rewriter) matches(rest string) {
	start := strings.IndexByte(rest, '/')
	if start < 0 || strings.TrimSpace(rest[2:start]) != "" {
		w.err = fmt.Errorf("%q needs a pattern between slashes", "=~")
		return
	}
	end := start + 1
	for end < len(rest) && rest[end] != '/' {
		if rest[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(rest) {
		w.err = fmt.Errorf("the pattern behind %q is never closed", "=~")
		return
	}
	pattern := strings.ReplaceAll(rest[start+1:end], `\/`, "/")
	end++
	flags := ""
	for end < len(rest) && isLetter(rest[end]) {
		flags += string(rest[end])
		end++
	}
	if flags != "" {
		pattern = "(?" + flags + ")" + pattern
	}
	before := strings.TrimRight(w.out.String(), " ")
	at := strings.LastIndexAny(before, "@$")
	if at < 0 {
		w.err = fmt.Errorf("%q needs a path on its left", "=~")
		return
	}
	w.out.Reset()
	quoted := strings.ReplaceAll(strings.ReplaceAll(pattern, `\`, `\\`), "'", `\'`)
	w.out.WriteString(before[:at] + "match(" + before[at:] + ", '" + quoted + "')")
	w.i += end
}

// jaywayOperators are the word operators of Jayway that RFC 9535 does not have.
var jaywayOperators = map[string]string{
	"in": "compare with == and join with ||", "nin": "compare with != and join with &&",
	"contains": "use =~ /.*text.*/ for texts", "subsetof": "compare with ==", "anyof": "compare with ==", "noneof": "compare with !=",
	"size": "use length(@.name) == n", "empty": "use length(@.name) == 0",
}

// word copies a word of a filter, such as true, null or the name of a function.
func (w *rewriter) word(rest string) {
	end := 0
	for end < len(rest) && (isLetter(rest[end]) || isDigit(rest[end]) || rest[end] == '_') {
		end++
	}
	if instead, ok := jaywayOperators[rest[:end]]; ok && !(end < len(rest) && rest[end] == '(') {
		w.err = fmt.Errorf("the operator %q is not part of JSONPath (RFC 9535); %s", rest[:end], instead)
		return
	}
	w.copy(end)
}

// isShorthand reports the names that may stand behind a dot unquoted.
func isShorthand(name string) bool {
	for i := range len(name) {
		b := name[i]
		if !isLetter(b) && b != '_' && b < 0x80 && (!isDigit(b) || i == 0) {
			return false
		}
	}
	return true
}

func isLetter(b byte) bool { return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' }
func isDigit(b byte) bool  { return '0' <= b && b <= '9' }

// quotedLength is the length of the string that text begins with, or of all of it.
func quotedLength(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case text[0]:
			return i + 1
		}
	}
	return len(text)
}

func numberLength(text string) int {
	n := 0
	for n < len(text) && (isDigit(text[n]) || text[n] == '.' && n+1 < len(text) && isDigit(text[n+1]) ||
		(text[n] == 'e' || text[n] == 'E') && n+1 < len(text) && (isDigit(text[n+1]) || text[n+1] == '-' || text[n+1] == '+') ||
		(text[n] == '-' || text[n] == '+') && n > 0 && (text[n-1] == 'e' || text[n-1] == 'E')) {
		n++
	}
	return n
}
