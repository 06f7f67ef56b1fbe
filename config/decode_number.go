package config

import (
	"regexp"
	"strconv"
	"time"
)

// sexagesimal is what YAML 1.1 reads as a number to base 60, such as 1:30 for 90.
var sexagesimal = regexp.MustCompile(`^[0-9]+(:[0-5]?[0-9])+$`)

// duration reads a time. An unquoted 1:30 is 90 seconds, as it is for Taurus.
func (d *decoder) duration(a at) Value[time.Duration] {
	text, ok := d.resolved(a)
	if !ok {
		return Value[time.Duration]{}
	}
	if !a.Quoted && sexagesimal.MatchString(text) {
		seconds := 0
		for part := range splitColon(text) {
			n, _ := strconv.Atoi(part)
			seconds = seconds*60 + n
		}
		v := time.Duration(seconds) * time.Second
		d.diags.Warnf("invalid-duration", a.Pos, a.path, "%s is read as %s", text, FormatDuration(v)).
			WithHint("write %s", FormatDuration(v))
		return Value[time.Duration]{V: v, Set: true, Pos: a.Pos}
	}
	v, err := ParseDuration(text)
	if err != nil {
		if f, isNumber := a.Float(); isNumber && f >= 0 && !a.Quoted {
			return Value[time.Duration]{V: time.Duration(f * float64(time.Second)), Set: true, Pos: a.Pos}
		}
		d.unit(a, text, err)
		return Value[time.Duration]{}
	}
	doubtBareSeconds(&d.diags, a.Pos, a.path, text)
	return Value[time.Duration]{V: v, Set: true, Pos: a.Pos}
}

// unit reports an error of a unit parser. The place of the part is only known where the text is
// the document's own.
func (d *decoder) unit(a at, text string, err error) {
	pos := a.Pos
	if a.Quoted {
		pos.Column++ // behind the quote
	}
	if text != a.Text {
		if unit, ok := err.(*UnitError); ok { //nolint:errorlint // the parsers return it bare
			unit.Offset = 0
		}
	}
	unitProblem(&d.diags, pos, a.path, err)
}

// count reads a whole number of at least 0.
func (d *decoder) count(a at) Value[int] {
	text, ok := d.resolved(a)
	if !ok {
		return Value[int]{}
	}
	n, isInt := (&Node{Kind: Scalar, Text: text}).Int()
	name := lastPart(a.path)
	switch {
	case !isInt:
		d.diags.Errorf("wrong-type", a.Pos, a.path, "%s must be a whole number, got %q", name, text).
			WithHint("write a number such as 10")
	case n < 0:
		d.diags.Errorf("invalid-value", a.Pos, a.path, "%s must be at least 0, got %d", name, n)
	case n > 1<<31-1:
		d.diags.Errorf("invalid-value", a.Pos, a.path, "%s must be less than %d, got %d", name, 1<<31, n)
	default:
		return Value[int]{V: int(n), Set: true, Pos: a.Pos}
	}
	return Value[int]{}
}

// number reads a number of at least 0.
func (d *decoder) number(a at) Value[float64] {
	text, ok := d.resolved(a)
	if !ok {
		return Value[float64]{}
	}
	f, isNumber := (&Node{Kind: Scalar, Text: text}).Float()
	switch {
	case !isNumber:
		d.diags.Errorf("wrong-type", a.Pos, a.path, "%s must be a number, got %q", lastPart(a.path), text)
	case f < 0:
		d.diags.Errorf("invalid-value", a.Pos, a.path, "%s must be at least 0, got %s", lastPart(a.path), text)
	default:
		return Value[float64]{V: f, Set: true, Pos: a.Pos}
	}
	return Value[float64]{}
}

// rate reads a rate, per second.
func (d *decoder) rate(a at) Value[float64] {
	text, ok := d.resolved(a)
	if !ok {
		return Value[float64]{}
	}
	v, err := ParseRate(text)
	if err != nil {
		if f, isNumber := (&Node{Kind: Scalar, Text: text}).Float(); isNumber && f >= 0 {
			return Value[float64]{V: f, Set: true, Pos: a.Pos}
		}
		d.unit(a, text, err)
		return Value[float64]{}
	}
	return Value[float64]{V: v, Set: true, Pos: a.Pos}
}

// size reads a number of bytes.
func (d *decoder) size(a at) Value[int64] {
	text, ok := d.resolved(a)
	if !ok {
		return Value[int64]{}
	}
	v, err := ParseSize(text)
	if err != nil {
		d.unit(a, text, err)
		return Value[int64]{}
	}
	return Value[int64]{V: v, Set: true, Pos: a.Pos}
}
