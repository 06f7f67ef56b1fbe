package template

import (
	"encoding/json"
	"math"
	"strconv"
	"unsafe"
)

// Kind is the kind of a [Value].
type Kind uint8

// The kinds of value.
const (
	KindUnset  Kind = iota // the variable has never been given a value
	KindNull               // null was given
	KindString             // a string
	KindInt                // a whole number of 64 bits
	KindFloat              // a floating point number
	KindBool               // true or false
	KindAny                // a list ([]any) or mapping (map[string]any)
)

// Value is what a variable holds: three words, so that ten thousand users with twenty variables
// each cost 10 MB. Putting an existing string or a number into a Value allocates nothing.
// The zero Value is unset.
type Value struct {
	_   [0]func() // values are compared by content, never with ==
	num uint64    // length of a string, bits of a number
	ref any       // *byte of a string (two types of it), a Kind for scalars, else the value itself
}

// stringStart marks the first byte of a string inside Value.ref. Being pointer-shaped it fits
// into an interface without an allocation.
type stringStart *byte

// jsonStart is a stringStart of a text that came out of a JSON document, where it was no string.
type jsonStart *byte

// FromJSON holds the text of a JSON value that is no string: a number, true, false, an object or a list, and "" for null. It is
// read as this text everywhere but where it stands alone as a value of a JSON body: there it is what it was.
func FromJSON(text string) Value {
	return Value{num: uint64(len(text)), ref: jsonStart(unsafe.StringData(text))}
}

// spelling is how a number was written, where that is not how it would be printed: 1.10, 1e3. The number itself stands in num.
type spelling struct {
	kind Kind
	text string
}

// Spelled holds the number v as it was written. It calculates as v does, and is written out, in texts and in JSON, as text, which
// must be a JSON number.
func Spelled(v Value, text string) Value {
	kind := v.Kind()
	if kind != KindInt && kind != KindFloat {
		return v
	}
	if plain, err := appendValue(nil, v, Raw); err == nil && string(plain) == text {
		return v
	}
	return Value{num: v.num, ref: &spelling{kind, text}}
}

// String holds s, which stays shared.
func String(s string) Value {
	return Value{num: uint64(len(s)), ref: stringStart(unsafe.StringData(s))}
}

// Int holds n.
func Int(n int64) Value { return Value{num: uint64(n), ref: KindInt} }

// Float holds f.
func Float(f float64) Value { return Value{num: math.Float64bits(f), ref: KindFloat} }

// Bool holds b.
func Bool(b bool) Value {
	if b {
		return Value{num: 1, ref: KindBool}
	}
	return Value{ref: KindBool}
}

// Null is a value that was given and is null.
func Null() Value { return Value{ref: KindNull} }

// Of holds any Go value that JSON, YAML or expr produce. Numbers become [KindInt] where they are
// whole, [KindFloat] else; a [json.Number] keeps its digits.
func Of(v any) Value {
	switch v := v.(type) {
	case nil:
		return Null()
	case Value:
		return v
	case string:
		return String(v)
	case bool:
		return Bool(v)
	case int:
		return Int(int64(v))
	case int8:
		return Int(int64(v))
	case int16:
		return Int(int64(v))
	case int32:
		return Int(int64(v))
	case int64:
		return Int(v)
	case uint:
		return ofUnsigned(uint64(v))
	case uint8:
		return Int(int64(v))
	case uint16:
		return Int(int64(v))
	case uint32:
		return Int(int64(v))
	case uint64:
		return ofUnsigned(v)
	case float32:
		return Float(float64(v))
	case float64:
		return Float(v)
	case []byte:
		return String(string(v))
	case json.Number:
		if n, err := strconv.ParseInt(string(v), 10, 64); err == nil {
			return Int(n)
		}
	}
	return Value{ref: v}
}

func ofUnsigned(n uint64) Value {
	if n <= math.MaxInt64 {
		return Int(int64(n))
	}
	return Value{ref: json.Number(strconv.FormatUint(n, 10))}
}

// Kind tells what v holds.
func (v Value) Kind() Kind {
	switch ref := v.ref.(type) {
	case nil:
		return KindUnset
	case stringStart, jsonStart:
		return KindString
	case Kind:
		return ref
	case *spelling:
		return ref.kind
	}
	return KindAny
}

// IsSet reports whether v was ever given a value.
func (v Value) IsSet() bool { return v.ref != nil }

// Str returns the string that v holds, and false when it holds something else.
func (v Value) Str() (string, bool) {
	switch start := v.ref.(type) {
	case stringStart:
		return unsafe.String((*byte)(start), int(v.num)), true
	case jsonStart:
		return unsafe.String((*byte)(start), int(v.num)), true
	}
	return "", false
}

// Any returns v as expr sees it: nil, string, int, float64, bool, []any or map[string]any.
func (v Value) Any() any {
	switch ref := v.ref.(type) {
	case nil:
		return nil
	case stringStart:
		return unsafe.String((*byte)(ref), int(v.num))
	case jsonStart:
		return unsafe.String((*byte)(ref), int(v.num))
	case *spelling:
		return Value{num: v.num, ref: ref.kind}.Any()
	case Kind:
		switch ref {
		case KindInt:
			return int(v.num)
		case KindFloat:
			return math.Float64frombits(v.num)
		case KindBool:
			return v.num != 0
		}
		return nil
	}
	return v.ref
}
