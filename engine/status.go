package engine

import "strings"

// statusSet is a set of status codes from 0 to 999.
type statusSet [16]uint64

// defaultSuccess is 2xx and 3xx.
func defaultSuccess() *statusSet {
	s := new(statusSet)
	s.addPattern("2xx")
	s.addPattern("3xx")
	return s
}

func (s *statusSet) has(status int) bool {
	return status >= 0 && status < 1024 && s[status>>6]&(1<<(status&63)) != 0
}

// meets reports whether the sets have a status in common.
func (s *statusSet) meets(other *statusSet) bool {
	for i := range s {
		if s[i]&other[i] != 0 {
			return true
		}
	}
	return false
}

// add adds the statuses of another set.
func (s *statusSet) add(other *statusSet) {
	for i := range s {
		s[i] |= other[i]
	}
}

// addPattern adds the codes of a pattern of three places, each a digit or a wildcard (x, X, ? or *).
func (s *statusSet) addPattern(pattern string) bool {
	pattern = strings.TrimSpace(pattern)
	if len(pattern) != 3 {
		return false
	}
	for code := range 1000 {
		digits := [3]byte{byte('0' + code/100), byte('0' + code/10%10), byte('0' + code%10)}
		match := true
		for i := range 3 {
			switch p := pattern[i]; {
			case p == 'x' || p == 'X' || p == '?' || p == '*':
			case p < '0' || p > '9':
				return false
			case p != digits[i]:
				match = false
			}
		}
		if match {
			s[code>>6] |= 1 << (code & 63)
		}
	}
	return true
}
