package extract

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// randomJSON makes a value whose objects repeat no name, with white space here and there.
func randomJSON(rng *rand.Rand, depth int) string {
	space := [...]string{"", "", " ", "\n\t"}[rng.IntN(4)]
	kind := rng.IntN(6)
	if depth > 4 {
		kind = rng.IntN(3)
	}
	var parts []string
	switch kind {
	case 0:
		return fmt.Sprintf("%d.50", rng.IntN(100))
	case 1:
		return [...]string{"null", "true", "false"}[rng.IntN(3)]
	case 2:
		return [...]string{`""`, `"]"`, `"\"}\\"`, `"\u00e9x"`, `"plain"`}[rng.IntN(5)]
	case 3, 4:
		for range rng.IntN(4) {
			parts = append(parts, space+randomJSON(rng, depth+1))
		}
		return "[" + strings.Join(parts, ",") + space + "]"
	}
	for _, name := range []string{"b", "a", `\u0063`} {
		if rng.IntN(3) > 0 {
			parts = append(parts, space+`"`+name+`":`+space+randomJSON(rng, depth+1))
		}
	}
	return "{" + strings.Join(parts, ",") + space + "}"
}

// Scanning over all elements of lists finds what decoding finds, in the same order, and stops when it is told to.
func TestScanEach(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	plain := func(m JSONMatch) string {
		if !m.JSON {
			return "text " + m.Text
		}
		var v any
		decoder := json.NewDecoder(strings.NewReader(m.Text))
		decoder.UseNumber()
		_ = decoder.Decode(&v) // null has no text
		text, _ := json.Marshal(v)
		return "json " + string(text)
	}
	several := 0
	for range 20_000 {
		path := "$"
		for range 1 + rng.IntN(4) {
			path += [...]string{".a", ".b", ".c", "[0]", "[1]", "[*]", "[*]", "[*]"}[rng.IntN(8)]
		}
		q, err := CompileJSONPath(path)
		if err != nil {
			t.Fatal(err)
		}
		body := " " + randomJSON(rng, 0) + "\n"
		tree, err := decodeExact([]byte(body))
		if err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		var want []string
		q.each(q.path, tree, func(m JSONMatch) bool { want = append(want, plain(m)); return true })
		for _, limit := range []int{1, 2, 1000} {
			var got []string
			if err := q.Each(&Response{Body: []byte(body)}, func(m JSONMatch) bool {
				got = append(got, plain(m))
				return len(got) < limit
			}); err != nil {
				t.Fatalf("%s in %s: %v", path, body, err)
			}
			if !slices.Equal(got, want[:min(limit, len(want))]) {
				t.Fatalf("%s in %s: %q, want %q", path, body, got, want)
			}
		}
		if q.many && len(want) > 1 {
			several++
		}
	}
	if several < 500 {
		t.Errorf("only %d paths had several matches: the test does not tell enough", several)
	}
}

// What is no JSON is told, unless what was looked for stands before.
func TestScanEachOfWhatIsNoJSON(t *testing.T) {
	for body, want := range map[string]string{
		`{"l":[{"n":1}],"x":`: "1",
		`{"l":[{"n":1},{"n":`: "error",
		`{"l":[{"m":1},{"m":`: "error",
		`{"l":[`:              "error",
		`<html>`:              "error",
		``:                    "error",
		`{"l":{"x":{"n":1}}}`: "1",
		`{"l":3}`:             "",
		`{"k":[]}`:            "",
	} {
		q, err := CompileJSONPath("$.l[*].n")
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := q.Each(&Response{Body: []byte(body)}, func(m JSONMatch) bool { got += m.Text; return true }); err != nil {
			got = "error"
		}
		if got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
}
