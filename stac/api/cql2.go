package api

import (
	"time"
	"unicode/utf8"

	"github.com/stacrun/stacrun/stac/geo"
)

// maxFilterDepth bounds nesting, so that a hostile filter cannot exhaust the stack.
const maxFilterDepth = 64

// maxFilterBytes bounds the text of a filter.
const maxFilterBytes = 64 << 10

func badFilter(format string, args ...any) *Error {
	e := badParameter(format, args...)
	e.Description = "filter: " + e.Description
	return e
}

func firstRune(s string) (rune, int) { return utf8.DecodeRuneInString(s) }

// parseDate reads a day of CQL2 as the instant at which it begins, in UTC.
func parseDate(s string) (int64, *Error) {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		return 0, badFilter("date %q is not of the form 2023-06-01", s)
	}
	return t.UnixNano(), nil
}

func parseTimestamp(s string) (int64, *Error) {
	at, err := parseInstant(s)
	if err != nil {
		return 0, badFilter("timestamp %q is not RFC 3339, such as 2023-06-01T00:00:00Z", s)
	}
	return at, nil
}

// parseEnd reads one end of an interval: an instant, a day or "..".
func parseEnd(s string, open int64) (int64, *Error) {
	if s == ".." || s == "" {
		return open, nil
	}
	if len(s) == len(time.DateOnly) {
		return parseDate(s)
	}
	return parseTimestamp(s)
}

func parseSpan(first, second string) (Interval, *Error) {
	from, err := parseEnd(first, openFrom)
	if err != nil {
		return Interval{}, err
	}
	to, err := parseEnd(second, openTo)
	if err != nil {
		return Interval{}, err
	}
	if from > to {
		return Interval{}, badFilter("interval %s/%s ends before it starts", first, second)
	}
	return Interval{from, to}, nil
}

// newSpatial makes s_intersects; the property must be the item's geometry.
func newSpatial(op string, of operand, shape geo.Geometry) (condition, *Error) {
	if p, ok := of.(property); !ok || p.name != "geometry" {
		return nil, badFilter("%s needs the property geometry as its first argument", op)
	}
	return spatial{shape}, nil
}

// newTemporal makes a temporal condition out of a property and an interval.
func newTemporal(op string, of operand, span Interval) (condition, *Error) {
	p, ok := of.(property)
	if !ok {
		return nil, badFilter("%s needs a property as its first argument", op)
	}
	return temporal{op, p, span}, nil
}

func newComparison(op string, a, b operand) condition {
	readAsInstants(&a, &b)
	return comparison{op, a, b}
}

func newBetween(of, low, high operand) condition {
	readAsInstants(&of, &low, &high)
	return between{of, low, high}
}

func newIn(of operand, list []operand) condition {
	for i := range list {
		readAsInstants(&of, &list[i])
	}
	return in{of, list}
}
