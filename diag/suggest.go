package diag

import (
	"fmt"
	"strings"
)

// Suggest returns the candidate that name was probably meant to be, or "" when none is near.
//
// Near means a Damerau-Levenshtein distance (optimal string alignment) of at most a third of the
// longer word and at most 3, case and the difference between "_" and "-" not counted. The earlier
// candidate wins a tie.
func Suggest(name string, candidates []string) string {
	best, bestDistance := "", 4
	folded := fold(name)
	for _, candidate := range candidates {
		other := fold(candidate)
		d := distance(folded, other)
		limit := max(1, max(len(folded), len(other))/3)
		if d <= limit && d < bestDistance {
			best, bestDistance = candidate, d
		}
	}
	return best
}

// DidYouMean is [Suggest] as a hint, or "" when there is nothing to suggest.
func DidYouMean(name string, candidates []string) string {
	if s := Suggest(name, candidates); s != "" {
		return fmt.Sprintf("did you mean %q?", s)
	}
	return ""
}

func fold(s string) string { return strings.ReplaceAll(strings.ToLower(s), "_", "-") }

// distance is the optimal string alignment distance of two short words, in bytes.
func distance(a, b string) int {
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	before, previous, current := rows[0], rows[1], rows[2]
	for j := range previous {
		previous[j] = j
	}
	for i := 1; i <= len(a); i++ {
		current[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			current[j] = min(previous[j]+1, current[j-1]+1, previous[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				current[j] = min(current[j], before[j-2]+1)
			}
		}
		before, previous, current = previous, current, before
	}
	return previous[len(b)]
}
