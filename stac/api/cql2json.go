package api

import (
	"strings"

	"github.com/stacrun/stacrun/stac/geo"
	"github.com/tidwall/gjson"
)

// parseFilterJSON reads CQL2 JSON: {"op": …, "args": […]}.
func parseFilterJSON(text string) (condition, *Error) {
	if len(text) > maxFilterBytes {
		return nil, badFilter("longer than %d bytes", maxFilterBytes)
	}
	if !gjson.Valid(text) {
		return nil, badFilter("not JSON")
	}
	return conditionOf(gjson.Parse(text), 0)
}

func conditionOf(node gjson.Result, depth int) (condition, *Error) {
	if depth > maxFilterDepth {
		return nil, badFilter("nested deeper than %d", maxFilterDepth)
	}
	switch {
	case node.IsBool():
		return constant(truthOf(node.Bool())), nil
	case !node.IsObject() || node.Get("op").Type != gjson.String || !node.Get("args").IsArray():
		return nil, badFilter("%s is not {\"op\": …, \"args\": […]}", shorten(node.Raw))
	}
	op, args := strings.ToLower(node.Get("op").Str), node.Get("args").Array()
	arity := func(n int) *Error {
		if len(args) != n {
			return badFilter("%s takes %d arguments, not %d", op, n, len(args))
		}
		return nil
	}
	switch {
	case op == "and" || op == "or":
		if len(args) < 1 {
			return nil, badFilter("%s needs arguments", op)
		}
		var list []condition
		for _, arg := range args {
			c, err := conditionOf(arg, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, c)
		}
		if op == "and" {
			return and(list), nil
		}
		return or(list), nil
	case op == "not":
		if err := arity(1); err != nil {
			return nil, err
		}
		c, err := conditionOf(args[0], depth+1)
		if err != nil {
			return nil, err
		}
		return not{c}, nil
	case comparisonOp(op):
		if err := arity(2); err != nil {
			return nil, err
		}
		operands, err := operandsOf(args)
		if err != nil {
			return nil, err
		}
		return newComparison(op, operands[0], operands[1]), nil
	}
	return predicateOf(op, args)
}

func predicateOf(op string, args []gjson.Result) (condition, *Error) {
	if op == "between" && len(args) == 2 && args[1].IsArray() {
		args = append(args[:1:1], args[1].Array()...) // the form of CQL2's drafts, [property, [low, high]]
	}
	count := map[string]int{"isnull": 1, "between": 3}[op]
	if count == 0 {
		count = 2
	}
	known := op == "isnull" || op == "like" || op == "between" || op == "in" || op == "s_intersects" || temporalOp(op)
	if !known {
		return nil, badFilter("unknown operator %q", op)
	}
	if len(args) != count {
		return nil, badFilter("%s takes %d arguments, not %d", op, count, len(args))
	}
	first, err := operandOf(args[0])
	if err != nil {
		return nil, err
	}
	switch op {
	case "isnull":
		return isNull{first}, nil
	case "like":
		if args[1].Type != gjson.String {
			return nil, badFilter("like needs a pattern, not %s", shorten(args[1].Raw))
		}
		return newLike(first, args[1].Str), nil
	case "between":
		ends, err := operandsOf(args[1:])
		if err != nil {
			return nil, err
		}
		return newBetween(first, ends[0], ends[1]), nil
	case "in":
		if !args[1].IsArray() {
			return nil, badFilter("in needs a list, not %s", shorten(args[1].Raw))
		}
		list, err := operandsOf(args[1].Array())
		if err != nil {
			return nil, err
		}
		return newIn(first, list), nil
	case "s_intersects":
		shape, err := shapeOf(args[1])
		if err != nil {
			return nil, err
		}
		return newSpatial(op, first, shape)
	}
	span, err := spanOf(args[1])
	if err != nil {
		return nil, err
	}
	return newTemporal(op, first, span)
}

func operandsOf(args []gjson.Result) ([]operand, *Error) {
	list := make([]operand, len(args))
	for i, arg := range args {
		o, err := operandOf(arg)
		if err != nil {
			return nil, err
		}
		list[i] = o
	}
	return list, nil
}

func operandOf(node gjson.Result) (operand, *Error) {
	switch {
	case node.Type == gjson.String:
		return literal(textValue(node.Str)), nil
	case node.Type == gjson.Number:
		return literal(numberValue(node.Num)), nil
	case node.IsBool():
		return literal(boolValue(node.Bool())), nil
	case node.Type == gjson.Null:
		return literal{}, nil
	case node.Get("property").Type == gjson.String:
		return parseProperty(node.Get("property").Str), nil
	case node.Get("timestamp").Type == gjson.String:
		at, err := parseTimestamp(node.Get("timestamp").Str)
		return literal(instantValue(at)), err
	case node.Get("date").Type == gjson.String:
		at, err := parseDate(node.Get("date").Str)
		return literal(instantValue(at)), err
	}
	return nil, badFilter("%s is neither a property nor a literal", shorten(node.Raw))
}

// shapeOf reads a GeoJSON geometry or {"bbox": […]}.
func shapeOf(node gjson.Result) (geo.Geometry, *Error) {
	if box := node.Get("bbox"); box.IsArray() && !node.Get("coordinates").Exists() {
		var numbers []float64
		for _, n := range box.Array() {
			if n.Type != gjson.Number {
				return geo.Geometry{}, badFilter("bbox %s holds something other than numbers", shorten(box.Raw))
			}
			numbers = append(numbers, n.Num)
		}
		b, err := geo.ParseBox(numbers)
		if err != nil {
			return geo.Geometry{}, badFilter("%v", err)
		}
		return geo.BoxGeometry(b), nil
	}
	shape, err := geo.ParseGeoJSON([]byte(node.Raw))
	if err != nil {
		return geo.Geometry{}, badFilter("%v", err)
	}
	return shape, nil
}

// spanOf reads {"interval": [a, b]}, {"timestamp": …}, {"date": …} (a whole day) or a plain text.
func spanOf(node gjson.Result) (Interval, *Error) {
	if ends := node.Get("interval").Array(); len(ends) == 2 {
		plain := func(end gjson.Result) string {
			for _, key := range []string{"timestamp", "date"} {
				if inner := end.Get(key); inner.Exists() {
					return inner.String()
				}
			}
			return end.String()
		}
		return parseSpan(plain(ends[0]), plain(ends[1]))
	}
	if node.Type == gjson.String {
		at, err := parseEnd(node.Str, openFrom)
		return Interval{at, at}, err
	}
	if day := node.Get("date"); day.Exists() {
		from, err := parseDate(day.String())
		return Interval{from, from + 24*3600*1e9 - 1}, err
	}
	if stamp := node.Get("timestamp"); stamp.Exists() {
		at, err := parseTimestamp(stamp.String())
		return Interval{at, at}, err
	}
	return Interval{}, badFilter("%s is neither an instant nor an interval", shorten(node.Raw))
}

// shorten cuts a piece of a request for use in a message.
func shorten(s string) string {
	if len(s) <= 60 {
		return s
	}
	return strings.ToValidUTF8(s[:60], "") + "…"
}
