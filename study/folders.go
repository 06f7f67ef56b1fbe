package study

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
)

// folderNames makes names of folders of addresses, or of names for people. Those that would share a folder are told apart by a digest, which
// does not depend on the others, and by a number where they are one and the same.
func folderNames(names []string) []string {
	folders := make([]string, len(names))
	for i, name := range names {
		alike := func(other string) bool { return strings.EqualFold(slug(other), slug(name)) }
		folders[i] = slug(name)
		if folders[i] == "" || slices.ContainsFunc(names[:i], alike) || slices.ContainsFunc(names[i+1:], alike) {
			folders[i] = fmt.Sprintf("%s-%x", folders[i], sha256.Sum256([]byte(name)))[:len(folders[i])+9]
		}
		if again := slices.Index(names, name); again < i {
			folders[i] += fmt.Sprintf("-%d", i-again+1)
		}
	}
	return folders
}

// slug makes a name of a file of an address; it may be empty.
func slug(address string) string {
	_, rest, found := strings.Cut(address, "://")
	if !found {
		rest = address
	}
	return strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' {
			return r
		}
		return '-'
	}, rest), "-")
}
