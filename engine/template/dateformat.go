package template

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// dateFormat is a pattern of Java's SimpleDateFormat, compiled.
type dateFormat []dateField

type dateField struct {
	letter byte // 0: literal text
	count  int
	text   string
}

// dateLetters are the pattern letters that are understood: year, month, day of month, day of year,
// hour (0–23, 1–24, 1–12, 0–11), minute, second, millisecond, weekday (name, 1–7), am/pm, zone.
const dateLetters = "yMdDHkhKmsSEuazZX"

// parseDateFormat compiles a pattern.
func parseDateFormat(pattern string) (dateFormat, error) {
	var format dateFormat
	literal := func(s string) {
		if last := len(format) - 1; last >= 0 && format[last].letter == 0 {
			format[last].text += s
			return
		}
		format = append(format, dateField{text: s})
	}
	for i := 0; i < len(pattern); {
		b := pattern[i]
		switch {
		case b == '\'':
			end := strings.IndexByte(pattern[i+1:], '\'')
			if end < 0 {
				return nil, fmt.Errorf("the quote in the date format %q is never closed", pattern)
			}
			if end == 0 {
				literal("'")
			} else {
				literal(pattern[i+1 : i+1+end])
			}
			i += end + 2
		case 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z':
			if strings.IndexByte(dateLetters, b) < 0 {
				return nil, fmt.Errorf("unknown letter %q in the date format %q", string(b), pattern)
			}
			n := 1
			for i+n < len(pattern) && pattern[i+n] == b {
				n++
			}
			format = append(format, dateField{letter: b, count: n})
			i += n
		default:
			literal(string(b))
			i++
		}
	}
	return format, nil
}

// append writes t, in its own location.
func (f dateFormat) append(dst []byte, t time.Time) []byte {
	for _, field := range f {
		dst = field.append(dst, t)
	}
	return dst
}

func (f dateField) append(dst []byte, t time.Time) []byte {
	switch f.letter {
	case 0:
		return append(dst, f.text...)
	case 'y':
		if f.count == 2 {
			return appendPadded(dst, t.Year()%100, 2)
		}
		return appendPadded(dst, t.Year(), f.count)
	case 'M':
		switch {
		case f.count >= 4:
			return append(dst, t.Month().String()...)
		case f.count == 3:
			return append(dst, t.Month().String()[:3]...)
		}
		return appendPadded(dst, int(t.Month()), f.count)
	case 'E':
		if f.count >= 4 {
			return append(dst, t.Weekday().String()...)
		}
		return append(dst, t.Weekday().String()[:3]...)
	case 'a':
		if t.Hour() < 12 {
			return append(dst, "AM"...)
		}
		return append(dst, "PM"...)
	case 'z':
		name, _ := t.Zone()
		return append(dst, name...)
	case 'Z', 'X':
		return f.appendZone(dst, t)
	}
	return appendPadded(dst, f.number(t), f.count)
}

// number gives the fields that are plain numbers.
func (f dateField) number(t time.Time) int {
	switch f.letter {
	case 'd':
		return t.Day()
	case 'D':
		return t.YearDay()
	case 'H':
		return t.Hour()
	case 'k':
		return (t.Hour()+23)%24 + 1
	case 'h':
		return (t.Hour()+11)%12 + 1
	case 'K':
		return t.Hour() % 12
	case 'm':
		return t.Minute()
	case 's':
		return t.Second()
	case 'S':
		return t.Nanosecond() / 1e6
	}
	return (int(t.Weekday())+6)%7 + 1 // u: Monday is 1
}

func (f dateField) appendZone(dst []byte, t time.Time) []byte {
	_, offset := t.Zone()
	if f.letter == 'X' && offset == 0 {
		return append(dst, 'Z')
	}
	sign := byte('+')
	if offset < 0 {
		sign, offset = '-', -offset
	}
	dst = appendPadded(append(dst, sign), offset/3600, 2)
	switch {
	case f.letter == 'X' && f.count == 1:
		return dst
	case f.letter == 'X' && f.count >= 3:
		dst = append(dst, ':')
	}
	return appendPadded(dst, offset/60%60, 2)
}

func appendPadded(dst []byte, n, width int) []byte {
	var buf [20]byte
	digits := strconv.AppendInt(buf[:0], int64(n), 10)
	for range width - len(digits) {
		dst = append(dst, '0')
	}
	return append(dst, digits...)
}

// parse reads a date that append could have written, in the given location.
func (f dateFormat) parse(text string, in *time.Location) (time.Time, error) {
	d := dateParts{year: 1970, month: 1, day: 1, location: in}
	rest := text
	for i, field := range f {
		next := i+1 < len(f) && f[i+1].letter != 0 && strings.IndexByte("EazZX", f[i+1].letter) < 0
		var ok bool
		if rest, ok = d.take(field, rest, next); !ok {
			return time.Time{}, fmt.Errorf("the date %q does not fit its format", text)
		}
	}
	if rest != "" {
		return time.Time{}, fmt.Errorf("the date %q does not fit its format: %q is left over", text, rest)
	}
	hour := d.hour
	if d.half != "" {
		hour %= 12
		if d.half == "PM" {
			hour += 12
		}
	}
	t := time.Date(d.year, time.Month(d.month), d.day, hour, d.minute, d.second, d.milli*1e6, d.location)
	if d.yearDay > 0 {
		t = time.Date(d.year, 1, d.yearDay, hour, d.minute, d.second, d.milli*1e6, d.location)
	} else if t.Day() != d.day || int(t.Month()) != d.month {
		return time.Time{}, fmt.Errorf("the date %q does not exist", text)
	}
	return t, nil
}

type dateParts struct {
	year, month, day, yearDay   int
	hour, minute, second, milli int
	half                        string
	location                    *time.Location
}

// take reads one field from the front of s. tight says that digits follow without a gap, so that
// only as many as the pattern has letters belong to this field.
func (d *dateParts) take(f dateField, s string, tight bool) (string, bool) {
	switch f.letter {
	case 0:
		return strings.CutPrefix(s, f.text)
	case 'M':
		if f.count >= 3 {
			for m := time.January; m <= time.December; m++ {
				name := m.String()
				if f.count == 3 {
					name = name[:3]
				}
				if rest, ok := strings.CutPrefix(s, name); ok {
					d.month = int(m)
					return rest, true
				}
			}
			return s, false
		}
	case 'E':
		for w := time.Sunday; w <= time.Saturday; w++ {
			for _, name := range []string{w.String(), w.String()[:3]} {
				if rest, ok := strings.CutPrefix(s, name); ok {
					return rest, true
				}
			}
		}
		return s, false
	case 'a':
		if len(s) < 2 {
			return s, false
		}
		d.half = strings.ToUpper(s[:2])
		return s[2:], d.half == "AM" || d.half == "PM"
	case 'z', 'Z', 'X':
		return d.takeZone(s)
	}
	return d.takeNumber(f, s, tight)
}

func (d *dateParts) takeNumber(f dateField, s string, tight bool) (string, bool) {
	limit := 9
	if tight {
		limit = f.count
	}
	n := 0
	for n < len(s) && n < limit && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	v, err := strconv.Atoi(s[:n])
	if err != nil {
		return s, false
	}
	switch f.letter {
	case 'y':
		if f.count == 2 && n == 2 {
			v += 2000
		}
		d.year = v
	case 'M':
		d.month = v
	case 'd':
		d.day = v
	case 'D':
		d.yearDay = v
	case 'H', 'h', 'K':
		d.hour = v
	case 'k':
		d.hour = v % 24
	case 'm':
		d.minute = v
	case 's':
		d.second = v
	case 'S':
		d.milli = v
	}
	return s[n:], true
}

func (d *dateParts) takeZone(s string) (string, bool) {
	for _, name := range []string{"UTC", "GMT", "Z"} {
		if rest, ok := strings.CutPrefix(s, name); ok {
			d.location = time.UTC
			return rest, true
		}
	}
	for _, layout := range []string{"-07:00", "-0700", "-07"} {
		if len(s) < len(layout) {
			continue
		}
		if t, err := time.Parse(layout, s[:len(layout)]); err == nil {
			_, offset := t.Zone()
			d.location = time.FixedZone(s[:len(layout)], offset)
			return s[len(layout):], true
		}
	}
	return s, false
}

// parseShift reads a Java duration such as P1D, -PT2H30M or PT1.5S. A day has 24 hours.
func parseShift(text string) (time.Duration, error) {
	bad := fmt.Errorf("%q is not a duration such as P1D, -PT2H or PT30M", text)
	s := strings.ToUpper(strings.TrimSpace(text))
	sign := time.Duration(1)
	switch {
	case s == "":
		return 0, nil
	case s[0] == '-':
		sign, s = -1, s[1:]
	case s[0] == '+':
		s = s[1:]
	}
	s, ok := strings.CutPrefix(s, "P")
	if !ok || s == "" {
		return 0, bad
	}
	days, clock, hasClock := strings.Cut(s, "T")
	if hasClock && clock == "" {
		return 0, bad
	}
	var total time.Duration
	for _, part := range []struct {
		text  string
		units string
	}{{days, "D"}, {clock, "HMS"}} {
		rest := part.text
		units := part.units
		for rest != "" {
			n := strings.IndexFunc(rest, func(r rune) bool { return (r < '0' || r > '9') && r != '.' && r != '-' && r != '+' })
			if n < 0 {
				return 0, bad
			}
			at := strings.IndexByte(units, rest[n])
			v, err := strconv.ParseFloat(rest[:n], 64)
			if at < 0 || err != nil || v > 1e9 || v < -1e9 {
				return 0, bad
			}
			total += time.Duration(v * float64(shiftUnit(units[at])))
			units, rest = units[at+1:], rest[n+1:]
		}
	}
	return sign * total, nil
}

func shiftUnit(letter byte) time.Duration {
	switch letter {
	case 'D':
		return 24 * time.Hour
	case 'H':
		return time.Hour
	case 'M':
		return time.Minute
	}
	return time.Second
}
