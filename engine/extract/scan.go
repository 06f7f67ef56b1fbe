package extract

import (
	"bytes"
	"slices"

	"github.com/tidwall/gjson"
)

// scanStep is the name of an object's member, an index of a list, or all elements of one.
type scanStep struct {
	name  string
	index int // or one of those below
}

const (
	byName      = -1
	allElements = -2
)

func (s scanStep) all() bool { return s.index == allElements }

// scan looks for one value in a JSON text without decoding it. What it passes by is not checked: nested values
// end where their brackets are closed, strings at their quote. Along the way that the steps lead the text must be
// JSON; where it is not, the scan is over and nothing is found.
type scan struct {
	text []byte
	at   int  // where it stands
	over bool // looking further makes no sense
}

// members are the first members of the outermost object, as far as scans of a body have come, so that several paths
// into one body do not each walk over all of it.
type members struct {
	n    int
	list [16]member
}

// member is where a name stands, without its quotes, and where the value begins.
type member struct{ name, nameEnd, value uint32 }

// scanFor looks for the value that the steps lead to, and gives its text.
func scanFor(text []byte, steps []scanStep, known *members) (value []byte, ok bool) {
	s := scan{text: text}
	s.space()
	begin, ok := s.find(steps, known)
	if !ok {
		return nil, false
	}
	return text[begin:s.at], true
}

// scanEach yields the text of each value that the steps lead to, in the order of the lists that some of them go over. more is false when
// yield was and nothing further is wanted; lists is false when a step over all elements met an object, where scanning ended.
func scanEach(text []byte, steps []scanStep, known *members, yield func([]byte) bool) (more, lists bool) {
	all := slices.IndexFunc(steps, scanStep.all)
	if all < 0 {
		value, ok := scanFor(text, steps, known)
		return !ok || yield(value), true
	}
	list, ok := scanFor(text, steps[:all], known)
	if !ok || list[0] != '[' {
		return true, !ok || list[0] != '{'
	}
	s := scan{text: list, at: 1}
	if s.space(); s.at < len(list) && list[s.at] == ']' {
		return true, true
	}
	for next := true; next; next = s.next(']') {
		begin := s.at
		if s.skip(); s.over {
			break
		}
		if more, lists = scanEach(list[begin:s.at], steps[all+1:], nil, yield); !more || !lists {
			return more, lists
		}
	}
	return true, true
}

// find follows the steps from the value at hand. Found, the value lies between begin and s.at; otherwise s.at is behind
// the value at hand.
func (s *scan) find(steps []scanStep, known *members) (begin int, ok bool) {
	begin = s.at
	switch {
	case len(steps) == 0:
		s.skip()
		return begin, !s.over
	case s.at >= len(s.text):
		s.over = true
	case steps[0].index == byName && s.text[s.at] == '{':
		return s.member(steps, known)
	case steps[0].index >= 0 && s.text[s.at] == '[':
		return s.element(steps)
	default:
		s.skip()
	}
	return 0, false
}

// member looks for a name in an object. Of several with the same name the first counts; but one that does not hold
// the names that follow is passed by.
func (s *scan) member(steps []scanStep, known *members) (begin int, ok bool) {
	s.at++
	s.space()
	if s.at < len(s.text) && s.text[s.at] == '}' {
		s.at++
		return 0, false
	}
	for n := 0; ; n++ {
		m, ok := s.name(n, known)
		if !ok {
			return 0, false
		}
		if s.named(m, steps[0].name) {
			begin, ok := s.find(steps[1:], nil)
			if ok {
				return begin, true
			}
			if len(steps) > 1 && steps[1].index >= 0 {
				s.over = true
			}
		} else if known == nil || n+1 >= known.n { // else it is known where the next one stands
			s.skip()
		} else {
			continue
		}
		if !s.next('}') {
			return 0, false
		}
	}
}

// name reads the name of member n and what divides it from its value, unless that is known already.
func (s *scan) name(n int, known *members) (m member, ok bool) {
	if known != nil && n < known.n {
		m = known.list[n]
		s.at = int(m.value)
		return m, true
	}
	if s.over || s.at >= len(s.text) || s.text[s.at] != '"' {
		s.over = true
		return m, false
	}
	m.name = uint32(s.at + 1)
	s.at = endOfString(s.text, s.at)
	if s.at < 0 {
		s.at, s.over = len(s.text), true
		return m, false
	}
	m.nameEnd = uint32(s.at - 1)
	s.space()
	if s.at >= len(s.text) || s.text[s.at] != ':' {
		s.over = true
		return m, false
	}
	s.at++
	s.space()
	m.value = uint32(s.at)
	if known != nil && n < len(known.list) {
		known.list[n] = m
		known.n = n + 1
	}
	return m, true
}

// named reports whether a member has the wanted name.
func (s *scan) named(m member, want string) bool {
	name := s.text[m.name:m.nameEnd]
	if len(name) < len(want) {
		return false // escaping makes it only longer
	}
	if bytes.IndexByte(name, '\\') < 0 {
		return string(name) == want
	}
	return gjson.Parse(textOf(s.text[m.name-1:m.nameEnd+1])).Str == want
}

// element looks for an index in a list.
func (s *scan) element(steps []scanStep) (begin int, ok bool) {
	s.at++
	s.space()
	if s.at < len(s.text) && s.text[s.at] == ']' {
		s.at++
		return 0, false
	}
	for range steps[0].index {
		if s.skip(); !s.next(']') {
			return 0, false
		}
	}
	return s.find(steps[1:], nil)
}

// next steps over a comma to the next value of a list, or name of an object; false when it ends.
func (s *scan) next(closing byte) bool {
	if s.space(); s.over || s.at >= len(s.text) {
		s.over = true
		return false
	}
	b := s.text[s.at]
	s.at++
	switch b {
	case ',':
		s.space()
		return true
	case closing:
		return false
	}
	s.over = true
	return false
}

// space steps over white space.
func (s *scan) space() {
	for s.at < len(s.text) && s.text[s.at] <= ' ' && (s.text[s.at] == ' ' || s.text[s.at] == '\n' || s.text[s.at] == '\r' || s.text[s.at] == '\t') {
		s.at++
	}
}

// skip steps over a value.
func (s *scan) skip() {
	if end := endOfValue(s.text, s.at); end > s.at {
		s.at = end
		return
	}
	s.at, s.over = len(s.text), true
}
