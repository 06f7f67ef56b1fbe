package criteria

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/vm"

	"github.com/stacrun/stacrun/diag"
)

// maxAssert bounds the length of an assert rule in bytes: expr's parser has no limit of its own on
// how deep brackets may nest.
const maxAssert = 8 << 10

// doubtful is the bare number from which milliseconds were meant rather than seconds, as in other tools.
const doubtful = 10

const assertHint = `write a comparison of figures, such as p95("search") <= 250ms && fail_ratio() < 1%`

// assertion is a compiled assert rule: an expression over the totals that must hold.
type assertion struct {
	program *vm.Program
	scope   scope
	simple  *comparison // the rule is one comparison of one call with a constant
	base    Baseline
	labels  Labels
	run     evaluation
}

// comparison is `call operator constant`.
type comparison struct {
	operator string
	limit    float64
	unit     unit
}

// compileAssert compiles the rule's expression. Positions of mistakes are those in the document
// when the rule is written on one line.
func compileAssert(r *rule, labels Labels, base Baseline, diags *diag.List) {
	c := r.criterion
	problem := func(offset, length int, code, format string, args ...any) *diag.Diagnostic {
		pos := c.Pos
		if c.LabelPos.Known() && !strings.Contains(c.Assert, "\n") {
			pos = c.LabelPos
			pos.Column += offset
		}
		d := diags.Errorf(code, pos, c.Path, format, args...).WithHint("%s", assertHint)
		d.Length = length
		return d
	}
	if len(c.Assert) > maxAssert {
		problem(0, 0, "assert", "the assert rule has %d bytes, more than %d", len(c.Assert), maxAssert).WithHint("split it into several rules")
		return
	}
	text, err := rewriteAssert(c.Assert)
	var literal *literalError
	if errors.As(err, &literal) {
		problem(literal.offset, utf8.RuneCountInString(literal.text), "assert", "%v", literal).
			WithHint("units are ms, s, m, h, d for times, b, k, m, g for sizes, and %% for shares")
		return
	}
	a := &assertion{scope: r.scope, base: base, labels: labels}
	uses := &callVisitor{}
	program, err := expr.Compile(text.text, a.options(text.text, uses)...)
	if err != nil {
		a.explain(err, text, problem)
		return
	}
	failed := false
	for _, use := range uses.calls {
		offset, length := text.original(use.location.From), 0
		message, hint, code := a.check(use, &offset, text)
		if message == "" {
			continue
		}
		failed = true
		problem(offset, length, code, "%s", message).WithHint("%s", hint)
	}
	if failed {
		return
	}
	if len(uses.calls) == 0 {
		problem(0, 0, "assert", "the rule %q looks at no figure of the run", diag.Shorten(c.Assert, 60))
		return
	}
	a.program = program
	a.simple = simpleComparison(program.Node())
	r.assert = a
	r.limit = c.Assert
	if s := a.simple; s != nil {
		r.limit = s.operator + " " + s.unit.exact(s.limit)
		if s.unit == unitSeconds && s.limit >= doubtful && len(text.spans) == 0 {
			d := problem(0, 0, "assert", "a bare number is seconds, so the limit is %s", s.unit.exact(s.limit)).
				WithHint("write the unit: %sms or %ss", number(s.limit, 15), number(s.limit, 15))
			d.Severity = diag.Warning
		}
	}
}

// options declare the functions; everything else that expr offers is out, but for some arithmetic.
func (a *assertion) options(text string, uses *callVisitor) []expr.Option {
	options := []expr.Option{
		expr.Env(struct{}{}), expr.AsBool(), expr.Patch(uses), expr.DisableAllBuiltins(),
	}
	for _, name := range []string{"abs", "min", "max", "round", "floor", "ceil"} {
		options = append(options, expr.EnableBuiltin(name))
	}
	declared := map[string]bool{}
	declare := func(name string) {
		f, ok := lookup(name)
		if !ok || declared[name] {
			return
		}
		declared[name] = true
		options = append(options, expr.Function(name, func(args ...any) (any, error) { return a.call(f, args) }, f.types()...))
	}
	for _, f := range functions() {
		declare(f.name)
		declare("baseline_" + f.name)
	}
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		declare(word)
	}
	return options
}

// explain turns an error of expr into a diagnostic in our words.
func (a *assertion) explain(err error, text rewritten, problem func(int, int, string, string, ...any) *diag.Diagnostic) {
	var located *file.Error
	if !errors.As(err, &located) {
		d := problem(0, 0, "assert", "%v", err)
		if strings.HasPrefix(err.Error(), "expected bool") {
			d.Message = "the rule is a number, not a comparison"
		}
		return
	}
	message, _, _ := strings.Cut(located.Message, "\n")
	offset := text.original(located.From)
	if name, ok := strings.CutPrefix(message, "unknown name "); ok {
		hint := diag.DidYouMean(name, functionNames())
		if hint == "" {
			hint = "figures are " + strings.Join(functionNames(), ", ")
		}
		problem(offset, utf8.RuneCountInString(name), "unknown-function", "unknown figure %q", name).WithHint("%s", hint)
		return
	}
	d := problem(offset, 0, "assert", "%s", message)
	if strings.Contains(message, `Operator("=")`) {
		d.Message = `unexpected "="`
		d.WithHint(`write "=="`)
	}
}

// callUse is a call in the source of a rule.
type callUse struct {
	name      string
	arguments []ast.Node
	location  file.Location
}

// callVisitor collects the calls of an expression.
type callVisitor struct{ calls []callUse }

// Visit implements [ast.Visitor].
func (v *callVisitor) Visit(node *ast.Node) {
	c, ok := (*node).(*ast.CallNode)
	if !ok {
		return
	}
	if name, ok := c.Callee.(*ast.IdentifierNode); ok {
		use := callUse{name: name.Value, arguments: c.Arguments, location: name.Location()}
		if !slices.ContainsFunc(v.calls, func(o callUse) bool { return o.location == use.location && o.name == use.name }) {
			v.calls = append(v.calls, use)
		}
	}
}

// check looks at the arguments of a call, which must be constants so that a mistake shows before the run.
func (a *assertion) check(use callUse, offset *int, text rewritten) (message, hint, code string) {
	f, ok := lookup(use.name)
	if !ok {
		return "", "", ""
	}
	args := use.arguments
	at := func(arg ast.Node) {
		if from := arg.Location().From; from > 0 { // a number that expr converted has lost its place
			*offset = text.original(from)
		}
	}
	values := make([]any, len(args))
	for i, arg := range args {
		switch n := arg.(type) {
		case *ast.StringNode:
			values[i] = n.Value
		case *ast.IntegerNode:
			values[i] = n.Value
		case *ast.FloatNode:
			values[i] = n.Value
		default:
			at(arg)
			return "the arguments of " + f.name + " must be plain texts or numbers", "write the label in quotes, such as " + f.name + `("search")`, "assert"
		}
	}
	c := f.bind(values, a.scope)
	if f.leading == leadingLevel && (c.subject.level < 0 || c.subject.level > 100) {
		at(args[0])
		return fmt.Sprintf("there is no percentile %v", c.subject.level), "a percentile lies between 0 and 100", "assert"
	}
	if f.leading == leadingCode {
		if why := c.subject.codes.impossible(); why != "" {
			at(args[0])
			return fmt.Sprintf("no sample can have the code %q: %s", c.subject.codes, why), "write a status such as 404, or a pattern such as 5??", "unknown-code"
		}
	}
	if c.scope.label != "" {
		kind, known := a.labels.find(a.scope.execution, c.scope.label)
		if !known {
			at(args[len(args)-1])
			return unknownLabel(c.scope.label, a.scope.execution), a.labels.hint(a.scope.execution, c.scope.label), "unknown-label"
		}
		c.scope.kind = kind
	}
	if f.baseline {
		if a.base == nil {
			return "no baseline given", "use --baseline", "no-baseline"
		}
		if _, ok := a.base.Value(c.subjectName(), c.function.ratio, c.scope.execution, c.scope.label); !ok {
			return fmt.Sprintf("the baseline has no value for %s", c), "save a new baseline, or leave the rule out", "no-baseline"
		}
	}
	return "", "", ""
}

// simpleComparison recognises `call operator constant`, whose limit can stand beside the value.
func simpleComparison(node ast.Node) *comparison {
	binary, ok := node.(*ast.BinaryNode)
	if !ok || !slices.Contains([]string{"<", "<=", ">", ">=", "==", "!="}, binary.Operator) {
		return nil
	}
	left, ok := binary.Left.(*ast.CallNode)
	if !ok {
		return nil
	}
	name, ok := left.Callee.(*ast.IdentifierNode)
	if !ok {
		return nil
	}
	f, ok := lookup(name.Value)
	if !ok {
		return nil
	}
	limit, ok := constant(binary.Right)
	if !ok {
		return nil
	}
	return &comparison{operator: binary.Operator, limit: limit, unit: f.unit()}
}

func constant(node ast.Node) (float64, bool) {
	switch n := node.(type) {
	case *ast.IntegerNode:
		return float64(n.Value), true
	case *ast.FloatNode:
		return n.Value, true
	case *ast.ConstantNode:
		return toFloat(n.Value)
	}
	return 0, false
}
