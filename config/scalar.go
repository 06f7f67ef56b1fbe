package config

import (
	"math"
	"strconv"
	"strings"
)

// String gives the text of a scalar as it was written, "" for null, and compact JSON for the rest.
func (n *Node) String() string {
	switch {
	case n == nil || n.Kind == Null:
		return ""
	case n.Kind == Scalar:
		return n.Text
	}
	return n.JSON()
}

// JSON writes a value as compact JSON. A number keeps its text where JSON can hold it.
func (n *Node) JSON() string {
	var b strings.Builder
	writeJSON(&b, n, "", "")
	return b.String()
}

// Int converts a scalar where a whole number is asked for. The text may be quoted, have a sign,
// underscores between digits, an exponent or a zero fraction, or be octal (010, 0o10), hexadecimal
// or binary as YAML writes them.
func (n *Node) Int() (int64, bool) {
	if n == nil || n.Kind != Scalar {
		return 0, false
	}
	text := strings.TrimSpace(n.Text)
	if v, ok := parseInt(text); ok {
		return v, true
	}
	f, ok := parseFloat(text)
	if !ok || f != math.Trunc(f) || math.Abs(f) >= 1<<53 {
		return 0, false
	}
	return int64(f), true
}

// Float converts a scalar where a number is asked for; infinities and NaN are refused.
func (n *Node) Float() (float64, bool) {
	if n == nil || n.Kind != Scalar {
		return 0, false
	}
	text := strings.TrimSpace(n.Text)
	if v, ok := parseInt(text); ok {
		return float64(v), true
	}
	return parseFloat(text)
}

// Bool converts a scalar where a boolean is asked for: true and false, and the YAML 1.1 spellings
// yes, no, on and off, in any case.
func (n *Node) Bool() (value, ok bool) {
	if n == nil || n.Kind != Scalar {
		return false, false
	}
	switch strings.ToLower(strings.TrimSpace(n.Text)) {
	case "true", "yes", "on":
		return true, true
	case "false", "no", "off":
		return false, true
	}
	return false, false
}

// Any converts a tree to plain values: map[string]any, []any, string, int64, float64, bool, nil.
// Plain scalars are typed as [Node.Plain] says; numbers that look like ids (00123) stay text.
func (n *Node) Any() any {
	if n == nil {
		return nil
	}
	switch n.Kind {
	case Scalar:
		switch n.Plain() {
		case PlainBool:
			return strings.EqualFold(n.Text, "true")
		case PlainInt:
			if v, ok := parseInt(n.Text); ok {
				return v
			}
			f, _ := parseFloat(n.Text) // beyond 64 bits
			return f
		case PlainFloat:
			f, _ := parseFloat(n.Text)
			return f
		}
		return n.Text
	case Sequence:
		items := make([]any, len(n.Items))
		for i, item := range n.Items {
			items[i] = item.Any()
		}
		return items
	case Mapping:
		entries := make(map[string]any, len(n.Entries))
		for _, e := range n.Entries {
			entries[e.Key] = e.Value.Any()
		}
		return entries
	}
	return nil
}

// PlainType is what a scalar is when nothing asks for a certain type.
type PlainType uint8

// The types of scalars.
const (
	PlainText PlainType = iota
	PlainBool
	PlainInt
	PlainFloat
)

// Plain tells the type of a scalar by the core rules of YAML 1.2, with three departures that keep
// what people wrote: decimal numbers with leading zeros (ids such as 00123), infinities and NaN
// are text, and 1_000 is a number, as it is for Taurus.
func (n *Node) Plain() PlainType {
	if n == nil || n.Kind != Scalar || n.Quoted {
		return PlainText
	}
	switch n.Text {
	case "true", "True", "TRUE", "false", "False", "FALSE":
		return PlainBool
	}
	digits := strings.TrimLeft(n.Text, "+-")
	if len(n.Text)-len(digits) > 1 || digits == "" || digits[0] != '.' && (digits[0] < '0' || digits[0] > '9') {
		return PlainText
	}
	if len(digits) > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9' {
		return PlainText
	}
	if _, ok := parseInt(n.Text); ok {
		return PlainInt
	}
	if _, ok := parseFloat(n.Text); !ok {
		return PlainText
	}
	if strings.Trim(digits, "0123456789_") == "" {
		return PlainInt // beyond 64 bits
	}
	return PlainFloat
}

// parseInt reads what YAML 1.1 and 1.2 call an integer, base 60 left out.
func parseInt(text string) (int64, bool) {
	sign, digits := "", text
	if text != "" && (text[0] == '-' || text[0] == '+') {
		sign, digits = text[:1], text[1:]
	}
	if digits == "" || digits[0] < '0' || digits[0] > '9' || strings.HasSuffix(digits, "_") {
		return 0, false
	}
	base := 10
	switch {
	case strings.HasPrefix(digits, "0x"):
		base, digits = 16, digits[2:]
	case strings.HasPrefix(digits, "0o"):
		base, digits = 8, digits[2:]
	case strings.HasPrefix(digits, "0b"):
		base, digits = 2, digits[2:]
	case len(digits) > 1 && digits[0] == '0' && strings.Trim(digits, "01234567_") == "":
		base, digits = 8, digits[1:] // YAML 1.1; 08 stays decimal
	}
	v, err := strconv.ParseInt(strings.TrimSuffix(sign, "+")+strings.ReplaceAll(digits, "_", ""), base, 64)
	return v, err == nil
}

// parseFloat reads a decimal number.
func parseFloat(text string) (float64, bool) {
	if text == "" || strings.Trim(text, "+-.0123456789_eE") != "" || strings.HasSuffix(text, "_") || strings.HasPrefix(text, "_") {
		return 0, false
	}
	f, err := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64)
	return f, err == nil
}
