package feed

import (
	"bufio"
	"errors"
	"strings"
	"unicode/utf8"
)

// sampleBytes is how much of a file the delimiter is looked for in.
const sampleBytes = 4 << 10

// delimiters are those that are looked for.
var delimiters = []rune{',', ';', '\t', '|'}

// delimiter reads the setting, or looks at the beginning of the file: the one that stands in the
// first line is taken; among several the one that stands in every line equally often. Where that
// does not decide, it must be written.
func (o *opener) delimiter(r *bufio.Reader) (rune, error) {
	switch text := o.spec.Delimiter; {
	case text == "tab" || text == `\t`:
		return '\t', nil
	case text != "":
		d, size := utf8.DecodeRuneInString(text)
		if size != len(text) || d == utf8.RuneError || d == '\n' || d == '\r' || d == '"' {
			o.errorf("bad-value", "the delimiter %q is not one character", text).WithHint(`write a character such as ";", or tab`)
			return 0, errors.New("bad delimiter")
		}
		return d, nil
	}
	sample, _ := r.Peek(sampleBytes)
	counts := countDelimiters(string(sample), len(sample) == sampleBytes)
	var candidates []rune
	for i, d := range delimiters {
		if len(counts) > 0 && counts[0][i] > 0 {
			candidates = append(candidates, d)
		}
	}
	if len(candidates) > 1 {
		candidates = o.consistent(candidates, counts)
	}
	switch len(candidates) {
	case 0:
		return ',', nil
	case 1:
		return candidates[0], nil
	}
	o.list.Errorf("ambiguous-delimiter", o.at(1, 0), o.spec.DocPath, "the delimiter of %q cannot be told: its first line holds %s", o.spec.Name, quoteRunes(candidates)).
		WithHint("write delimiter: %q in the data source, for example", string(candidates[0]))
	return 0, errors.New("ambiguous delimiter")
}

// consistent keeps the candidates that stand in every line of the sample equally often, and as
// often as the names want.
func (o *opener) consistent(candidates []rune, counts [][]int) []rune {
	var good []rune
	for i, d := range delimiters {
		want := counts[0][i]
		if want == 0 {
			continue
		}
		if names := len(o.spec.VariableNames); names > 1 && want != names-1 {
			continue
		}
		same := true
		for _, line := range counts {
			same = same && line[i] == want
		}
		if same {
			good = append(good, d)
		}
	}
	if len(good) == 0 {
		return candidates
	}
	return good
}

// countDelimiters counts each delimiter in each line of a sample, outside of quotes. The last line
// of a sample that was cut does not count, unless it is the only one.
func countDelimiters(sample string, cut bool) [][]int {
	var counts [][]int
	current := make([]int, len(delimiters))
	quoted, content := false, false
	for _, r := range sample {
		switch {
		case r == '"':
			quoted, content = !quoted, true
		case quoted:
		case r == '\n':
			if content {
				counts = append(counts, current)
				current = make([]int, len(delimiters))
			}
			content = false
		case r != '\r':
			content = true
			for i, d := range delimiters {
				if r == d {
					current[i]++
				}
			}
		}
	}
	if content && (!cut || len(counts) == 0) {
		counts = append(counts, current)
	}
	return counts
}

func quoteRunes(runes []rune) string {
	var quoted []string
	for _, r := range runes {
		if r == '\t' {
			quoted = append(quoted, "tabs")
		} else {
			quoted = append(quoted, `"`+string(r)+`"`)
		}
	}
	return strings.Join(quoted[:len(quoted)-1], ", ") + " and " + quoted[len(quoted)-1]
}
