package template

import (
	"fmt"
	"slices"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"

	"github.com/stacrun/stacrun/diag"
)

// patcher walks the tree of an expression before it is compiled: it notes which variables are
// read, hands the user's context to our functions, turns vars["a-b"] into a plain variable, and
// refuses what could run for ever.
type patcher struct {
	s          *source
	text       string
	offset     int
	inResponse bool
	depths     map[ast.Node]int // closures below a node
	program    *program
	mistakes   []mistake
}

type mistake struct {
	code, message, hint string
	offset              int // in the expression, in bytes
}

func (p *patcher) mistake(node ast.Node, code, hint, format string, args ...any) {
	p.mistakes = append(p.mistakes, mistake{code, fmt.Sprintf(format, args...), hint, byteOffset(p.text, node.Location().From)})
}

// Visit looks at one node, after its children.
func (p *patcher) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IdentifierNode:
		p.identifier(n)
	case *ast.MemberNode:
		p.member(node, n)
	case *ast.CallNode:
		p.call(node, n)
	case *ast.PredicateNode:
		p.closure(n)
	}
}

func (p *patcher) identifier(n *ast.IdentifierNode) {
	if n.Value == "$env" {
		p.mistake(n, "bad-expression", "read variables by name, or as vars[name]", "%q cannot be used here", "$env")
		return
	}
	if p.inResponse {
		switch n.Value {
		case "status":
			p.program.answers.status = true
			return
		case "body":
			p.program.answers.body = true
			return
		case "headers":
			p.program.answers.headers = true
			return
		case "json":
			p.program.answers.json = true
			return
		}
	}
	p.reads(n.Value)
}

// reads notes that the program reads a variable, if there is one of that name.
func (p *patcher) reads(name string) bool {
	ref, ok := p.s.c.Names.resolve(name)
	if !ok {
		return false
	}
	if ref.member.kind != notMember {
		p.s.c.Names.Use(ref.family)
	}
	if !slices.ContainsFunc(p.program.reads, func(r read) bool { return r.name == name }) {
		p.program.reads = append(p.program.reads, read{name, ref})
	}
	return true
}

// member turns vars["a-b"] and vars.a into variables, and vars[expression] into a look-up.
func (p *patcher) member(node *ast.Node, n *ast.MemberNode) {
	owner, ok := n.Node.(*ast.IdentifierNode)
	if !ok || owner.Value != "vars" {
		return
	}
	name, ok := n.Property.(*ast.StringNode)
	if !ok {
		p.s.c.Names.dynamic = true
		ast.Patch(node, &ast.CallNode{
			Callee:    &ast.IdentifierNode{Value: functionPrefix + lookupFunction.Name},
			Arguments: []ast.Node{&ast.IdentifierNode{Value: contextName}, n.Property},
		})
		return
	}
	if !p.reads(name.Value) {
		p.mistake(n.Property, "unknown-variable", p.s.c.nameHint(name.Value), "unknown variable %q", name.Value)
		return
	}
	ast.Patch(node, &ast.IdentifierNode{Value: name.Value})
}

// call hands the context to our own functions.
func (p *patcher) call(node *ast.Node, n *ast.CallNode) {
	callee, ok := n.Callee.(*ast.IdentifierNode)
	if !ok {
		return
	}
	name := callee.Value
	if fn := p.s.c.expressionFunction(name); fn != nil {
		if text := fn.checkCount(len(n.Arguments)); text != "" {
			p.mistake(n, "bad-arguments", "write "+fn.usage(), "%s", text)
			return
		}
		p.patchCall(node, n, name)
		return
	}
	if fn := findJMeter(name); fn != nil {
		p.jmeterCall(node, n, fn)
		return
	}
	if isScript(name) {
		p.mistake(n, "bad-expression", "write the expression itself", "%q cannot be used inside an expression", name)
		return
	}
	if _, isVariable := p.s.c.Names.resolve(name); !isVariable {
		var list diag.List
		p.s.c.unknownFunction(&list, name, diag.Pos{}, "")
		p.mistake(n, list[0].Code, list[0].Hint, "%s", list[0].Message)
	}
}

func (p *patcher) patchCall(node *ast.Node, n *ast.CallNode, name string) {
	ast.Patch(node, &ast.CallNode{
		Callee:    &ast.IdentifierNode{Value: functionPrefix + name},
		Arguments: append([]ast.Node{&ast.IdentifierNode{Value: contextName}}, n.Arguments...),
	})
}

// jmeterCall compiles __Name(a, b) inside an expression, where arguments are expressions.
func (p *patcher) jmeterCall(node *ast.Node, n *ast.CallNode, fn *jmeter) {
	if text := fn.checkCount(len(n.Arguments)); text != "" {
		p.mistake(n, "bad-arguments", "write "+fn.usage(), "%s", text)
		return
	}
	args := n.Arguments
	if fn.prefix || fn.variable > 0 && len(args) > fn.variable && !isEmptyText(args[fn.variable]) {
		p.mistake(n, "bad-arguments", "write ${"+fn.name+"(…)} alone where the variable is to be set", "%s cannot set a variable inside an expression", fn.name)
		return
	}
	if fn.variable > 0 && len(args) > fn.variable {
		args = slices.Delete(slices.Clone(args), fn.variable, fn.variable+1)
	}
	if fn.fold != nil {
		p.fold(node, n, fn, args)
		return
	}
	if fn.name == "__V" || fn.name == "__isVarDefined" || fn.name == "__isDefined" {
		p.s.c.Names.dynamic = true
	}
	place := 0
	if fn.name == "__counter" {
		place = p.s.c.Names.newCounter()
	}
	ast.Patch(node, &ast.CallNode{
		Callee:    &ast.IdentifierNode{Value: functionPrefix + fn.name},
		Arguments: append([]ast.Node{&ast.IdentifierNode{Value: contextName}, &ast.IntegerNode{Value: place}}, args...),
	})
}

func isEmptyText(n ast.Node) bool {
	s, ok := n.(*ast.StringNode)
	return ok && s.Value == ""
}

// fold replaces a function whose value is known by that value.
func (p *patcher) fold(node *ast.Node, n *ast.CallNode, fn *jmeter, args []ast.Node) {
	texts := make([]string, len(args))
	for i, arg := range args {
		text, ok := arg.(*ast.StringNode)
		if !ok {
			p.mistake(arg, "bad-arguments", "write a string in quotes", "the arguments of %s must be known before the run", fn.name)
			return
		}
		texts[i] = text.Value
	}
	value, err := fn.fold(p.s.c, texts)
	if err != nil {
		p.mistake(n, "bad-arguments", "write "+fn.usage(), "%s: %s", fn.name, err)
		return
	}
	ast.Patch(node, &ast.StringNode{Value: value})
}

// closure counts how deep closures are nested.
func (p *patcher) closure(n *ast.PredicateNode) {
	inner := &deepest{depths: p.depths}
	ast.Walk(&n.Node, inner)
	p.depths[n] = inner.depth + 1
	if p.depths[n] == maxClosures+1 {
		p.mistake(n, "bad-expression", "extract what is needed first", "closures are nested more than %d deep", maxClosures)
	}
}

// deepest finds the greatest depth of the closures in a tree.
type deepest struct {
	depths map[ast.Node]int
	depth  int
}

// Visit looks at one node.
func (d *deepest) Visit(node *ast.Node) { d.depth = max(d.depth, d.depths[*node]) }

// functions returns the functions that a text may call, under names that it cannot write.
func (p *patcher) functions(text string) []expr.Option {
	var options []expr.Option
	seen := map[string]bool{}
	names, called := words(text)
	if slices.Contains(names, "vars") {
		called = append(called, lookupFunction.Name)
	}
	for _, word := range called {
		if seen[word] {
			continue
		}
		seen[word] = true
		if fn := p.s.c.expressionFunction(word); fn != nil {
			options = append(options, expr.Function(functionPrefix+word, func(params ...any) (any, error) {
				return fn.Call(params[0].(*Context), params[1:])
			}))
		} else if fn := findJMeter(word); fn != nil && fn.fold == nil {
			options = append(options, expr.Function(functionPrefix+word, func(params ...any) (any, error) {
				return fn.invoke(params[0].(*Context), &call{fn: fn, counter: params[1].(int)}, params[2:])
			}))
		}
	}
	return options
}
