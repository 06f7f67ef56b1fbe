package config

// Assert is one check of a response.
type Assert struct {
	Kind          AssertKind
	Subject       string // contains: body, headers, http-code
	Patterns      []Text // contains: each must match
	Regexp        bool   // contains, jsonpath: patterns are regular expressions
	Engine        string // "", "re2", "backtracking"
	Not           bool   // invert
	AssumeSuccess bool   // the status does not fail the sample by itself
	Query         Text   // jsonpath, xpath or expr
	Validate      bool   // jsonpath: compare with Expected
	Expected      Text
	ExpectNull    bool
	Tolerant      bool // xpath: HTML parser
	Namespaces    map[string]string
	At
}

// AssertKind is the kind of an [Assert].
type AssertKind uint8

// The kinds of assertion.
const (
	AssertContains AssertKind = iota
	AssertJSONPath
	AssertXPath
	AssertCSS
	AssertExpr // a boolean expr over status, body, json, headers and variables
)

// Extractor takes a value out of a response into a variable.
type Extractor struct {
	Kind         ExtractKind
	Variable     string
	Query        Text       // jsonpath, regexp, css, xpath
	Left, Right  Text       // boundary
	Subject      string     // body, headers, http-code, url, …
	Template     string     // regexp: "1" or "$1$-$2$"
	Attribute    string     // css
	MatchNo      Value[int] // not set: first match; 0: random; n: n-th; -1: all
	Default      Value[string]
	Concat       bool
	Engine       string
	Tolerant     bool
	Namespaces   map[string]string
	Scope        string // "", all, children, variable
	FromVariable string
	Metric       bool // the value is a number that is counted beside the times
	At
}

// ExtractKind is the kind of an [Extractor].
type ExtractKind uint8

// The kinds of extractor.
const (
	ExtractJSONPath ExtractKind = iota
	ExtractRegexp
	ExtractCSS
	ExtractXPath
	ExtractBoundary
	ExtractHeader
)
