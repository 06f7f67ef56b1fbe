package template

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"
)

// Encoding is how values are written where they land.
type Encoding uint8

// The encodings.
const (
	Raw       Encoding = iota // as they are
	JSONText                  // inside the quotes of a JSON string
	JSONValue                 // as a JSON value: strings get quotes, numbers and lists stay what they are
	Query                     // as a name or value in a query string or a form: all but unreserved characters is escaped, space is "+"
	URL                       // inside a URL: only what may not stand in a URL at all is escaped
)

// AppendText writes v as people read it: whole numbers without exponent, floats in the shortest
// plain form, lists and mappings as compact JSON. An unset or null value is an error.
func (v Value) AppendText(dst []byte) ([]byte, error) { return appendValue(dst, v, Raw) }

// Text gives v as people read it, see [Value.AppendText].
func (v Value) Text() (string, error) {
	if s, ok := v.Str(); ok {
		return s, nil
	}
	b, err := v.AppendText(nil)
	return string(b), err
}

// AppendJSON writes v as a compact JSON value; an unset value is null.
func (v Value) AppendJSON(dst []byte) ([]byte, error) {
	if !v.IsSet() {
		return append(dst, "null"...), nil
	}
	return appendValue(dst, v, JSONValue)
}

// errNull is the text of a value that has none.
var errNull = errors.New("the value is null, which has no text")

func appendValue(dst []byte, v Value, e Encoding) ([]byte, error) {
	switch ref := v.ref.(type) {
	case nil:
		return dst, errors.New("the variable is not set")
	case stringStart:
		s, _ := v.Str()
		return appendString(dst, s, e), nil
	case jsonStart:
		s, _ := v.Str()
		switch {
		case e != JSONValue:
			return appendString(dst, s, e), nil
		case s == "":
			return append(dst, "null"...), nil
		}
		return append(dst, s...), nil
	case Kind:
		switch ref {
		case KindInt:
			return strconv.AppendInt(dst, int64(v.num), 10), nil
		case KindFloat:
			return appendFloat(dst, math.Float64frombits(v.num), e)
		case KindBool:
			return strconv.AppendBool(dst, v.num != 0), nil
		}
		if e == JSONValue {
			return append(dst, "null"...), nil
		}
		return dst, errNull
	case *spelling:
		return append(dst, ref.text...), nil
	case *Matches:
		return dst, errors.New("the variable is not set")
	case json.Number:
		return append(dst, ref...), nil
	case time.Time:
		return appendString(dst, ref.Format(time.RFC3339Nano), e), nil
	case time.Duration:
		return appendString(dst, ref.String(), e), nil
	}
	if e == JSONValue {
		return appendJSON(dst, v.ref)
	}
	text, err := appendJSON(nil, v.ref)
	if err != nil {
		return dst, err
	}
	return appendString(dst, string(text), e), nil
}

func appendFloat(dst []byte, f float64, e Encoding) ([]byte, error) {
	if e == JSONValue && (math.IsInf(f, 0) || math.IsNaN(f)) {
		return dst, fmt.Errorf("%v cannot be written in JSON", f)
	}
	return strconv.AppendFloat(dst, f, 'f', -1, 64), nil
}

// appendString writes a string in the given encoding.
func appendString(dst []byte, s string, e Encoding) []byte {
	switch e {
	case JSONText:
		return appendJSONText(dst, s)
	case JSONValue:
		dst = append(dst, '"')
		dst = appendJSONText(dst, s)
		return append(dst, '"')
	case Query:
		return appendPercent(dst, s, &unreserved, true)
	case URL:
		return appendPercent(dst, s, &urlBytes, false)
	}
	return append(dst, s...)
}

const hexDigits = "0123456789abcdef"

// appendJSONText writes s as it stands between the quotes of a JSON string: quotes, backslashes and
// control characters are escaped, invalid UTF-8 becomes U+FFFD, and nothing else is touched.
func appendJSONText(dst []byte, s string) []byte {
	from := 0
	for i := 0; i < len(s); {
		b := s[i]
		if b >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				dst = append(dst, s[from:i]...)
				dst = append(dst, "\uFFFD"...)
				from = i + 1
			}
			i += size
			continue
		}
		if b >= ' ' && b != '"' && b != '\\' {
			i++
			continue
		}
		dst = append(dst, s[from:i]...)
		switch b {
		case '"', '\\':
			dst = append(dst, '\\', b)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[b>>4], hexDigits[b&15])
		}
		i++
		from = i
	}
	return append(dst, s[from:]...)
}

// byteSet says for each ASCII character whether it stands unescaped.
type byteSet [2]uint64

func (set *byteSet) has(b byte) bool { return b < utf8.RuneSelf && set[b>>6]&(1<<(b&63)) != 0 }

func setOf(chars string) (set byteSet) {
	for i := range len(chars) {
		set[chars[i]>>6] |= 1 << (chars[i] & 63)
	}
	return set
}

const alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

var (
	unreserved = setOf(alphanumeric + "-._~*")
	// urlBytes are the unreserved and reserved characters of RFC 3986, and "%", so that what was
	// escaped already stays as it is.
	urlBytes = setOf(alphanumeric + "-._~:/?#[]@!$&'()*+,;=%")
)

func appendPercent(dst []byte, s string, keep *byteSet, plus bool) []byte {
	const upper = "0123456789ABCDEF"
	for i := range len(s) {
		switch b := s[i]; {
		case keep.has(b):
			dst = append(dst, b)
		case b == ' ' && plus:
			dst = append(dst, '+')
		default:
			dst = append(dst, '%', upper[b>>4], upper[b&15])
		}
	}
	return dst
}

// appendJSON writes any value that expr or a document yields as compact JSON: keys sorted, numbers
// without exponent, nothing escaped for HTML.
func appendJSON(dst []byte, v any) ([]byte, error) {
	var err error
	switch v := v.(type) {
	case []any:
		dst = append(dst, '[')
		for i, item := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, err = appendJSON(dst, item); err != nil {
				return dst, err
			}
		}
		return append(dst, ']'), nil
	case map[string]any:
		keys := make([]string, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		dst = append(dst, '{')
		for i, key := range keys {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendString(dst, key, JSONValue)
			dst = append(dst, ':')
			if dst, err = appendJSON(dst, v[key]); err != nil {
				return dst, err
			}
		}
		return append(dst, '}'), nil
	}
	value := Of(v)
	if value.Kind() != KindAny {
		return appendValue(dst, value, JSONValue)
	}
	switch v.(type) {
	case json.Number, time.Time, time.Duration:
		return appendValue(dst, value, JSONValue)
	}
	return appendReflected(dst, reflect.ValueOf(v))
}

// appendReflected writes the typed lists and mappings that expr makes, such as the []int of 1..3.
func appendReflected(dst []byte, v reflect.Value) ([]byte, error) {
	switch v.Kind() {
	case reflect.Slice, reflect.Array:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = v.Index(i).Interface()
		}
		return appendJSON(dst, list)
	case reflect.Map:
		mapping := make(map[string]any, v.Len())
		for entries := v.MapRange(); entries.Next(); {
			mapping[fmt.Sprint(entries.Key().Interface())] = entries.Value().Interface()
		}
		return appendJSON(dst, mapping)
	}
	return dst, fmt.Errorf("a value of type %s cannot be written as text", v.Type())
}
