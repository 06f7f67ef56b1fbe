package api

import (
	"math"
	"strings"
	"time"
)

// Interval is a closed span of time in Unix nanoseconds; the ends of an open one are the extremes of int64.
type Interval struct{ From, To int64 }

// openFrom and openTo stand for an open end.
const (
	openFrom = math.MinInt64
	openTo   = math.MaxInt64
)

// Overlaps reports whether two closed spans share an instant.
func (iv Interval) Overlaps(from, to int64) bool { return from <= iv.To && iv.From <= to }

// ParseDatetime reads the datetime parameter: one RFC 3339 instant, or two with "/" between them, one of
// which may be open ("..", or nothing).
func ParseDatetime(text string) (Interval, error) {
	first, second, ranged := strings.Cut(text, "/")
	if !ranged {
		at, err := parseInstant(text)
		return Interval{at, at}, err
	}
	iv := Interval{openFrom, openTo}
	open := func(s string) bool { return s == "" || s == ".." }
	if open(first) && open(second) {
		return iv, badParameter("datetime %q is open on both ends", text)
	}
	var err error
	if !open(first) {
		if iv.From, err = parseInstant(first); err != nil {
			return iv, err
		}
	}
	if !open(second) {
		if iv.To, err = parseInstant(second); err != nil {
			return iv, err
		}
	}
	if iv.From > iv.To {
		return iv, badParameter("datetime %q ends before it starts", text)
	}
	return iv, nil
}

// parseInstant reads a date and time as RFC 3339 has it, more strictly than time.Parse: T and Z in either
// case, a zone with a colon, at least one digit after a decimal point, which may not be a comma. A leap
// second counts as the start of the next second. Years outside 1678…2261 are clamped.
func parseInstant(text string) (int64, error) {
	fail := func() (int64, error) {
		return 0, badParameter("datetime %q is not RFC 3339, such as 2023-06-01T00:00:00Z", text)
	}
	const shape = "0000-00-00T00:00:00"
	if len(text) <= len(shape) {
		return fail()
	}
	for i := range len(shape) {
		c, want := text[i], shape[i]
		switch {
		case want == '0' && c >= '0' && c <= '9', want == c, want == 'T' && c == 't':
		default:
			return fail()
		}
	}
	number := func(at, digits int) (n int) {
		for _, c := range []byte(text[at : at+digits]) {
			n = n*10 + int(c-'0')
		}
		return n
	}
	year, month, day := number(0, 4), number(5, 2), number(8, 2)
	hour, minute, second := number(11, 2), number(14, 2), number(17, 2)
	rest := text[len(shape):]
	nanos := 0
	if rest[0] == '.' {
		digits := len(rest) - 1 - len(strings.TrimLeft(rest[1:], "0123456789"))
		if digits == 0 {
			return fail()
		}
		for i := range 9 {
			nanos *= 10
			if i < digits {
				nanos += int(rest[1+i] - '0')
			}
		}
		rest = rest[1+digits:]
	}
	offset, ok := parseZone(rest)
	if !ok || month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 60 {
		return fail()
	}
	t := time.Date(year, time.Month(month), day, hour, minute, second, nanos, time.UTC)
	if last := time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day(); day > last {
		return fail()
	}
	t = t.Add(-offset)
	switch {
	case t.Year() < 1678:
		return openFrom + 1, nil
	case t.Year() > 2261:
		return openTo - 1, nil
	}
	return t.UnixNano(), nil
}

// parseZone reads Z or ±hh:mm.
func parseZone(s string) (offset time.Duration, ok bool) {
	if s == "Z" || s == "z" {
		return 0, true
	}
	if len(s) != len("+00:00") || s[0] != '+' && s[0] != '-' || s[3] != ':' {
		return 0, false
	}
	for _, i := range [4]int{1, 2, 4, 5} {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
	}
	hours, minutes := int(s[1]-'0')*10+int(s[2]-'0'), int(s[4]-'0')*10+int(s[5]-'0')
	if hours > 23 || minutes > 59 {
		return 0, false
	}
	offset = time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute
	if s[0] == '-' {
		offset = -offset
	}
	return offset, true
}
