package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/stacrun/stacrun/diag"
)

// UnitError says which part of a duration, size, rate or percentage is not understood.
type UnitError struct {
	Kind   string // "duration", "size", "rate" or "percentage"
	Text   string // the whole text
	Offset int    // byte offset of the offending part in Text
	Reason string // such as `unknown unit "x"`
	Hint   string // what to write instead
}

// Error gives kind, text and reason in one line.
func (e *UnitError) Error() string {
	return fmt.Sprintf("invalid %s %q: %s", e.Kind, e.Text, e.Reason)
}

const (
	durationHint = "write a number with ms, s, m, h or d, such as 500ms, 30s, 1m30s or 2h; a bare number is seconds"
	sizeHint     = "write a number of bytes, or one with k, m or g (1024-based), such as 512, 64k or 1.5m"
	rateHint     = "write a number per second, or one with /s, /m or /h, such as 50, 50/s or 600/m"
	percentHint  = "write a number and a percent sign, such as 5%"
)

// maxDuration bounds durations to what time.Duration holds with room for sums: 100 years.
const maxDuration = 100 * 365 * 24 * time.Hour

var durationUnits = map[string]time.Duration{
	"ms": time.Millisecond, "s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour, "": time.Second,
}

// ParseDuration reads Taurus' time notation: parts of a number and a unit (ms, s, m, h, d, in any
// case; none is seconds) that add up, such as 500ms, 30, 1m30s, 1.5h or "1d 2h". Spaces between
// parts are allowed. An empty text is 0. Anything else, negative parts included, is a [*UnitError].
func ParseDuration(s string) (time.Duration, error) {
	var sum time.Duration
	fail := func(offset int, format string, args ...any) (time.Duration, error) {
		return 0, &UnitError{Kind: "duration", Text: s, Offset: offset, Reason: fmt.Sprintf(format, args...), Hint: durationHint}
	}
	for i := skipSpaces(s, 0); i < len(s); i = skipSpaces(s, i) {
		number, next := scanNumber(s, i)
		if next == i {
			if s[i] == '-' {
				return fail(i, "it must not be negative")
			}
			return fail(i, "unexpected %q", junk(s, i))
		}
		start := skipSpaces(s, next)
		end := scanLetters(s, start)
		unit, known := durationUnits[strings.ToLower(s[start:end])]
		if !known {
			return fail(start, "unknown unit %q", s[start:end])
		}
		part, ok := scale(number, int64(unit))
		if !ok || time.Duration(part) > maxDuration-sum {
			return fail(i, "it is longer than 100 years")
		}
		sum += time.Duration(part)
		i = end
		if rest := skipSpaces(s, end); end == start && rest < len(s) {
			return fail(rest, "unexpected %q", junk(s, rest)) // only the last part may lack a unit
		}
	}
	return sum, nil
}

// bareSeconds finds a last number without a unit in a time where people mean another one: 1h30 is an hour and 30
// seconds, as it is for Taurus, and 90 minutes to whoever wrote it. After minutes (1m30) seconds are what is meant.
// instead is the time with the unit that was likely meant; "" when there is no doubt.
func bareSeconds(text string) (number, instead string) {
	text = strings.TrimRight(text, " \t")
	before := strings.TrimRight(text, "0123456789.")
	number = text[len(before):]
	before = strings.ToLower(strings.TrimRight(before, " \t"))
	if number == "" || before == "" {
		return "", ""
	}
	switch {
	case strings.HasSuffix(before, "ms"), strings.HasSuffix(before, "m"):
		return "", ""
	case strings.HasSuffix(before, "s"):
		return number, text + "ms"
	case strings.HasSuffix(before, "h"):
		return number, text + "m"
	case strings.HasSuffix(before, "d"):
		return number, text + "h"
	}
	return "", ""
}

// doubtBareSeconds warns of a time that ends as [bareSeconds] says.
func doubtBareSeconds(diags *diag.List, pos diag.Pos, path, text string) {
	if number, instead := bareSeconds(text); instead != "" {
		diags.Warnf("bare-seconds", pos, path, "%s without a unit is %ss in %q", number, number, text).
			WithHint("write %q when that is meant, or %q", instead, strings.TrimRight(text, " \t")+"s")
	}
}

// FormatDuration writes d (≥ 0) in the notation that [ParseDuration] reads back to the same value.
func FormatDuration(d time.Duration) string {
	if d == 0 {
		return "0s"
	}
	var b strings.Builder
	for _, u := range []struct {
		name string
		size time.Duration
	}{{"h", time.Hour}, {"m", time.Minute}, {"s", time.Second}} {
		if n := d / u.size; n > 0 {
			fmt.Fprintf(&b, "%d%s", n, u.name)
			d -= n * u.size
		}
	}
	if d > 0 {
		ms := strconv.FormatInt(int64(d/time.Millisecond), 10)
		if rest := d % time.Millisecond; rest > 0 {
			ms += "." + strings.TrimRight(fmt.Sprintf("%06d", rest), "0")
		}
		b.WriteString(ms + "ms")
	}
	return b.String()
}

var sizeUnits = map[string]int64{
	"": 1, "b": 1, "k": 1 << 10, "kb": 1 << 10, "kib": 1 << 10,
	"m": 1 << 20, "mb": 1 << 20, "mib": 1 << 20, "g": 1 << 30, "gb": 1 << 30, "gib": 1 << 30,
}

// ParseSize reads a number of bytes with an optional unit in any case: b, k/kb/kib, m/mb/mib,
// g/gb/gib, all 1024-based as in Taurus. Anything else is a [*UnitError].
func ParseSize(s string) (int64, error) {
	fail := func(offset int, format string, args ...any) (int64, error) {
		return 0, &UnitError{Kind: "size", Text: s, Offset: offset, Reason: fmt.Sprintf(format, args...), Hint: sizeHint}
	}
	i := skipSpaces(s, 0)
	number, next := scanNumber(s, i)
	if next == i {
		return fail(i, "%s", noNumber(s, i))
	}
	start := skipSpaces(s, next)
	end := scanLetters(s, start)
	unit, known := sizeUnits[strings.ToLower(s[start:end])]
	if !known {
		return fail(start, "unknown unit %q", s[start:end])
	}
	if rest := skipSpaces(s, end); rest < len(s) {
		return fail(rest, "unexpected %q", junk(s, rest))
	}
	size, ok := scale(number, unit)
	if !ok {
		return fail(i, "it is too large")
	}
	return size, nil
}

// FormatSize writes a number of bytes in the largest unit that divides it.
func FormatSize(n int64) string {
	for _, u := range []struct {
		name string
		size int64
	}{{"g", 1 << 30}, {"m", 1 << 20}, {"k", 1 << 10}} {
		if n >= u.size && n%u.size == 0 {
			return strconv.FormatInt(n/u.size, 10) + u.name
		}
	}
	return strconv.FormatInt(n, 10)
}

// ParseRate reads a rate and returns it per second: a bare number or N/s, N/m (per minute), N/h.
// Anything else is a [*UnitError].
func ParseRate(s string) (float64, error) {
	fail := func(offset int, format string, args ...any) (float64, error) {
		return 0, &UnitError{Kind: "rate", Text: s, Offset: offset, Reason: fmt.Sprintf(format, args...), Hint: rateHint}
	}
	i := skipSpaces(s, 0)
	number, next := scanNumber(s, i)
	if next == i {
		return fail(i, "%s", noNumber(s, i))
	}
	value, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return fail(i, "it is too large")
	}
	at := skipSpaces(s, next)
	if at == len(s) {
		return value, nil
	}
	if s[at] != '/' {
		return fail(at, "unexpected %q", junk(s, at))
	}
	start := skipSpaces(s, at+1)
	end := scanLetters(s, start)
	if rest := skipSpaces(s, end); rest < len(s) {
		return fail(rest, "unexpected %q", junk(s, rest))
	}
	switch strings.ToLower(s[start:end]) {
	case "s":
		return value, nil
	case "m":
		return value / 60, nil
	case "h":
		return value / 3600, nil
	}
	return fail(start, "unknown unit %q", s[start:end])
}

// FormatRate writes a rate per second so that [ParseRate] reads the same value.
func FormatRate(perSecond float64) string {
	return strconv.FormatFloat(perSecond, 'f', -1, 64) + "/s"
}

// ParsePercent reads a number followed by a percent sign and returns the number. Anything else is
// a [*UnitError].
func ParsePercent(s string) (float64, error) {
	fail := func(offset int, format string, args ...any) (float64, error) {
		return 0, &UnitError{Kind: "percentage", Text: s, Offset: offset, Reason: fmt.Sprintf(format, args...), Hint: percentHint}
	}
	i := skipSpaces(s, 0)
	number, next := scanNumber(s, i)
	if next == i {
		return fail(i, "%s", noNumber(s, i))
	}
	at := skipSpaces(s, next)
	if at == len(s) || s[at] != '%' {
		return fail(at, "the percent sign is missing")
	}
	if rest := skipSpaces(s, at+1); rest < len(s) {
		return fail(rest, "unexpected %q", junk(s, rest))
	}
	value, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return fail(i, "it is too large")
	}
	return value, nil
}

// scanNumber reads digits with at most one decimal point, without sign or exponent, and returns
// them with the offset behind; the same offset means that no number stands there.
func scanNumber(s string, i int) (string, int) {
	start, digits, points := i, 0, 0
	for ; i < len(s); i++ {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c == '.' && points == 0:
			points++
		default:
			if digits == 0 {
				return "", start
			}
			return s[start:i], i
		}
	}
	if digits == 0 {
		return "", start
	}
	return s[start:i], i
}

func scanLetters(s string, i int) int {
	for i < len(s) {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r < 'A' || r > 'Z' && r < 'a' || r > 'z' && r < utf8.RuneSelf {
			break
		}
		i += size
	}
	return i
}

func skipSpaces(s string, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\t') {
		i++
	}
	return i
}

// scale returns number × unit, rounded, without losing digits of the integer part.
func scale(number string, unit int64) (int64, bool) {
	whole, fraction, _ := strings.Cut(number, ".")
	n, err := strconv.ParseInt("0"+whole, 10, 64)
	if err != nil || n > math.MaxInt64/2/unit {
		return 0, false
	}
	f, err := strconv.ParseFloat("0."+fraction+"0", 64)
	if err != nil {
		return 0, false
	}
	return n*unit + int64(math.Round(f*float64(unit))), true
}

// junk is the run of characters at i up to the next space, for messages.
func junk(s string, i int) string {
	end := i
	for end < len(s) && s[end] != ' ' && s[end] != '\t' {
		end++
	}
	return s[i:end]
}

func noNumber(s string, i int) string {
	switch {
	case i >= len(s):
		return "it is empty"
	case s[i] == '-':
		return "it must not be negative"
	}
	return fmt.Sprintf("unexpected %q", junk(s, i))
}
