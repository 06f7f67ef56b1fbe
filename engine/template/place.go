package template

import (
	"strings"
	"unicode/utf8"

	"github.com/stacrun/stacrun/diag"
)

// locate returns the place of the byte offset in a text that stands at pos. It is exact when the
// source holds the text as it is: plain, quoted without escapes, or as lines of a "|" block. Else,
// or without the source, it is pos.
func locate(sources diag.Sources, pos diag.Pos, text string, offset int) diag.Pos {
	if pos.Line == 0 || pos.Column == 0 || offset < 0 || offset > len(text) {
		return pos
	}
	line, ok := sources.Line(pos.File, pos.Line)
	if !ok {
		if strings.Contains(text, "\n") {
			return pos
		}
		pos.Column += utf8.RuneCountInString(text[:offset])
		return pos
	}
	rest := skipRunes(line, pos.Column-1)
	if strings.HasPrefix(rest, "|") {
		return locateInBlock(sources, pos, text, offset)
	}
	shift := 0
	if strings.HasPrefix(rest, `"`) || strings.HasPrefix(rest, "'") {
		shift, rest = 1, rest[1:]
	}
	if strings.Contains(text, "\n") || !strings.HasPrefix(rest, text) {
		return pos
	}
	pos.Column += shift + utf8.RuneCountInString(text[:offset])
	return pos
}

// locateInBlock looks for the line of a literal block that holds the offset.
func locateInBlock(sources diag.Sources, pos diag.Pos, text string, offset int) diag.Pos {
	before := text[:offset]
	number := strings.Count(before, "\n")
	start := strings.LastIndexByte(before, '\n') + 1
	want, _, _ := strings.Cut(text[start:], "\n")
	line, ok := sources.Line(pos.File, pos.Line+1+number)
	if !ok {
		return pos
	}
	indent := strings.Index(line, want)
	if indent < 0 || strings.TrimSpace(line[:indent]) != "" {
		return pos
	}
	pos.Line += 1 + number
	pos.Column = 1 + utf8.RuneCountInString(line[:indent]) + utf8.RuneCountInString(text[start:offset])
	return pos
}

func skipRunes(s string, n int) string {
	for ; n > 0 && s != ""; n-- {
		_, size := utf8.DecodeRuneInString(s)
		s = s[size:]
	}
	return s
}
