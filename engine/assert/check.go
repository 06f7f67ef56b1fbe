package assert

import (
	"fmt"

	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/engine/extract"
)

// Kind is the kind of a check.
type Kind uint8

// The kinds, in the order of config.AssertKind.
const (
	Contains Kind = iota
	JSONPath
	XPath
	CSS
	Expr
)

// Predicate decides over a response; *template.Condition is a Predicate[*template.Context].
type Predicate[C any] interface {
	Eval(c C) (bool, error)
	NeedsBody() bool
	NeedsHead() bool
	Source() string
}

// Spec says what a response must be like.
type Spec[C any] struct {
	Kind          Kind
	Subject       string            // contains: body (default), headers, http-code
	Patterns      []extract.Text[C] // contains: all must match; with Not none may
	PatternPos    []diag.Pos        // of Patterns; may be shorter
	Regexp        bool              // contains: patterns are regular expressions, searched; jsonpath: Expected is one, matching as a whole
	Engine        string            // "", "re2", "backtracking"
	Not           bool
	AssumeSuccess bool
	Query         extract.Text[C]   // jsonpath, xpath, css
	Expected      extract.Text[C]   // jsonpath, css: nil when none was written
	ExpectNull    bool              // jsonpath: the value must be null
	Tolerant      bool              // xpath: read the body as HTML
	Namespaces    map[string]string // xpath: prefix to URI
	Condition     Predicate[C]      // expr; the response must be in the context by the time of Test
	Pos           diag.Pos
	QueryPos      diag.Pos // of the query's text; zero: Pos
	Path          string
}

// Check is a compiled check. It is immutable and shared by all users.
type Check[C any] struct {
	spec    Spec[C]
	subject extract.Subject
	tests   []test[C] // contains: one per pattern; else exactly one
}

// test is one thing that must hold.
type test[C any] interface {
	// run reports whether it holds and, if not, says what was expected and what was seen.
	run(r *extract.Response, c C) (ok bool, text string)
}

// Compile checks and compiles a spec. The check is never nil; with errors in the list it must not
// be run.
func Compile[C any](spec Spec[C]) (*Check[C], diag.List) {
	k := &Check[C]{spec: spec}
	b := &builder[C]{spec: &k.spec}
	switch spec.Kind {
	case Contains:
		k.subject = b.subject()
		k.tests = b.contains(k.subject)
	case Expr:
		if spec.Condition == nil {
			b.errorf("bad-value", spec.Pos, "the condition is missing")
		}
		k.tests = []test[C]{exprTest[C]{spec.Condition, spec.Not}}
	case JSONPath:
		k.tests = b.jsonpath()
	case XPath:
		k.tests = b.xpath()
	default:
		k.tests = b.css()
	}
	return k, b.list
}

// builder compiles the parts of a check.
type builder[C any] struct {
	spec *Spec[C]
	list diag.List
}

func (b *builder[C]) errorf(code string, pos diag.Pos, format string, args ...any) *diag.Diagnostic {
	if !pos.Known() {
		pos = b.spec.Pos
	}
	return b.list.Errorf(code, pos, b.spec.Path, format, args...)
}

func (b *builder[C]) subject() extract.Subject {
	subject, ok := extract.ParseSubject(b.spec.Subject)
	if !ok {
		b.errorf("bad-value", b.spec.Pos, "unknown subject %q", b.spec.Subject).WithHint("write body, headers or http-code")
	}
	return subject
}

// NeedsBody reports whether the response's body must be kept.
func (k *Check[C]) NeedsBody() bool {
	switch k.spec.Kind {
	case Contains:
		return k.subject.NeedsBody()
	case Expr:
		return k.spec.Condition != nil && k.spec.Condition.NeedsBody()
	}
	return true
}

// NeedsHead reports whether the response's head must be kept.
func (k *Check[C]) NeedsHead() bool {
	switch k.spec.Kind {
	case Contains:
		return k.subject.NeedsHead()
	case Expr:
		return k.spec.Condition != nil && k.spec.Condition.NeedsHead()
	}
	return false
}

// AssumeSuccess reports that the status alone does not fail the sample.
func (k *Check[C]) AssumeSuccess() bool { return k.spec.AssumeSuccess }

// Test reports whether the check holds, and if not a sentence of at most [MaxText] bytes that says
// what was expected and what was seen. A check that cannot be made, since its own text cannot be
// written or the body is not of the expected kind, does not hold, whatever Not says.
func (k *Check[C]) Test(r *extract.Response, c C) (ok bool, text string) {
	for _, t := range k.tests {
		if ok, text := t.run(r, c); !ok {
			return false, bound(text)
		}
	}
	return true, ""
}

// exprTest is a condition.
type exprTest[C any] struct {
	condition Predicate[C]
	not       bool
}

func (t exprTest[C]) run(r *extract.Response, c C) (bool, string) {
	ok, err := t.condition.Eval(c)
	switch {
	case err != nil:
		return false, fmt.Sprintf("%s: %s", quote(t.condition.Source(), maxExpected), err)
	case ok != t.not:
		return true, ""
	case t.not:
		return false, fmt.Sprintf("%s is true (status %d)", quote(t.condition.Source(), maxExpected), r.Status)
	}
	return false, fmt.Sprintf("%s is not true (status %d)", quote(t.condition.Source(), maxExpected), r.Status)
}
