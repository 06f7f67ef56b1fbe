package assert

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// A text is found wherever it lies in a block, in bodies that repeat what is like it, and nothing else is.
func TestNeedleInBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	alphabets := []string{"ab", `":,{}ex`, "-:b2mp", "aaaaaaab", "\x00\xff\x80a"}
	found := 0
	const rounds = 50_000
	for range rounds {
		letters := alphabets[rng.IntN(len(alphabets))]
		random := func(n int) []byte {
			text := make([]byte, n)
			for i := range text {
				text[i] = letters[rng.IntN(len(letters))]
			}
			return text
		}
		text, body := random(1+rng.IntN(20)), random(rng.IntN(400))
		for range rng.IntN(3) { // what is like it, but for a byte
			like := bytes.Clone(text)
			like[rng.IntN(len(like))] ^= 1
			body = append(append(body, like...), random(rng.IntN(90))...)
		}
		if rng.IntN(2) == 0 {
			body = append(append(body, text...), random(rng.IntN(90))...)
		}
		got, want := newNeedle(text).in(body), bytes.Contains(body, text)
		if got != want {
			t.Fatalf("%q in %q: %v", text, body, got)
		}
		if want {
			found++
		}
	}
	if found < rounds/4 || found > rounds*9/10 {
		t.Errorf("found in %d of %d rounds: the test does not tell enough", found, rounds)
	}
}
