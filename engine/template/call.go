package template

import (
	"fmt"
	"strings"
)

// jmeter is one of the functions that are written ${__Name(a,b)}. Arguments are texts. One of
// number, text, value and fold is set; it tells what the function yields.
type jmeter struct {
	name     string
	params   string // as shown to people
	doc      string
	example  string
	min, max int // number of arguments, the variable's name included; max -1: any number
	variable int // index of the argument that names a variable to set as well; 0: none
	prefix   bool

	// prepare looks at arguments that are constant, so that mistakes are found while compiling; it
	// may leave something ready-made in call.state, and put a function that uses it into call.fn.
	prepare func(k *call, args []string) error
	number  func(c *Context, k *call, args []string) (int64, error)
	text    func(dst []byte, c *Context, k *call, args []string) ([]byte, error)
	value   func(c *Context, k *call, args []string) (Value, error)
	fold    func(c *Compiler, args []string) (string, error) // known while compiling; arguments must be constant
}

// call is one place where a function is called. It is immutable and shared by all users.
type call struct {
	fn        *jmeter
	templates []*Template // arguments; nil when all are constant
	constant  []string
	state     any  // what prepare left
	counter   int  // of __counter: the place's own counter
	sets      bool // a variable receives the value too
	slot      Slot
	family    Family // of the variable of __split
}

func (k *call) number(c *Context) (int64, error) {
	args, err := k.arguments(c)
	if err != nil {
		return 0, err
	}
	n, err := k.fn.number(c, k, args)
	if err == nil && k.sets {
		c.Vars.Set(k.slot, Int(n))
	}
	return n, err
}

func (k *call) text(dst []byte, c *Context) ([]byte, error) {
	args, err := k.arguments(c)
	if err != nil {
		return dst, err
	}
	from := len(dst)
	dst, err = k.fn.text(dst, c, k, args)
	if err == nil && k.sets {
		c.Vars.Set(k.slot, String(string(dst[from:])))
	}
	return dst, err
}

func (k *call) value(c *Context) (Value, error) {
	args, err := k.arguments(c)
	if err != nil {
		return Value{}, err
	}
	v, err := k.fn.value(c, k, args)
	if err == nil && k.sets {
		c.Vars.Set(k.slot, v)
	}
	return v, err
}

func (k *call) arguments(c *Context) ([]string, error) {
	if k.templates == nil {
		return k.constant, nil
	}
	args := make([]string, len(k.templates))
	for i, t := range k.templates {
		text, err := t.Text(c)
		if err != nil {
			return nil, err
		}
		args[i] = text
	}
	return args, nil
}

func (k *call) reads() []string {
	var names []string
	for _, t := range k.templates {
		names = append(names, t.Reads()...)
	}
	return names
}

// invoke calls a function from an expression, with arguments of any type.
func (fn *jmeter) invoke(c *Context, k *call, args []any) (any, error) {
	texts := make([]string, len(args))
	for i, arg := range args {
		text, err := Of(arg).Text()
		if err != nil {
			return nil, fmt.Errorf("argument %d: %w", i+1, err)
		}
		texts[i] = text
	}
	switch {
	case fn.number != nil:
		n, err := fn.number(c, k, texts)
		return int(n), err
	case fn.text != nil:
		text, err := fn.text(nil, c, k, texts)
		return string(text), err
	}
	v, err := fn.value(c, k, texts)
	return v.Any(), err
}

// usage is the function as it should be written.
func (fn *jmeter) usage() string { return fmt.Sprintf("${%s(%s)}", fn.name, fn.params) }

// checkCount says what is wrong with a number of arguments, or "".
func (fn *jmeter) checkCount(n int) string {
	switch {
	case n != fn.min && fn.min == fn.max:
		return fmt.Sprintf("%s takes %s, not %d", fn.name, plural(fn.min, "argument"), n)
	case n < fn.min:
		return fmt.Sprintf("%s takes at least %s, not %d", fn.name, plural(fn.min, "argument"), n)
	case fn.max >= 0 && n > fn.max:
		return fmt.Sprintf("%s takes at most %s, not %d", fn.name, plural(fn.max, "argument"), n)
	}
	return ""
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// variableOf returns the name of the variable that a call sets.
func (fn *jmeter) variableOf(args []argument) (name string, index int) {
	switch {
	case fn.variable > 0 && len(args) > fn.variable:
		return unquote(strings.TrimSpace(args[fn.variable].text)), fn.variable
	case fn.variable == lastArgument && len(args) > fn.min-1:
		last := unquote(strings.TrimSpace(args[len(args)-1].text))
		if isName(last) {
			return last, len(args) - 1
		}
	}
	return "", -1
}

// lastArgument as jmeter.variable: the last argument is the variable when it looks like a name.
const lastArgument = -1
