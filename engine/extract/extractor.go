package extract

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/stacrun/stacrun/diag"
)

// Kind is the kind of an extractor.
type Kind uint8

// The kinds, in the order of config.ExtractKind.
const (
	KindJSONPath Kind = iota
	KindRegexp
	KindCSS
	KindXPath
	KindBoundary
	KindHeader
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
	Left, Right Text[C]           // boundary; nil is ""
	Subject     string            // regexp, boundary: one of [Subjects]; "" is the body
	Template    string            // regexp: "1" or "$1$-$2$"; "" is the first group, or the whole match without groups
	Attribute   string            // css; "" is the text
	MatchNo     *int              // nil: first match; 0: random; n: n-th; -1: all
	Default     *string           // nil: finding nothing is a failed extraction and gives "NOT_FOUND"
	Concat      bool              // all matches are kept, for name_ALL
	Engine      string            // regexp: "", "re2", "backtracking"
	Tolerant    bool              // xpath: read the body as HTML
	Namespaces  map[string]string // xpath: prefix to URI
	Pos         diag.Pos          // of the extractor
	QueryPos    diag.Pos          // of the query's text; zero: Pos
	Path        string
}

// NotFound is the value of a variable whose extractor found nothing and has no default.
const NotFound = "NOT_FOUND"

// Result is what one extraction found. It is reused; its strings are not.
type Result struct {
	Found   bool       // something matched, or the extractor has a default
	Matched bool       // something matched
	Value   string     // the match that was chosen, the default, or [NotFound]
	JSON    bool       // Value is the text of a JSON value that is no string: a number, true, false, an object, a list, "" for null
	Count   int        // number of matches that were looked for: all of them where they are kept
	Values  []string   // all matches, when they are kept; nil otherwise
	Typed   []bool     // JSON of each of Values; nil or shorter: false
	Groups  []string   // regexp: groups of the chosen match, the whole match first
	Each    [][]string // regexp: groups of all matches, when they are kept
	Reason  string     // why nothing was found, when it is more than "no match": "the body is not JSON: …"

	hits hits // empty, with room for what is found next
}

// Extractor is a compiled extractor. It is immutable but for KeepMatches, and shared by all users.
type Extractor[C any] struct {
	spec    Spec[C]
	subject Subject
	finder  finder // nil: the query differs per user
	cache   Cache[finder]
	keep    bool
}

// Compile checks and compiles a spec. The extractor is never nil.
func Compile[C any](spec Spec[C]) (*Extractor[C], diag.List) {
	var list diag.List
	x := &Extractor[C]{spec: spec}
	x.keep = spec.Concat || spec.MatchNo != nil && *spec.MatchNo < 0
	subject, ok := ParseSubject(spec.Subject)
	if !ok {
		list.Errorf("bad-value", spec.Pos, spec.Path, "unknown subject %q", spec.Subject).WithHint("%s", subjectHint(spec.Subject))
	}
	x.subject = subject
	queryPos := spec.QueryPos
	if !queryPos.Known() {
		queryPos = spec.Pos
	}
	if spec.MatchNo != nil && *spec.MatchNo < -1 {
		list.Errorf("bad-value", spec.Pos, spec.Path, "match-no %d is not allowed", *spec.MatchNo).
			WithHint("write 1 for the first match, n for the n-th, 0 for a random one, -1 for all")
	}
	left, right, constant := x.constants()
	if !constant {
		return x, list
	}
	f, err := x.compile(left, right)
	if err != nil {
		list.Errorf(x.code(), queryPos, spec.Path, "%s %q: %s", x.noun(), shorten(left, 80), err).WithHint("%s", hintOf(spec.Kind))
		return x, list
	}
	x.finder = f
	return x, list
}

func subjectHint(name string) string {
	if s := diag.DidYouMean(name, Subjects); s != "" {
		return s
	}
	return "write one of " + strings.Join(Subjects[:8], ", ")
}

// constants returns the query's texts when they are the same for everyone.
func (x *Extractor[C]) constants() (left, right string, ok bool) {
	if x.spec.Kind != KindBoundary {
		if x.spec.Query == nil {
			return "", "", true
		}
		left, ok = x.spec.Query.Constant()
		return left, "", ok
	}
	ok = true
	for _, side := range []struct {
		text Text[C]
		to   *string
	}{{x.spec.Left, &left}, {x.spec.Right, &right}} {
		if side.text != nil {
			text, constant := side.text.Constant()
			*side.to, ok = text, ok && constant
		}
	}
	return left, right, ok
}

// compile makes a finder out of the query's text, or of the two texts of a boundary.
func (x *Extractor[C]) compile(text, right string) (finder, error) {
	switch x.spec.Kind {
	case KindRegexp:
		pattern, err := CompilePattern(text, x.spec.Engine)
		if err != nil {
			return nil, err
		}
		groups, err := parseGroups(x.spec.Template, pattern.groups)
		return patternFinder{pattern, groups, x.subject}, err
	case KindCSS:
		return asFinder(CompileCSS(text, x.spec.Attribute))
	case KindXPath:
		return asFinder(CompileXPath(text, x.spec.Tolerant, x.spec.Namespaces))
	case KindBoundary:
		return boundaryFinder{text, right, x.subject}, nil
	case KindHeader:
		if strings.TrimSpace(text) == "" {
			return nil, fmt.Errorf("the name is empty")
		}
		return headerFinder{strings.TrimSpace(text)}, nil
	}
	return asFinder(CompileJSONPath(text))
}

func asFinder[F finder](f F, err error) (finder, error) {
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (x *Extractor[C]) noun() string {
	return [...]string{"the JSONPath", "the pattern", "the CSS selector", "the XPath", "the boundary", "the header"}[x.spec.Kind]
}

func (x *Extractor[C]) code() string {
	return [...]string{"bad-jsonpath", "bad-regexp", "bad-css", "bad-xpath", "bad-value", "bad-value"}[x.spec.Kind]
}

// hintOf says how a query of a kind is written.
func hintOf(kind Kind) string {
	return [...]string{
		"a path looks like $.features[0].id or $.links[?@.rel=='next'].href (RFC 9535)",
		"patterns are RE2; look-around and back-references need engine: backtracking",
		"a selector looks like a.next or input[name=token]",
		"a query looks like //link[@rel='next']/@href (XPath 1.0)",
		"write the text to the left and to the right of the value",
		"write the name of a response header, such as Location",
	}[kind]
}

// Variable is the name that the value is for.
func (x *Extractor[C]) Variable() string { return x.spec.Variable }

// KeepMatches tells that something reads name_1, name_2 … or walks over them; without it only the
// chosen match is copied, unless the spec asks for all. Call it while the plan is compiled.
func (x *Extractor[C]) KeepMatches(keep bool) { x.keep = x.keep || keep }

// NeedsBody reports whether the response's body must be kept.
func (x *Extractor[C]) NeedsBody() bool {
	switch x.spec.Kind {
	case KindHeader:
		return false
	case KindRegexp, KindBoundary:
		return x.subject.NeedsBody()
	}
	return true
}

// NeedsHead reports whether the response's head must be kept.
func (x *Extractor[C]) NeedsHead() bool {
	switch x.spec.Kind {
	case KindHeader:
		return true
	case KindRegexp, KindBoundary:
		return x.subject.NeedsHead()
	}
	return false
}

// NeedsRequest reports whether Response.RequestHead must be filled.
func (x *Extractor[C]) NeedsRequest() bool { return x.subject == RequestHeaders }

// Extract fills res. The error is one of rendering the query, or of running a pattern past its time
// limit; finding nothing is not an error but a Result, and res is complete in any case. rng picks a
// random match; it is not used otherwise.
func (x *Extractor[C]) Extract(r *Response, c C, rng *rand.Rand, res *Result) error {
	f, limit, err := x.begin(c, res)
	if err != nil {
		return err
	}
	if err := f.find(r, limit, &res.hits); err != nil {
		res.Reason = err.Error()
	} else {
		x.choose(rng, res)
	}
	res.hits.empty()
	return nil
}

// ExtractAll does the same for several responses: their matches count on from one to the next. A response that cannot be searched,
// such as an image by a JSON path, has none.
func (x *Extractor[C]) ExtractAll(list []*Response, c C, rng *rand.Rand, res *Result) error {
	f, limit, err := x.begin(c, res)
	if err != nil {
		return err
	}
	var reason string
	for _, r := range list {
		if len(res.hits.values) == limit {
			break
		}
		if err := f.find(r, limit, &res.hits); err != nil && reason == "" {
			reason = err.Error()
		}
	}
	if len(res.hits.values) == 0 {
		res.Reason = reason
	} else {
		x.choose(rng, res)
	}
	res.hits.empty()
	return nil
}

// begin gives res what holds without a match, and tells how many matches are looked for.
func (x *Extractor[C]) begin(c C, res *Result) (f finder, limit int, err error) {
	*res = Result{Value: NotFound, hits: res.hits}
	if x.spec.Default != nil {
		res.Value, res.Found = *x.spec.Default, true
	}
	if f = x.finder; f == nil {
		if f, err = x.render(c); err != nil {
			return nil, 0, err
		}
	}
	limit = min(x.wanted(), maxHits)
	if limit <= 0 || x.keep {
		limit = maxHits
	}
	return f, limit, nil
}

// wanted is match-no: n, 0 for a random match, -1 for all.
func (x *Extractor[C]) wanted() int {
	if x.spec.MatchNo != nil {
		return *x.spec.MatchNo
	}
	return 1
}

// choose takes the match that is wanted.
func (x *Extractor[C]) choose(rng *rand.Rand, res *Result) {
	wanted, h := x.wanted(), res.hits
	res.Count = len(h.values)
	if x.keep {
		res.Values, res.Typed, res.Each = h.values, h.json, h.groups
		res.hits = hits{} // they are the caller's now
	}
	at := wanted - 1
	switch {
	case wanted == 0 && len(h.values) > 0:
		at = rng.IntN(len(h.values))
	case wanted < 0:
		at = 0
	}
	if at >= len(h.values) || at < 0 {
		if len(h.values) > 0 {
			res.Reason = fmt.Sprintf("there are only %d matches, match-no is %d", len(h.values), wanted)
		}
		return
	}
	res.Found, res.Matched, res.Value, res.JSON = true, true, h.values[at], h.isJSON(at)
	if at < len(h.groups) {
		res.Groups = h.groups[at]
	}
}

// render compiles a query that differs per user, or finds it among those that were.
func (x *Extractor[C]) render(c C) (finder, error) {
	var left, right []byte
	var err error
	if x.spec.Kind == KindBoundary {
		if left, err = appendText(nil, x.spec.Left, c); err == nil {
			right, err = appendText(nil, x.spec.Right, c)
		}
	} else {
		left, err = appendText(nil, x.spec.Query, c)
	}
	if err != nil {
		return nil, err
	}
	key := string(left)
	if len(right) > 0 {
		key += "\x00" + string(right)
	}
	f, err := x.cache.Get(key, func() (finder, error) { return x.compile(string(left), string(right)) })
	if err != nil {
		return nil, fmt.Errorf("%s %q: %w", x.noun(), shorten(string(left), 80), err)
	}
	return f, nil
}

func appendText[C any](dst []byte, t Text[C], c C) ([]byte, error) {
	if t == nil {
		return dst, nil
	}
	return t.Append(dst, c)
}
