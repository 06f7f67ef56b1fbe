package template

import (
	"errors"
	"fmt"
	"strings"

	"github.com/stacrun/stacrun/diag"
)

// Compiler turns texts into templates. Fill it in, declare all names, then compile; it is not safe
// for concurrent use.
type Compiler struct {
	Names      *Names
	Functions  []Function                   // of the domain, beside those of this package
	Properties map[string]string            // of ${__P(name)}
	Getenv     func(string) (string, bool)  // of ${__env(NAME)}; nil: os.LookupEnv
	ReadFile   func(string) ([]byte, error) // of ${__FileToString(name)}; nil: of the machine
	Sources    diag.Sources                 // with them, positions inside a text are exact
	Absent     map[string]string            // variables without a value where these texts stand: when they get it
}

// source is one text that is being compiled.
type source struct {
	c    *Compiler
	list *diag.List
	root string // the text as it stands in the document
	pos  diag.Pos
	path string
}

// errorf reports a mistake at a byte offset of the text.
func (s *source) errorf(code string, offset int, format string, args ...any) *diag.Diagnostic {
	return s.list.Errorf(code, locate(s.c.Sources, s.pos, s.root, offset), s.path, format, args...)
}

// Text compiles a text. pos is the place of its first character and path its dotted path, for
// diagnostics. A template is returned even with errors, so that compiling can go on.
func (c *Compiler) Text(text string, pos diag.Pos, path string) (*Template, diag.List) {
	var list diag.List
	s := &source{c: c, list: &list, root: text, pos: pos, path: path}
	t, _ := s.compile(text, 0)
	return t, list
}

// Declare declares the variables that functions inside text set, such as n of
// ${__Random(1,6,n)}. Call it for all texts before the first one is compiled.
func (c *Compiler) Declare(text string) { c.declare(text, 0) }

func (c *Compiler) declare(text string, depth int) {
	if depth > maxDepth || !strings.Contains(text, "${") {
		return
	}
	segments, _ := split(text)
	for _, seg := range segments {
		if !seg.dynamic {
			continue
		}
		name, args, ok := splitCall(seg.text)
		if !ok {
			continue
		}
		if fn := findJMeter(name); fn != nil {
			if variable, _ := fn.variableOf(args); isName(variable) {
				c.declareVariable(fn, variable)
			}
		} else if isScript(name) && len(args) == 2 && isName(args[1].text) {
			c.Names.Declare(args[1].text)
		}
		for _, arg := range args {
			c.declare(arg.text, depth+1)
		}
	}
}

func (c *Compiler) declareVariable(fn *jmeter, name string) (Slot, Family) {
	if fn.prefix {
		c.Names.Declare(name + "_n")
		return c.Names.Declare(name), c.Names.DeclarePrefix(name)
	}
	return c.Names.Declare(name), 0
}

// compile compiles a text, or an argument inside it that begins at offset.
func (s *source) compile(text string, offset int) (*Template, bool) {
	segments, mistake := split(text)
	if mistake != nil {
		s.errorf("bad-template", offset+mistake.offset, "%s", mistake.message).WithHint("%s", mistake.hint)
		return Literal(text), false
	}
	var b Builder
	good := true
	for _, seg := range segments {
		if !seg.dynamic {
			b.literal(seg.text)
			continue
		}
		p, ok := s.dynamic(seg.text, offset+seg.offset)
		good = good && ok
		switch {
		case !ok:
			b.literal("${" + seg.text + "}")
		case p.op == opLiteral:
			b.literal(p.text)
		default:
			b.pieces = append(b.pieces, p)
		}
	}
	t := b.Template()
	t.source = text
	return t, good
}

// lastSampleOK is a variable that JMeter always has.
const lastSampleOK = "JMeterThread.last_sample_ok"

var lastSampleFunction = jmeter{name: lastSampleOK, value: func(c *Context, _ *call, _ []string) (Value, error) {
	return Bool(!c.LastFailed), nil
}}

// dynamic compiles what stands between "${" and "}".
func (s *source) dynamic(body string, offset int) (piece, bool) {
	name := strings.TrimSpace(body)
	at := offset + strings.Index(body, name)
	if name == "" {
		s.errorf("bad-template", offset, "there is nothing between %q and %q", "${", "}").
			WithHint("write the name of a variable, or $${} for the characters themselves")
		return piece{}, false
	}
	if ref, ok := s.c.Names.resolve(name); ok {
		if when, absent := s.c.Absent[name]; absent {
			s.errorf("no-value-yet", at, "variable %q has no value here: %s", name, when).
				WithHint("use it in setup, requests or tasks of the scenario, which run for each user")
			return piece{}, false
		}
		if ref.member.kind == notMember {
			return piece{op: opSlot, text: name, ref: ref}, true
		}
		s.c.Names.Use(ref.family)
		return piece{op: opMember, text: name, ref: ref}, true
	}
	if name == lastSampleOK {
		return piece{op: opValue, text: name, call: &call{fn: &lastSampleFunction}}, true
	}
	if fn, args, ok := splitCall(body); ok {
		return s.call(fn, args, name, offset, at)
	}
	if isName(name) && !isReserved(name) && strings.IndexByte(name, '.') < 0 {
		if parts := strings.Split(name, "-"); !s.allKnown(parts) {
			s.unknownName(name, at)
			return piece{}, false
		}
	}
	p, ok := s.compileProgram(body, offset, false, false)
	return piece{op: opProgram, text: name, program: p}, ok
}

// isReserved reports the words that are values in an expression.
func isReserved(name string) bool { return name == "true" || name == "false" || name == "nil" }

// allKnown reports whether a text like a-b may be a subtraction of variables.
func (s *source) allKnown(names []string) bool {
	for _, name := range names {
		if _, ok := s.c.Names.resolve(name); !ok {
			return false
		}
	}
	return true
}

// unknownName reports a name that nothing declares.
func (s *source) unknownName(name string, offset int) {
	s.errorf("unknown-variable", offset, "unknown variable %q", name).WithHint("%s", s.c.nameHint(name))
}

func (c *Compiler) nameHint(name string) string {
	if s := diag.Suggest(name, c.Names.All()); s != "" {
		return fmt.Sprintf("did you mean %q?", s)
	}
	if s := diag.Suggest(name, c.functionNames()); s != "" {
		return fmt.Sprintf("did you mean the function %s()?", s)
	}
	return fmt.Sprintf("declare it under variables, or take it from a data source or an extractor; $${%s} is the text itself", name)
}

// newCounter gives a place where __counter is called its own counter.
func (n *Names) newCounter() int {
	n.counters++
	return n.counters - 1
}

// call compiles a JMeter call. display is the call as written, for messages.
func (s *source) call(name string, args []argument, display string, offset, at int) (piece, bool) {
	if isScript(name) {
		return s.script(name, args, display, offset, at)
	}
	fn := findJMeter(name)
	if fn == nil {
		if own := s.c.expressionFunction(name); own != nil {
			p, ok := s.compileProgram(display, at, false, false)
			return piece{op: opProgram, text: display, program: p}, ok
		}
		s.c.unknownFunction(s.list, name, locate(s.c.Sources, s.pos, s.root, at), s.path)
		return piece{}, false
	}
	if text := fn.checkCount(len(args)); text != "" {
		s.errorf("bad-arguments", at, "%s", text).WithHint("write %s", fn.usage())
		return piece{}, false
	}
	k := &call{fn: fn}
	if variable, index := fn.variableOf(args); index >= 0 {
		if variable != "" {
			if !isName(variable) {
				s.errorf("bad-arguments", offset+args[index].offset, "%q cannot be the name of a variable", variable).WithHint("write %s", fn.usage())
				return piece{}, false
			}
			k.sets = true
			k.slot, k.family = s.c.declareVariable(fn, variable)
		}
		args = append(args[:index:index], args[index+1:]...)
	}
	if name == "__counter" {
		k.counter = s.c.Names.newCounter()
	}
	if !s.arguments(k, args, offset) {
		return piece{}, false
	}
	return s.finishCall(k, display, at)
}

// arguments compiles the arguments of a call.
func (s *source) arguments(k *call, args []argument, offset int) bool {
	good, constant := true, true
	templates := make([]*Template, len(args))
	texts := make([]string, len(args))
	for i, arg := range args {
		t, ok := s.compile(unquote(arg.text), offset+arg.offset)
		good = good && ok
		text, fixed := t.Constant()
		texts[i], templates[i] = text, t
		constant = constant && fixed
	}
	if constant {
		k.constant = texts
	} else {
		k.templates = templates
	}
	return good
}

// finishCall checks constant arguments and folds what is known already.
func (s *source) finishCall(k *call, display string, at int) (piece, bool) {
	fn := k.fn
	bad := func(err error) (piece, bool) {
		s.errorf("bad-arguments", at, "%s: %s", fn.name, err).WithHint("write %s", fn.usage())
		return piece{}, false
	}
	if fn.value != nil && (fn.name == "__V" || fn.name == "__isVarDefined" || fn.name == "__isDefined") {
		s.c.Names.dynamic = s.c.Names.dynamic || k.templates != nil
	}
	switch {
	case fn.fold != nil && k.templates != nil:
		return bad(errors.New("the arguments must be known before the run"))
	case fn.fold != nil:
		text, err := fn.fold(s.c, k.constant)
		if err != nil {
			return bad(err)
		}
		if !k.sets {
			return piece{op: opLiteral, text: text}, true
		}
		k.fn, k.constant = &constantFunction, []string{text}
	case fn.prepare != nil && k.templates == nil:
		if err := fn.prepare(k, k.constant); err != nil {
			return bad(err)
		}
	}
	switch {
	case k.fn.number != nil:
		return piece{op: opNumber, text: display, call: k}, true
	case k.fn.text != nil:
		return piece{op: opText, text: display, call: k}, true
	}
	return piece{op: opValue, text: display, call: k}, true
}

// constantFunction yields what was known while compiling, where a variable receives it too.
var constantFunction = jmeter{text: func(dst []byte, _ *Context, _ *call, args []string) ([]byte, error) {
	return append(dst, args[0]...), nil
}}

// script compiles ${__jexl3(…)} and its like as the JavaScript subset.
func (s *source) script(name string, args []argument, display string, offset, at int) (piece, bool) {
	if len(args) == 0 || len(args) > 2 {
		s.errorf("bad-arguments", at, "%s takes an expression, and the name of a variable if it is to be set", name).
			WithHint("write ${%s(${n} < 5)}", name)
		return piece{}, false
	}
	k := &call{}
	if len(args) == 2 && args[1].text != "" {
		k.sets, k.slot = true, s.c.Names.Declare(args[1].text)
	}
	node, ok := s.compileScript(args[0].text, offset+args[0].offset)
	if !ok {
		return piece{}, false
	}
	k.fn = &jmeter{name: name, value: func(c *Context, _ *call, _ []string) (Value, error) { return node.eval(c) }}
	return piece{op: opValue, text: display, call: k}, true
}
