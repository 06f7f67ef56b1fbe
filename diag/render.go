package diag

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Sources maps the name of a text, as it stands in [Pos.File], to its content, so that a
// diagnostic can be shown with the line that it is about.
type Sources map[string][]byte

// Line returns line n (1-based) of the named text, without its line end.
func (s Sources) Line(file string, n int) (string, bool) {
	text, ok := s[file]
	if !ok || n < 1 {
		return "", false
	}
	rest := string(text)
	for ; n > 1; n-- {
		_, after, found := strings.Cut(rest, "\n")
		if !found {
			return "", false
		}
		rest = after
	}
	line, _, _ := strings.Cut(rest, "\n")
	return strings.TrimPrefix(strings.TrimSuffix(line, "\r"), "\uFEFF"), true
}

// Render writes the list for people, one block a diagnostic:
//
//	search.yml:14:7: unknown key "hold_for" in execution
//	   14 |       hold_for: 2m
//	      |       ^^^^^^^^
//	  hint: did you mean "hold-for"?
//
// A warning has "warning: " before its message. The list is written in the order it has.
func Render(w io.Writer, list List, sources Sources) error {
	var b strings.Builder
	for _, d := range list {
		renderOne(&b, d, sources)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func renderOne(b *strings.Builder, d Diagnostic, sources Sources) {
	if d.Pos.Known() {
		b.WriteString(d.Pos.String() + ": ")
	}
	if d.Severity == Warning {
		b.WriteString("warning: ")
	}
	b.WriteString(d.Message + "\n")
	excerpt(b, d.Pos, d.Length, sources)
	if d.Hint != "" {
		fmt.Fprintf(b, "  hint: %s\n", strings.ReplaceAll(d.Hint, "\n", "\n        "))
	}
	for _, note := range d.Notes {
		fmt.Fprintf(b, "  note: %s: %s\n", note.Pos, note.Message)
	}
}

var userInfo = regexp.MustCompile(`(://[^/?#\s@:]*:)([^/?#\s@]+)@`) //nolint:gochecknoglobals // a constant

// withoutPasswords hides the passwords of URLs, keeping the width of the line.
func withoutPasswords(line string) string {
	if !strings.Contains(line, "://") {
		return line
	}
	return userInfo.ReplaceAllStringFunc(line, func(found string) string {
		parts := userInfo.FindStringSubmatch(found)
		return parts[1] + strings.Repeat("*", utf8.RuneCountInString(parts[2])) + "@"
	})
}

// excerptWidth bounds the part of a long line that is shown, in characters.
const excerptWidth = 110

func excerpt(b *strings.Builder, pos Pos, length int, sources Sources) {
	line, ok := sources.Line(pos.File, pos.Line)
	if !ok || strings.TrimSpace(line) == "" {
		return
	}
	chars := []rune(withoutPasswords(strings.ToValidUTF8(line, "\uFFFD")))
	column := min(max(pos.Column, 1), len(chars)+1)
	if length <= 0 {
		length = wordLength(chars[column-1:])
	}
	// A caret far to the right: show a window around it.
	from := 0
	if column > excerptWidth-20 {
		from = column - 40
	}
	to := min(len(chars), from+excerptWidth)
	shown := string(chars[from:to])
	if from > 0 {
		shown = "…" + string(chars[from+1:to])
	}
	if to < len(chars) {
		shown += "…"
	}
	pad := blanks(chars[from : column-1])
	length = max(1, min(length, to-(column-1)))
	fmt.Fprintf(b, "%5d | %s\n", pos.Line, shown)
	if pos.Column > 0 {
		fmt.Fprintf(b, "      | %s%s\n", pad, strings.Repeat("^", length))
	}
}

// blanks keeps tabs so that the caret stands under its column whatever the tab width.
func blanks(chars []rune) string {
	var b strings.Builder
	for _, c := range chars {
		if c == '\t' {
			b.WriteRune('\t')
		} else {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

func wordLength(chars []rune) int {
	n := 0
	for n < len(chars) && !strings.ContainsRune(" \t:,]}", chars[n]) {
		n++
	}
	return n
}

// Shorten cuts a long value for use in a message, on a character border.
func Shorten(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return string([]rune(s)[:limit-1]) + "…"
}
