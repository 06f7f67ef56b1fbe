package config

import (
	"strings"
	"unicode/utf8"

	"github.com/stacrun/stacrun/diag"
)

// phrase is a part of a sentence that knows where it stands.
type phrase struct {
	text   string
	pos    diag.Pos // of the first character
	offset int      // bytes from the beginning of the sentence
}

// sub cuts bytes from..to out of p.
func (p phrase) sub(from, to int) phrase {
	pos := p.pos
	if pos.Column > 0 {
		pos.Column += utf8.RuneCountInString(p.text[:from])
	}
	return phrase{text: p.text[from:to], pos: pos, offset: p.offset + from}
}

// trim drops spaces at both ends.
func (p phrase) trim() phrase {
	left := len(p.text) - len(strings.TrimLeft(p.text, " \t\r\n"))
	return p.sub(left, max(left, len(strings.TrimRight(p.text, " \t\r\n"))))
}

// cut parts p around the first separator.
func (p phrase) cut(separator string) (before, after phrase, found bool) {
	at := strings.Index(p.text, separator)
	if at < 0 {
		return p, phrase{}, false
	}
	return p.sub(0, at), p.sub(at+len(separator), len(p.text)), true
}

// fields parts p at spaces.
func (p phrase) fields() []phrase {
	var out []phrase
	for i := 0; i < len(p.text); {
		if isSpace(p.text[i]) {
			i++
			continue
		}
		end := i
		for end < len(p.text) && !isSpace(p.text[end]) {
			end++
		}
		out = append(out, p.sub(i, end))
		i = end
	}
	return out
}

// operator is a run of comparison signs, as byte offsets.
type operator struct{ from, to int }

// operators finds all runs of comparison signs, so that ">=" is one.
func (p phrase) operators() []operator {
	var out []operator
	for i := 0; i < len(p.text); i++ {
		if !strings.ContainsRune("<>=!", rune(p.text[i])) {
			continue
		}
		end := i
		for end < len(p.text) && strings.ContainsRune("<>=!", rune(p.text[end])) {
			end++
		}
		if p.text[i:end] != "!" { // an exclamation mark alone belongs to a label
			out = append(out, operator{i, end})
		}
		i = end
	}
	return out
}

// startsWithSubject reports whether p begins as a sentence does: a known subject, then "of" or a comparison.
func (p phrase) startsWithSubject() bool {
	end := 0
	for end < len(p.text) && isSubjectByte(p.text[end]) {
		end++
	}
	if _, problem := readSubject(p.sub(0, end)); problem != nil {
		return false
	}
	rest := strings.TrimSpace(p.text[end:])
	return strings.HasPrefix(rest, "of ") || rest != "" && strings.ContainsRune("<>=", rune(rest[0]))
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func isSubjectByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("_?*.-", c) >= 0
}
