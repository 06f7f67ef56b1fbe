package template

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
)

// Function is a function that expressions may call, such as randomBbox. Tables of them are handed
// to the [Compiler].
type Function struct {
	Name    string
	Params  string // as shown to people: "area, minDeg, maxDeg"
	Doc     string // one sentence
	Example string // such as `${randomBbox("land", 1, 5)}`
	MinArgs int
	MaxArgs int // -1: any number
	// Call computes a value from the arguments. It is called by the goroutine of one user, takes all
	// randomness from c.Rand, and must keep neither c nor args.
	Call func(c *Context, args []any) (any, error)
}

func (fn *Function) usage() string { return fmt.Sprintf("${%s(%s)}", fn.Name, fn.Params) }

func (fn *Function) checkCount(n int) string {
	return (&jmeter{name: fn.Name, min: fn.MinArgs, max: fn.MaxArgs}).checkCount(n)
}

// expressionFunctions are our own functions of the expression language. Those that have the name
// of a function of expr replace it.
var expressionFunctions = []Function{
	{
		Name: "pick", Params: "list", Doc: "a random element of a list", Example: `${pick(["red", "green"])}`, MinArgs: 1, MaxArgs: 1,
		Call: func(c *Context, args []any) (any, error) { return pick(c, args[0]) },
	},
	{
		Name: "json", Params: "value", Doc: "a value as compact JSON", Example: `${json({"limit": 10})}`, MinArgs: 1, MaxArgs: 1,
		Call: toJSON,
	},
	{
		Name: "toJSON", Params: "value", Doc: "a value as compact JSON", Example: `${toJSON([1, 2])}`, MinArgs: 1, MaxArgs: 1,
		Call: toJSON,
	},
	{
		Name: "fromJSON", Params: "text", Doc: "the value that a JSON text holds; whole numbers keep all their digits", Example: `${fromJSON(answer).id}`, MinArgs: 1, MaxArgs: 1,
		Call: func(_ *Context, args []any) (any, error) {
			text, ok := args[0].(string)
			if !ok {
				return nil, fmt.Errorf("fromJSON needs a text, not %T", args[0])
			}
			return DecodeJSON([]byte(text))
		},
	},
	{
		Name: "string", Params: "value", Doc: "a value as text: numbers without exponent, lists as JSON", Example: `${"page " + string(n)}`, MinArgs: 1, MaxArgs: 1,
		Call: func(_ *Context, args []any) (any, error) { return Of(args[0]).Text() },
	},
	{
		Name: "now", Doc: "the time", Example: `${now().Unix()}`,
		Call: func(c *Context, _ []any) (any, error) { return c.Now(), nil },
	},
}

// lookupFunction is what vars[expression] becomes.
var lookupFunction = Function{
	Name: "\x00lookup", MinArgs: 1, MaxArgs: 1,
	Call: func(c *Context, args []any) (any, error) {
		name, ok := args[0].(string)
		if !ok {
			return nil, fmt.Errorf("vars[…] needs the name of a variable, not %T", args[0])
		}
		v, ok := c.Vars.Lookup(name)
		if !ok {
			return nil, fmt.Errorf("there is no variable %q", name)
		}
		return v.Any(), nil
	},
}

// expressionFunction finds a function by name: the domain's first, then our own.
func (c *Compiler) expressionFunction(name string) *Function {
	if name == lookupFunction.Name {
		return &lookupFunction
	}
	for i := range c.Functions {
		if c.Functions[i].Name == name {
			return &c.Functions[i]
		}
	}
	for i := range expressionFunctions {
		if expressionFunctions[i].Name == name {
			return &expressionFunctions[i]
		}
	}
	return nil
}

func toJSON(_ *Context, args []any) (any, error) {
	b, err := appendJSON(nil, args[0])
	return string(b), err
}

func pick(c *Context, list any) (any, error) {
	if items, ok := list.([]any); ok && len(items) > 0 {
		return items[c.Rand.IntN(len(items))], nil
	}
	v := reflect.ValueOf(list)
	switch {
	case v.Kind() != reflect.Slice && v.Kind() != reflect.Array:
		return nil, fmt.Errorf("pick needs a list, not %T", list)
	case v.Len() == 0:
		return nil, errors.New("pick needs a list that is not empty")
	}
	return v.Index(c.Rand.IntN(v.Len())).Interface(), nil
}

// DecodeJSON decodes one JSON value as expressions see it: whole numbers are int, other numbers
// float64; a whole number beyond 64 bits keeps its digits as [json.Number].
func DecodeJSON(text []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var tree any
	if err := decoder.Decode(&tree); err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, errors.New("not JSON: text follows the value")
	}
	return plainNumbers(tree), nil
}

// plainNumbers replaces every json.Number in place.
func plainNumbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if value := Of(v); value.Kind() == KindInt {
			return value.Any()
		}
		if f, err := v.Float64(); err == nil && bytes.ContainsAny([]byte(v), ".eE") {
			return f
		}
		return v
	case []any:
		for i := range v {
			v[i] = plainNumbers(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = plainNumbers(v[key])
		}
	}
	return v
}
