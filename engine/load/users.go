package load

import "time"

// Users is how many users should be alive at t; 0 outside of the plan and in an open one.
//
//	n(t) = a + min(b−a, ⌊(b−a)·t/R⌋ + 1)    growing from a to b over R: user k of C starts at R·(k−1)/C
//	n(t) = a − ⌊(a−b)·t/R⌋                  shrinking from a to b
func (s Shape) Users(t time.Duration) int {
	l := s.at(int64(t))
	if l == nil || s.open {
		return 0
	}
	return int(l.users(int64(t) - l.start))
}

func (l *leg) users(t int64) int64 {
	switch {
	case l.to > l.from:
		return l.from + min(l.to-l.from, mulDiv(l.to-l.from, t, l.length, 0)+1)
	case l.to < l.from:
		return l.from - mulDiv(l.from-l.to, t, l.length, 0)
	}
	return l.to
}

// UserStart is when user k (from 0) should first be alive; false when the plan never has so many users.
func (s Shape) UserStart(k int) (time.Duration, bool) {
	if s.open || k < 0 {
		return 0, false
	}
	want := int64(k)
	for _, l := range s.legs {
		if l.users(0) > want {
			return time.Duration(l.start), true
		}
		if l.to > want {
			// In a leg shorter than its users, the last ones would start with the next.
			if since := ceilMulDiv(l.length, want-l.from, l.to-l.from); since < l.length {
				return time.Duration(l.start + since), true
			}
		}
	}
	return 0, false
}

// NextChange is the first moment after t at which the number of users changes, and that number; false when it does not change any more.
// The end of the plan is a change to 0. For t < 0 the start of the plan counts as one.
func (s Shape) NextChange(t time.Duration) (at time.Duration, users int, ok bool) {
	if s.open || s.end == 0 {
		return 0, 0, false
	}
	now := s.Users(t)
	for next := int64(t); next < s.end; {
		next = s.maybeChange(next)
		if next >= s.end {
			break
		}
		if n := s.Users(time.Duration(next)); n != now {
			return time.Duration(next), n, true
		}
	}
	if s.endless || now == 0 || int64(t) >= s.end {
		return 0, 0, false
	}
	return time.Duration(s.end), 0, true
}

// maybeChange is the next moment after t at which the number may change.
func (s *Shape) maybeChange(t int64) int64 {
	if t < 0 {
		return 0
	}
	l := s.at(t)
	since := t - l.start
	width := max(l.to-l.from, l.from-l.to)
	if width == 0 {
		return l.start + l.length
	}
	passed := mulDiv(width, since, l.length, 0)
	return l.start + ceilMulDiv(l.length, passed+1, width)
}
