package template

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// script is a node of the JavaScript subset that Taurus conditions are written in. Undefined is an
// unset [Value].
type script interface {
	eval(c *Context) (Value, error)
}

// scriptValue is a literal.
type scriptValue struct{ value Value }

func (n scriptValue) eval(*Context) (Value, error) { return n.value, nil }

// scriptText is a quoted string with "${…}" in it: always text. What is unset stays as written, as
// in JMeter, so that "${x}" == "${x}" finds out whether x was set.
type scriptText struct{ template *Template }

func (n scriptText) eval(c *Context) (Value, error) {
	if p := &n.template.pieces[0]; len(n.template.pieces) == 1 && p.op == opSlot && c.Vars.values[p.ref.slot].Kind() == KindString {
		return c.Vars.values[p.ref.slot], nil // as it is, without a copy
	}
	text, err := n.template.appendLenient(nil, c)
	return String(string(text)), err
}

func (t *Template) appendLenient(dst []byte, c *Context) ([]byte, error) {
	for i := range t.pieces {
		p := &t.pieces[i]
		v, err := p.value(c)
		if err != nil {
			return dst, p.explain(err)
		}
		switch v.Kind() {
		case KindUnset:
			dst = append(dst, "${"+p.text+"}"...)
		case KindNull:
		default:
			if dst, err = appendValue(dst, v, Raw); err != nil {
				return dst, p.explain(err)
			}
		}
	}
	return dst, nil
}

// scriptRef is a "${…}" outside quotes: JMeter puts its text into the script, so that text which
// looks like a number or a boolean is one.
type scriptRef struct{ piece piece }

func (n scriptRef) eval(c *Context) (Value, error) {
	v, err := n.piece.value(c)
	if err != nil {
		return Value{}, n.piece.explain(err)
	}
	s, ok := v.Str()
	if !ok {
		return v, nil
	}
	switch trimmed := strings.TrimSpace(s); trimmed {
	case "true":
		return Bool(true), nil
	case "false":
		return Bool(false), nil
	case "null":
		return Null(), nil
	case "":
		return v, nil
	default:
		if f, ok := parseNumber(trimmed); ok {
			return f, nil
		}
	}
	return v, nil
}

// parseNumber reads a number as scripts hold it.
func parseNumber(s string) (Value, bool) {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return Int(n), true
	}
	if strings.ContainsAny(s, "xXpP_nNiI") { // no hexadecimal floats, no words such as Inf
		return Value{}, false
	}
	f, err := strconv.ParseFloat(s, 64)
	return Float(f), err == nil
}

// scriptUnary is ! and -.
type scriptUnary struct {
	operator string
	operand  script
}

func (n scriptUnary) eval(c *Context) (Value, error) {
	v, err := n.operand.eval(c)
	if err != nil {
		return v, err
	}
	if n.operator == "!" {
		return Bool(!truthy(v)), nil
	}
	return negate(v), nil
}

func negate(v Value) Value {
	if v.Kind() == KindInt && int64(v.num) != math.MinInt64 {
		return Int(-int64(v.num))
	}
	return Float(-asNumber(v))
}

// scriptBinary is an operator between two operands.
type scriptBinary struct {
	operator    string
	left, right script
}

func (n scriptBinary) eval(c *Context) (Value, error) {
	left, err := n.left.eval(c)
	if err != nil {
		return left, err
	}
	switch n.operator {
	case "&&":
		if !truthy(left) {
			return left, nil
		}
		return n.right.eval(c)
	case "||":
		if truthy(left) {
			return left, nil
		}
		return n.right.eval(c)
	}
	right, err := n.right.eval(c)
	if err != nil {
		return right, err
	}
	switch n.operator {
	case "==":
		return Bool(looselyEqual(left, right)), nil
	case "!=":
		return Bool(!looselyEqual(left, right)), nil
	case "===":
		return Bool(strictlyEqual(left, right)), nil
	case "!==":
		return Bool(!strictlyEqual(left, right)), nil
	case "<", "<=", ">", ">=":
		return Bool(ordered(n.operator, left, right)), nil
	}
	return arithmetic(n.operator, left, right), nil
}

// scriptMethod is .length or one of the methods of strings.
type scriptMethod struct {
	name  string
	owner script
	args  []script
}

// scriptMethods are the methods and their number of arguments; length is not called.
var scriptMethods = map[string]int{
	"length": 0, "indexOf": 1, "includes": 1, "contains": 1, "startsWith": 1, "endsWith": 1, "equals": 1,
	"trim": 0, "toLowerCase": 0, "toUpperCase": 0, "isEmpty": 0,
}

func (n scriptMethod) eval(c *Context) (Value, error) {
	owner, err := n.owner.eval(c)
	if err != nil {
		return owner, err
	}
	if list, ok := owner.ref.([]any); ok && n.name == "length" {
		return Int(int64(len(list))), nil
	}
	text, argument := asText(owner), ""
	if len(n.args) > 0 {
		v, err := n.args[0].eval(c)
		if err != nil {
			return v, err
		}
		argument = asText(v)
	}
	switch n.name {
	case "length":
		return Int(int64(utf8.RuneCountInString(text))), nil
	case "indexOf":
		at := strings.Index(text, argument)
		if at > 0 {
			at = utf8.RuneCountInString(text[:at])
		}
		return Int(int64(at)), nil
	case "includes", "contains":
		return Bool(strings.Contains(text, argument)), nil
	case "startsWith":
		return Bool(strings.HasPrefix(text, argument)), nil
	case "endsWith":
		return Bool(strings.HasSuffix(text, argument)), nil
	case "equals":
		return Bool(text == argument), nil
	case "isEmpty":
		return Bool(text == ""), nil
	case "trim":
		return String(strings.TrimSpace(text)), nil
	case "toLowerCase":
		return String(strings.ToLower(text)), nil
	}
	return String(strings.ToUpper(text)), nil
}

// truthy is the boolean that JavaScript sees in a value.
func truthy(v Value) bool {
	switch v.Kind() {
	case KindUnset, KindNull:
		return false
	case KindString:
		return v.num > 0
	case KindInt, KindBool:
		return v.num != 0
	case KindFloat:
		f := math.Float64frombits(v.num)
		return f != 0 && f == f
	}
	return true
}

// asNumber is the number that JavaScript sees in a value; NaN when there is none.
func asNumber(v Value) float64 {
	switch v.Kind() {
	case KindInt:
		return float64(int64(v.num))
	case KindFloat:
		return math.Float64frombits(v.num)
	case KindNull:
		return 0
	case KindBool:
		return float64(v.num)
	case KindString:
		s, _ := v.Str()
		s = strings.TrimSpace(s)
		if s == "" {
			return 0
		}
		if n, ok := parseNumber(s); ok {
			return asNumber(n)
		}
	}
	return math.NaN()
}

// asText is the text that JavaScript sees in a value.
func asText(v Value) string {
	switch v.Kind() {
	case KindUnset:
		return "undefined"
	case KindNull:
		return "null"
	}
	text, _ := v.Text()
	return text
}

func isNumber(v Value) bool { return v.Kind() == KindInt || v.Kind() == KindFloat }

func looselyEqual(a, b Value) bool {
	ka, kb := a.Kind(), b.Kind()
	nothing := func(k Kind) bool { return k == KindUnset || k == KindNull }
	switch {
	case nothing(ka) || nothing(kb):
		return nothing(ka) && nothing(kb)
	case ka == KindString && kb == KindString:
		return asText(a) == asText(b)
	case ka == KindAny || kb == KindAny:
		return asText(a) == asText(b)
	case ka == KindInt && kb == KindInt:
		return a.num == b.num
	}
	return asNumber(a) == asNumber(b)
}

func strictlyEqual(a, b Value) bool {
	if isNumber(a) && isNumber(b) {
		return looselyEqual(a, b)
	}
	return a.Kind() == b.Kind() && looselyEqual(a, b)
}

func ordered(operator string, a, b Value) bool {
	var less, equal bool
	switch {
	case a.Kind() == KindString && b.Kind() == KindString:
		x, y := asText(a), asText(b)
		less, equal = x < y, x == y
	case a.Kind() == KindInt && b.Kind() == KindInt:
		less, equal = int64(a.num) < int64(b.num), a.num == b.num
	default:
		x, y := asNumber(a), asNumber(b)
		if x != x || y != y {
			return false
		}
		less, equal = x < y, x == y
	}
	switch operator {
	case "<":
		return less
	case "<=":
		return less || equal
	case ">":
		return !less && !equal
	}
	return !less
}

func arithmetic(operator string, a, b Value) Value {
	if operator == "+" && (a.Kind() == KindString || b.Kind() == KindString) {
		return String(asText(a) + asText(b))
	}
	x, y := asNumber(a), asNumber(b)
	var f float64
	switch operator {
	case "+":
		f = x + y
	case "-":
		f = x - y
	case "*":
		f = x * y
	case "/":
		f = x / y
	case "%":
		f = math.Mod(x, y)
	}
	if f == math.Trunc(f) && math.Abs(f) <= 1<<53 {
		return Int(int64(f))
	}
	return Float(f)
}
