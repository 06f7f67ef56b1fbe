package extract

import (
	"math/rand/v2"
	"testing"
)

// plainEnd is endOfNested without haste.
func plainEnd(text []byte, i int) int {
	depth, inside := 0, false
	for ; i < len(text); i++ {
		switch b := text[i]; {
		case inside && b == '\\':
			i++
		case b == '"':
			inside = !inside
		case inside:
		case b == '{' || b == '[':
			depth++
		case b == '}' || b == ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// Ends are found wherever they lie in a block, whatever surrounds them.
func TestEndOfNested(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	alphabets := []string{`{}[]"\:,a1 `, `"\`, `{[]}`, `{}aaaaaaaaaaaaaaaaaa"`, "[[[]],1234567890.\xa2\xfb\xdd", `\\\\\\\\"aaaaaaa}]`}
	found := 0
	for range 50_000 {
		letters := alphabets[rng.IntN(len(alphabets))]
		text := make([]byte, rng.IntN(300))
		for i := range text {
			text[i] = letters[rng.IntN(len(letters))]
		}
		at := rng.IntN(70)
		if at >= len(text) {
			continue
		}
		text[at] = "{["[rng.IntN(2)]
		want, got := plainEnd(text, at), endOfNested(text, at)
		bytewise := nest{depth: 1}
		end := bytewise.bytes(text, at+1, len(text))
		if bytewise.depth > 0 {
			end = -1
		}
		if !sane(text, at) {
			continue
		}
		if got != want || end != want {
			t.Fatalf("%q from %d: %d, by bytes %d, want %d", text, at, got, end, want)
		}
		if want > 0 {
			found++
		}
	}
	if found < 5_000 {
		t.Errorf("only %d of the texts had an end", found)
	}
}

// sane reports whether no backslash stands outside of a string: there it has no meaning, and need not have the same.
func sane(text []byte, i int) bool {
	inside := false
	for ; i < len(text); i++ {
		switch {
		case text[i] == '\\' && !inside:
			return false
		case text[i] == '\\':
			i++
		case text[i] == '"':
			inside = !inside
		}
	}
	return true
}
