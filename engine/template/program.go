package template

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/types"
	"github.com/expr-lang/expr/vm"
)

// Limits of an expression. The parser of expr recurses without a limit of its own, and nothing can
// stop a running program, so that closures inside closures are bounded while compiling.
const (
	maxExpression = 8 << 10 // bytes
	maxNodes      = 2000
	maxClosures   = 2       // one inside the other
	memoryBudget  = 1 << 20 // elements that one run may make
)

// Names that an expression cannot write, by which it reaches the context and our functions.
const (
	contextName    = "\x00context"
	functionPrefix = "\x00call:"
)

// program is a compiled expression. It is immutable; the machine that runs it belongs to a user.
type program struct {
	source  string
	code    *vm.Program
	reads   []read
	answers answers
}

// read is a variable that a program reads.
type read struct {
	name string
	ref  reference
}

// answers are the parts of a response that a program reads.
type answers struct{ status, body, headers, json bool }

// run computes the value for one user. What is unset is nil for the program.
func (p *program) run(c *Context) (Value, error) {
	if c.machine == nil {
		c.machine = &vm.VM{MemoryBudget: memoryBudget}
		c.env = map[string]any{contextName: c}
	}
	for _, r := range p.reads {
		v := c.Vars.at(r.ref)
		if matches, ok := v.ref.(*Matches); ok {
			v = Of(listOf(matches.Values))
		}
		c.env[r.name] = v.Any()
	}
	if err := p.answer(c); err != nil {
		return Value{}, err
	}
	result, err := c.machine.Run(p.code, c.env)
	if err != nil {
		return Value{}, plainError(err)
	}
	return Of(result), nil
}

func listOf(texts []string) []any {
	list := make([]any, len(texts))
	for i, s := range texts {
		list[i] = s
	}
	return list
}

// answer puts the response where the program finds it.
func (p *program) answer(c *Context) error {
	if p.answers == (answers{}) {
		return nil
	}
	if c.Response == nil {
		return errors.New("there is no response to look at")
	}
	if p.answers.status {
		c.env["status"] = c.Response.StatusCode()
	}
	if p.answers.body {
		c.env["body"] = c.Response.BodyText()
	}
	if p.answers.headers {
		c.env["headers"] = c.Response.HeaderValues()
	}
	if p.answers.json {
		tree, err := c.Response.JSON()
		if err != nil {
			return err
		}
		c.env["json"] = tree
	}
	return nil
}

// plainError takes the message out of an error of expr, without its snippet.
func plainError(err error) error {
	var located *file.Error
	if errors.As(err, &located) {
		return errors.New(strings.TrimPrefix(located.Message, "compilation failed: "))
	}
	return err
}

// compileProgram compiles an expression. With inResponse the names status, body, headers and json
// stand for the response; with decides the result must be true or false.
func (s *source) compileProgram(text string, offset int, inResponse, decides bool) (*program, bool) {
	trimmed := strings.TrimSpace(text)
	offset += strings.Index(text, trimmed)
	if len(trimmed) > maxExpression {
		s.errorf("bad-expression", offset, "the expression has %d bytes; at most %d are allowed", len(trimmed), maxExpression).
			WithHint("compute parts of it with set-variables before, and use their names here")
		return nil, false
	}
	p := &patcher{s: s, text: trimmed, offset: offset, inResponse: inResponse, depths: map[ast.Node]int{}, program: &program{source: trimmed}}
	options := []expr.Option{
		expr.Env(p.environment(trimmed)), expr.MaxNodes(maxNodes), expr.Patch(p),
		expr.DisableBuiltin("now"), expr.DisableBuiltin("string"), expr.DisableBuiltin("fromJSON"), expr.DisableBuiltin("toJSON"),
	}
	options = append(options, p.functions(trimmed)...)
	if decides {
		options = append(options, expr.AsBool())
	}
	code, err := compileSafely(trimmed, options)
	if len(p.mistakes) > 0 {
		m := p.mistakes[0]
		s.errorf(m.code, offset+m.offset, "%s", m.message).WithHint("%s", m.hint)
		return nil, false
	}
	if err != nil {
		s.reportCompileError(err, trimmed, offset)
		return nil, false
	}
	p.program.code = code
	return p.program, true
}

// compileSafely turns a panic inside the expression compiler into an error.
func compileSafely(text string, options []expr.Option) (code *vm.Program, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &file.Error{Message: fmt.Sprintf("the expression cannot be compiled: %v", r)}
		}
	}()
	return expr.Compile(text, options...)
}

// reportCompileError turns an error of expr into a diagnostic at the place in the document.
func (s *source) reportCompileError(err error, text string, offset int) {
	var located *file.Error
	if !errors.As(err, &located) {
		s.errorf("bad-expression", offset, "%q is neither true nor false: %s", shorten(text, 60), err).
			WithHint("compare it with something, such as %s > 0", shorten(text, 20))
		return
	}
	at := offset + byteOffset(text, located.From)
	if name, ok := strings.CutPrefix(located.Message, "unknown name "); ok {
		s.unknownName(name, at)
		return
	}
	message := strings.TrimPrefix(located.Message, "compilation failed: ")
	s.errorf("bad-expression", at, "in the expression %q: %s", shorten(text, 60), lowerFirst(message)).
		WithHint(`strings stand in quotes, hyphenated variables are read as vars["a-b"], and a number in a string needs int() or float()`)
}

func byteOffset(text string, runes int) int {
	for i := range text {
		if runes == 0 {
			return i
		}
		runes--
	}
	return len(text)
}

func lowerFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

// shorten cuts a text for a message.
func shorten(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "…"
}

// environment gives the types of the variables that a text may mean. Only names that occur in it
// are looked up, so that the cost does not grow with the number of variables of a plan.
func (p *patcher) environment(text string) types.Map {
	env := types.Map{contextName: types.Any, "vars": types.Any}
	names, called := words(text)
	for _, word := range names {
		// A variable may have the name of a function, such as count; where it is called, the function is meant.
		if _, ok := p.s.c.Names.resolve(word); ok && !slices.Contains(called, word) {
			env[word] = types.Any
		}
	}
	if p.inResponse {
		env["status"] = types.Int
		env["body"] = types.String
		env["headers"] = types.TypeOf(map[string]any{})
		env["json"] = types.Any
	}
	return env
}

// words returns what may be the name of a variable in an expression, and what is called like a
// function. Short strings count as names, since vars["a-b"] reads a variable too.
func words(text string) (names, called []string) {
	for i := 0; i < len(text); {
		b := text[i]
		switch {
		case b == '"' || b == '\'' || b == '`':
			end := quoteEnd(text, i)
			if end < 0 {
				return names, called
			}
			if inner := text[i+1 : end]; isName(inner) {
				names = append(names, inner)
			}
			i = end + 1
		case isWord(b) || b >= 0x80 || b == '$':
			end := i
			for end < len(text) && (isWord(text[end]) || text[end] >= 0x80 || text[end] == '$') {
				end++
			}
			if next := skipSpace(text, end); next < len(text) && text[next] == '(' {
				called = append(called, text[i:end])
			} else {
				names = append(names, text[i:end])
			}
			i = end
		default:
			i++
		}
	}
	return names, called
}
