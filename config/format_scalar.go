package config

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// scalarText writes a scalar so that it reads back with the same text and type: plain where that is
// safe, else in double quotes.
func scalarText(n *Node) string {
	if !safePlain(n.Text) {
		return quote(n.Text)
	}
	if n.Quoted && looksTyped(n.Text) {
		return quote(n.Text)
	}
	if !n.Quoted && isNull(n.Text) {
		return quote(n.Text) // a text that only looks like null
	}
	return n.Text
}

func keyText(key string) string {
	if !safePlain(key) || key == "<<" || key == "~" {
		return quote(key)
	}
	return key // keys are text, whatever they look like
}

// quote writes a text in double quotes, which YAML reads as JSON does once no line break of its
// own is in them.
func quote(text string) string {
	quoted := jsonString(text)
	if strings.IndexFunc(quoted, func(c rune) bool { return !printable(c) }) < 0 {
		return quoted
	}
	var b strings.Builder
	for _, c := range quoted {
		if printable(c) {
			b.WriteRune(c)
		} else {
			fmt.Fprintf(&b, `\u%04x`, c)
		}
	}
	return b.String()
}

// typed matches what YAML 1.1 or 1.2 reads as something else than text: numbers of any base, with
// underscores or in base 60, dates, infinities, and the merge key.
var typed = regexp.MustCompile(`^(?:[-+]?[0-9.][0-9a-fA-FoOxX_.:]*(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}.*|<<|=)$`)

// looksTyped reports whether a plain text would be read as a number, boolean, date or null by
// some reader of YAML.
func looksTyped(text string) bool {
	switch strings.ToLower(text) {
	case "", "~", "null", "true", "false", "yes", "no", "on", "off", "y", "n":
		return true
	}
	return typed.MatchString(text)
}

// safePlain reports whether a text can stand without quotes in a block.
func safePlain(text string) bool {
	if text == "" || strings.TrimSpace(text) != text {
		return false
	}
	if strings.Contains(text, ": ") || strings.Contains(text, " #") || strings.HasSuffix(text, ":") {
		return false
	}
	switch first := text[0]; first {
	case '-', '?', ':':
		if len(text) == 1 || text[1] == ' ' {
			return false
		}
	case ',', '[', ']', '{', '}', '#', '&', '*', '!', '|', '>', '\'', '"', '%', '@', '`':
		return false
	}
	if strings.HasPrefix(text, "---") || strings.HasPrefix(text, "...") {
		return false
	}
	return strings.IndexFunc(text, func(c rune) bool { return !printable(c) || c == '\n' || c == '\t' }) < 0
}

// printable reports whether a character can stand in YAML unescaped, and is visible.
func printable(c rune) bool {
	switch c {
	case '\n', '\t':
		return true
	case '\u0085', '\u2028', '\u2029', '\uFEFF', unicode.ReplacementChar:
		return false
	}
	return c >= ' ' && c < 0x7F || c >= 0xA0 && c != 0xFFFE && c != 0xFFFF
}

// blockText gives the header and the lines of a text of several lines as a literal block, where
// that keeps it as it is.
func blockText(text string) (header string, lines []string, ok bool) {
	body := strings.TrimRight(text, "\n")
	if !strings.Contains(text, "\n") || body == "" || strings.HasPrefix(text, " ") || strings.HasPrefix(text, "\n") || strings.HasPrefix(text, "\t") {
		return "", nil, false
	}
	if strings.IndexFunc(text, func(c rune) bool { return !printable(c) }) >= 0 {
		return "", nil, false
	}
	lines = strings.Split(body, "\n")
	for _, line := range lines {
		if line != "" && strings.TrimSpace(line) == "" || strings.HasPrefix(line, "\t") {
			return "", nil, false
		}
	}
	switch trailing := len(text) - len(body); trailing {
	case 0:
		return "|-", lines, true
	case 1:
		return "|", lines, true
	default:
		return "|+", append(lines, make([]string, trailing-1)...), true
	}
}
