package assert

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxText bounds the text of a failed check, in bytes.
const MaxText = 200

const (
	maxExpected = 80 // bytes of what was expected, in a text
	maxSeen     = 70 // bytes of what was seen, in a text
)

// quote writes a text as people read it: shortened, on one line, in quotes.
func quote(s string, limit int) string {
	if len(s) > limit {
		s = strings.ToValidUTF8(s[:limit], "") + "…"
	}
	quoted := strconv.Quote(strings.ToValidUTF8(s, "\uFFFD"))
	if len(quoted) > limit+40 { // many escapes
		return quote(s[:limit/2], limit)
	}
	return quoted
}

// bound cuts a finished text.
func bound(s string) string {
	if len(s) <= MaxText {
		return s
	}
	cut := MaxText - len("…")
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

// few writes the values that were seen, the first of them in full.
func few(seen []string) string {
	switch len(seen) {
	case 0:
		return "nothing"
	case 1:
		return quote(seen[0], maxSeen)
	}
	return quote(seen[0], maxSeen) + " and " + strconv.Itoa(len(seen)-1) + " more"
}
