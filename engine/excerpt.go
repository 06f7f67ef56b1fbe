package engine

import (
	"strings"
	"unicode"
)

// Lengths of the text of a failed status, in characters: what reports show, and how much of a body is looked at for it.
const (
	failureText = 200
	excerptScan = 1000 // bytes
)

// withExcerpt adds what the body of a failed answer begins with, in one line: "status 500: {"detail": …}".
func withExcerpt(text string, body []byte) string {
	cut := len(body) > excerptScan
	if cut {
		body = body[:excerptScan]
	}
	plain := strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(string(body), " "))
	words := strings.Join(strings.Fields(plain), " ")
	if words == "" {
		return text
	}
	runes := []rune(text + ": " + words)
	if len(runes) >= failureText {
		return string(runes[:failureText-1]) + "…"
	}
	if cut {
		return string(runes) + "…"
	}
	return string(runes)
}
