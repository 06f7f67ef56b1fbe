package extract

import (
	"math/rand/v2"

	"github.com/stacrun/stacrun/diag"
)

// Kind is the kind of an extractor.
type Kind uint8

// The kinds, in the order of config.ExtractKind.
const (
	JSONPath Kind = iota
	Regexp
	CSS
	XPath
	Boundary
	Header
)

// Text is a text that may differ per user; *template.Template is a Text[*template.Context].
type Text[C any] interface {
	Append(dst []byte, c C) ([]byte, error)
	Constant() (string, bool)
}

// Spec says what to extract.
type Spec[C any] struct {
	Kind        Kind
	Variable    string
	Query       Text[C]           // jsonpath, regexp, css, xpath, or the name of a header
	Left, Right Text[C]           // boundary
	Subject     string            // regexp, boundary: body (default), headers, http-code, url, …
	Template    string            // regexp: "1" or "$1$-$2$"; "" is "1"
	Attribute   string            // css; "" is the text
	MatchNo     *int              // nil: first match; 0: random; n: n-th; -1: all
	Default     *string           // nil: finding nothing is a failed extraction and gives "NOT_FOUND"
	Concat      bool              // the value is all matches, joined by commas
	Engine      string            // regexp: "", "re2", "backtracking"
	Tolerant    bool              // xpath: read the body as HTML
	Namespaces  map[string]string // xpath: prefix to URI
	Pos         diag.Pos          // of the extractor
	QueryPos    diag.Pos          // of the query's text; zero: Pos
	Path        string
}

// NotFound is the value of a variable whose extractor found nothing and has no default.
const NotFound = "NOT_FOUND"

// Result is what one extraction found. It is reused.
type Result struct {
	Found   bool     // something matched, or the extractor has a default
	Matched bool     // something matched
	Value   string   // the match that was chosen, the default, or [NotFound]
	Count   int      // number of matches; name_matchNr
	Values  []string // all matches, when they are kept; nil otherwise
	Groups  []string // regexp: groups of the chosen match, the whole match first
	Each    [][]string
	Reason  string // why nothing was found, when it is more than "no match": "body is not JSON: …"
}

// Extractor is a compiled extractor. It is immutable but for KeepMatches, and shared by all users.
type Extractor[C any] struct{ spec Spec[C] }

// Compile checks and compiles a spec. The extractor is never nil.
func Compile[C any](spec Spec[C]) (*Extractor[C], diag.List) { return &Extractor[C]{spec: spec}, nil }

// Variable is the name that the value is for.
func (x *Extractor[C]) Variable() string { return x.spec.Variable }

// KeepMatches tells that something reads name_1, name_2 … or walks over them; without it only the
// chosen match is copied, unless the spec asks for all. Call it while the plan is compiled.
func (x *Extractor[C]) KeepMatches(keep bool) {}

// NeedsBody reports whether the response's body must be kept.
func (x *Extractor[C]) NeedsBody() bool { return true }

// NeedsHead reports whether the response's headers must be kept.
func (x *Extractor[C]) NeedsHead() bool { return false }

// NeedsRequest reports whether Response.RequestHead must be filled.
func (x *Extractor[C]) NeedsRequest() bool { return false }

// Extract fills res. The error is one of rendering the query, or of running a pattern past its time
// limit; finding nothing is not an error but a Result. rng picks a random match.
func (x *Extractor[C]) Extract(r *Response, c C, rng *rand.Rand, res *Result) error { return nil }
