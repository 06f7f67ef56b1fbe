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
	var from, to [3]int
	for i := range 3 {
		switch p := pattern[i]; {
		case p == 'x' || p == 'X' || p == '?' || p == '*':
			to[i] = 9
		case p < '0' || p > '9':
			return false
		default:
			from[i], to[i] = int(p-'0'), int(p-'0')
		}
	}
	for a := from[0]; a <= to[0]; a++ {
		for b := from[1]; b <= to[1]; b++ {
			for c := from[2]; c <= to[2]; c++ {
				code := a*100 + b*10 + c
				s[code>>6] |= 1 << (code & 63)
			}
		}
	}
	return true
}
