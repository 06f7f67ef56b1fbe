package api

import (
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// parseQuery reads the query extension, {"eo:cloud_cover": {"lte": 10}}, as a condition.
func parseQuery(source string) (condition, *Error) {
	root := gjson.Parse(source)
	if !gjson.Valid(source) || !root.IsObject() {
		return nil, badParameter("query %s is not a JSON object", shorten(source))
	}
	var list and
	var fault *Error
	root.ForEach(func(name, operators gjson.Result) bool {
		if !operators.IsObject() {
			fault = badParameter("query: %q needs an object of operators", name.Str)
			return false
		}
		operators.ForEach(func(op, operand gjson.Result) bool {
			var c condition
			if c, fault = queryCondition(parseProperty(name.String()), op.String(), operand); fault == nil {
				list = append(list, c)
			}
			return fault == nil
		})
		return fault == nil
	})
	return list, fault
}

func queryCondition(of property, op string, node gjson.Result) (condition, *Error) {
	signs := map[string]string{"eq": "=", "neq": "<>", "lt": "<", "lte": "<=", "gt": ">", "gte": ">="}
	if sign, ok := signs[op]; ok {
		b, err := operandOf(node)
		if err != nil {
			return nil, badParameter("query: %s %s: %s", of.name, op, err.Description)
		}
		c := newComparison(sign, of, b)
		if n, err := strconv.ParseFloat(node.Str, 64); node.Type == gjson.String && err == nil {
			// Clients that build queries from command lines send numbers as text: it is compared as both.
			asNumber := newComparison(sign, of, literal(numberValue(n)))
			if sign == "<>" {
				return and{c, asNumber}, nil
			}
			return or{c, asNumber}, nil
		}
		return c, nil
	}
	if op == "in" {
		if !node.IsArray() {
			return nil, badParameter("query: %s in needs a list", of.name)
		}
		list, err := operandsOf(node.Array())
		if err != nil {
			return nil, badParameter("query: %s in: %s", of.name, err.Description)
		}
		return anyIn{in{of, list}}, nil
	}
	if op != "startsWith" && op != "endsWith" && op != "contains" {
		return nil, badParameter("query: unknown operator %q", op)
	}
	if node.Type != gjson.String {
		return nil, badParameter("query: %s %s needs a text", of.name, op)
	}
	return textTest{of, op, node.Str}, nil
}

// anyIn is `in` of the query extension: a property that is a list matches with any of its elements.
type anyIn struct{ in }

func (a anyIn) test(it *Item) truth {
	p := a.of.(property) //nolint:forcetypeassert // made so by queryCondition
	elements, ok := it.Properties[p.name].([]any)
	if !ok {
		return a.in.test(it)
	}
	for _, element := range elements {
		if a.in.has(valueOf(element)) {
			return yes
		}
	}
	return no
}

// textTest is startsWith, endsWith or contains.
type textTest struct {
	of   property
	op   string
	part string
}

func (t textTest) test(it *Item) truth {
	var s string
	switch v := t.of.of(it); v.kind {
	case kindNull:
		return unknown
	case kindText:
		s = v.text
	default:
		return no
	}
	switch t.op {
	case "startsWith":
		return truthOf(strings.HasPrefix(s, t.part))
	case "endsWith":
		return truthOf(strings.HasSuffix(s, t.part))
	}
	return truthOf(strings.Contains(s, t.part))
}
