package criteria

import (
	"math"
	"strconv"
	"strings"
)

// unit is what a value is counted in.
type unit uint8

const (
	unitCount unit = iota
	unitSeconds
	unitBytes
	unitPercent // a percent number
	unitShare   // 0…1, shown in percent
	unitRate    // per second
)

// format writes a value with its unit and about digits significant ones.
func (u unit) format(v float64, digits int) string {
	switch u {
	case unitSeconds:
		return secondsText(v, digits)
	case unitBytes:
		return bytesText(v, digits)
	case unitPercent:
		return percentText(v, digits)
	case unitShare:
		return percentText(100*v, digits)
	case unitRate:
		return number(v, digits) + "/s"
	}
	return number(v, digits)
}

// beside writes an observed value so that it never looks like a limit which it is not.
func (u unit) beside(observed, limit float64) string {
	const usual, most = 3, 15
	for digits := usual; digits < most; digits++ {
		text := u.format(observed, digits)
		if observed == limit || text != u.format(limit, digits) {
			return text
		}
	}
	return u.format(observed, most)
}

// exact writes a limit as it was written by the user, without rounding.
func (u unit) exact(v float64) string { return u.format(v, 12) }

// Seconds writes a time for people, such as "312ms", "1.52s" or "2m05s".
func Seconds(s float64) string { return secondsText(s, 3) }

// Bytes writes a number of bytes for people, in units of 1024, such as "512B", "1.2KiB" or "3MiB".
func Bytes(n float64) string { return bytesText(n, 3) }

// Percent writes a percent number for people. It says 0% and 100% only when that is exact.
func Percent(p float64) string { return percentText(p, 3) }

func secondsText(s float64, digits int) string {
	a := math.Abs(s)
	switch {
	case a == 0:
		return "0ms"
	case a < 1e-3:
		return number(s*1e6, digits) + "µs"
	case a < 1 && number(s*1e3, digits) != "1000":
		return number(s*1e3, digits) + "ms"
	case a < 60:
		return number(s, digits) + "s"
	case a < 3600:
		minutes := math.Floor(a / 60)
		rest := number(a-60*minutes, digits)
		if rest == "60" {
			minutes, rest = minutes+1, "0"
		}
		if rest == "0" {
			return sign(s) + number(minutes, digits) + "m"
		}
		return sign(s) + number(minutes, digits) + "m" + rest + "s"
	}
	hours := math.Floor(a / 3600)
	minutes := number((a-3600*hours)/60, digits)
	if minutes == "60" {
		hours, minutes = hours+1, "0"
	}
	if minutes == "0" {
		return sign(s) + number(hours, digits) + "h"
	}
	return sign(s) + number(hours, digits) + "h" + minutes + "m"
}

func sign(v float64) string {
	if v < 0 {
		return "-"
	}
	return ""
}

func bytesText(n float64, digits int) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	i := 0
	for ; i < len(units)-1 && math.Abs(n) >= 1024; i++ {
		n /= 1024
	}
	return number(n, digits) + units[i]
}

func percentText(p float64, digits int) string {
	text := number(p, digits)
	switch {
	case p > 0 && p < 0.001:
		return "<0.001%"
	case p < 100 && text == "100":
		for d := digits + 1; d < 9; d++ {
			if text = number(p, d); text != "100" {
				return text + "%"
			}
		}
		return ">99.9999%"
	}
	return text + "%"
}

// number writes v with about digits significant ones, but never cuts whole ones, without an
// exponent and without trailing zeros.
func number(v float64, digits int) string {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	whole := int(math.Floor(math.Log10(math.Abs(v)))) + 1
	decimals := min(max(digits-whole, 0), 9)
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.ContainsRune(text, '.') {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	if text == "-0" {
		return "0"
	}
	return text
}
