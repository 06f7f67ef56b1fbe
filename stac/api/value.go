package api

import (
	"cmp"
	"strings"
)

// kind orders values of different types among each other when they are sorted.
type kind uint8

const (
	kindNull kind = iota
	kindBool
	kindNumber
	kindInstant
	kindText
)

// value is a property or a literal that can be compared.
type value struct {
	kind kind
	num  float64 // number; boolean: 0 or 1
	time int64   // instant, Unix ns
	text string
}

func textValue(s string) value    { return value{kind: kindText, text: s} }
func numberValue(n float64) value { return value{kind: kindNumber, num: n} }
func instantValue(ns int64) value { return value{kind: kindInstant, time: ns} }

func boolValue(b bool) value {
	if b {
		return value{kind: kindBool, num: 1}
	}
	return value{kind: kindBool}
}

// valueOf turns decoded JSON into a value; lists and objects, which have no order, become null.
func valueOf(v any) value {
	switch v := v.(type) {
	case string:
		return textValue(v)
	case float64:
		return numberValue(v)
	case bool:
		return boolValue(v)
	}
	return value{}
}

// compare orders two values: by kind first, then within it. Null is not less than anything here; who
// sorts puts it last.
func (v value) compare(o value) int {
	if v.kind != o.kind {
		return cmp.Compare(v.kind, o.kind)
	}
	switch v.kind {
	case kindText:
		return strings.Compare(v.text, o.text)
	case kindInstant:
		return cmp.Compare(v.time, o.time)
	}
	return cmp.Compare(v.num, o.num)
}

// property names the value of an item that a filter or a sort key speaks of.
type property struct {
	name string // without "properties."
}

// parseProperty accepts a name with or without "properties.".
func parseProperty(name string) property {
	return property{strings.TrimPrefix(name, "properties.")}
}

// of returns the property's value of an item; null when the item has none.
func (p property) of(it *Item) value {
	switch p.name {
	case "id":
		return textValue(it.ID)
	case "collection":
		return textValue(it.Collection)
	case "datetime":
		return instantValue(it.Datetime)
	}
	v := valueOf(it.Properties[p.name])
	if v.kind == kindText && p.temporal() {
		if at, err := parseInstant(v.text); err == nil {
			return instantValue(at)
		}
	}
	return v
}

// temporal reports whether the property holds instants, so that texts compared with it are read as such.
func (p property) temporal() bool {
	switch p.name {
	case "datetime", "start_datetime", "end_datetime", "created", "updated":
		return true
	}
	return false
}
