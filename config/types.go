package config

import (
	"time"

	"github.com/stacrun/stacrun/diag"
)

// File is what the user meant: the merged document with every shorthand expanded, every value
// converted, and the place of each kept. It is immutable once [Load] has returned it.
type File struct {
	Executions []Execution // in document order, never empty in a valid file
	Scenarios  []*Scenario // by first mention; inline scenarios of executions included
	Criteria   []Criterion // of all passfail modules, executions and scenarios, in document order
	Reporting  []Module    // reporters in document order, implicit defaults resolved
	Services   []Module    // services in document order
	Settings   Settings
	Studies    Studies      // descriptions of many runs of this document
	Merged     *Node        // the merged document as it was written, before shorthands are expanded
	Document   *Node        // the merged, normalised document, what `show` prints
	Inputs     []Input      // the files that were read, in the order they were merged
	Sources    diag.Sources // the text of everything that diagnostics may point into
}

// Scenario returns the scenario of that name, or nil.
func (f *File) Scenario(name string) *Scenario {
	for _, s := range f.Scenarios {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// Input is one file that was read.
type Input struct {
	Name string // as it was named by the user or by the including file
	Dir  string // folder that relative paths inside it are looked up in first
}

// Text is a string value and where it stands. Template syntax inside it is not yet read.
type Text struct {
	Value string
	Pos   diag.Pos
	Path  string // dotted path in the merged document
}

// Set reports whether the value was written at all (it may still be empty).
func (t Text) Set() bool { return t.Pos != diag.Pos{} || t.Value != "" }

// Value is a converted scalar that may be absent, and where it stands.
type Value[T any] struct {
	V   T
	Set bool
	Pos diag.Pos
}

// Or returns the value, or fallback where it was not written.
func (v Value[T]) Or(fallback T) T {
	if v.Set {
		return v.V
	}
	return fallback
}

// Execution is one block under `execution:`: a load and the scenario that it drives.
type Execution struct {
	Name     string // unique: the scenario's name, with "-2", "-3" … for repeats
	Executor string // as written; "" for the default
	Scenario string // name of an entry of File.Scenarios
	Load     LoadShape
	Delay    time.Duration // after the start of the run
	StartAt  time.Time     // zero: at once
	Prepare  []Step        // once, before the measured window
	Finish   []Step        // once, after it
	Pos      diag.Pos
	Path     string // such as "execution.0"
}

// LoadShape is the shape of an execution's load. Closed and open model exclude each other: ArrivalRate
// (or stages with arrival rates) makes it open.
type LoadShape struct {
	Concurrency      Value[int]           // virtual users
	RampUp           Value[time.Duration] // ≥ 0
	HoldFor          Value[time.Duration] // ≥ 0, after RampUp
	Iterations       Value[int]           // per virtual user; 0 counts as not set
	TotalIterations  Value[int]           // all users together
	TotalRequests    Value[int]           // all users together, as Locust counts; Iterations is then also set
	Steps            Value[int]
	Throughput       Value[float64] // requests per second, an upper limit over all users
	SpawnRate        Value[float64] // users started per second
	ArrivalRate      Value[float64] // iterations started per second (open model)
	MaxConcurrency   Value[int]     // open model: users at most
	MaxWait          Value[time.Duration]
	Distribution     Value[string] // "constant" or "poisson"
	Stages           []Stage
	WarmUp           Value[time.Duration]
	GracefulStop     Value[time.Duration]
	ExpectedInterval Value[time.Duration]
}

// Stage is one leg of `stages:`: the level moves linearly from where the last stage ended.
type Stage struct {
	Duration    time.Duration
	Concurrency Value[int]
	ArrivalRate Value[float64] // per second
	Pos         diag.Pos
}

// Scenario is a script: what one virtual user does in one iteration.
type Scenario struct {
	Name              string
	DefaultAddress    Text
	Variables         []Variable
	Properties        map[string]string // of ${__P(name)}, over File.Settings.Properties
	DataSources       []DataSource
	Defaults          RequestSettings // what requests inherit
	StoreCookie       bool
	StoreCache        bool
	Cookies           []Cookie
	Authorization     []Authorization
	ForceParentSample bool     // default for transactions
	Requests          []Step   // the script; exclusive with Tasks
	Tasks             []Task   // one drawn by weight per iteration
	Setup             []Step   // once per user before its first iteration
	Teardown          []Step   // once per user after its last
	Asserts           []Assert // applied to every request
	Extractors        []Extractor
	FollowLinks       string // "rewrite" (default): links found in answers keep the scenario's address; "as-given"
	Pos               diag.Pos
	Path              string // such as "scenarios.search"
}

// Task is one weighted branch of a scenario.
type Task struct {
	Name     string
	Weight   float64 // > 0
	Requests []Step
	Pos      diag.Pos
}

// Variable is a name and a value: a string (may hold templates), a number, a bool, or a list or mapping.
type Variable struct {
	Name  string
	Value *Node
}

// Cookie is a cookie that every user begins with.
type Cookie struct {
	Name, Value, Domain, Path Text
	Secure                    bool
}

// Authorization answers the challenge of a server, or signs each request.
type Authorization struct {
	Mechanism                                 string // basic, digest, bearer, oauth2, sigv4
	URL, Domain, Name, Password, Realm, Token Text
	ClientID, ClientSecret, TokenURL, Scope   Text // oauth2 client credentials
	Region, Service, AccessKey, SecretKey     Text // sigv4
	Clear                                     bool // forget the answers to challenges at each iteration
	Pos                                       diag.Pos
}

// DataSource is a table of rows that users take turns in.
type DataSource struct {
	Path          string // as written
	Resolved      string // where it was found; "" for Inline
	Inline        *Node  // list of mappings written in the document
	Format        string // "csv" or "jsonl"
	Delimiter     string // "" : detect
	Quoted        Value[bool]
	Loop          bool
	VariableNames []string // nil: first line is the header
	RandomOrder   bool
	Encoding      string
	Pos           diag.Pos
}

// RequestSettings are the keys that a scenario gives to all of its requests and a request may override.
type RequestSettings struct {
	Headers           []Header
	ThinkTime         Value[ThinkTime]
	Timeouts          Timeouts
	KeepAlive         Value[bool]
	FollowRedirects   Value[bool]
	MaxRedirects      Value[int]
	ContentEncoding   Text
	RandomSourceIP    Value[bool]
	Host              Text // Host header and SNI instead of the URL's
	TLS               *TLS // nil: inherit
	RetrieveResources Value[bool]
	ResourcesRegex    Text
	ResourcesPool     Value[int]
	MaxBody           Value[int64] // bytes of a body kept at most, when something reads it
}

// Header is one header line.
type Header struct {
	Name  string
	Value Text
	Unset bool // null was written: remove an inherited header
}

// Timeouts of a request; a zero Value inherits, 0 switches off.
type Timeouts struct {
	Connect, FirstByte, Total Value[time.Duration]
}

// TLS settings.
type TLS struct {
	Verify        bool
	CA, Cert, Key string // resolved file names
	ServerName    string
	Pos           diag.Pos
}

// ThinkTime is a pause before a request.
type ThinkTime struct {
	Distribution string        // "constant", "uniform", "gaussian", "poisson"
	Mean         time.Duration // constant: the pause
	Deviation    time.Duration // uniform, gaussian; poisson: the minimum
	Template     Text          // set: a template that yields the pause at run time (a bare number is milliseconds)
}

// Step is one entry of a list of requests. The set is closed: Request, If, Loop, While, ForEach,
// Once, Transaction, Parallel, Include, Action, SetVariables, Retry.
type Step interface {
	step()
	Where() (diag.Pos, string) // place and dotted path
}

// At is embedded in every step.
type At struct {
	Pos  diag.Pos
	Path string // such as "scenarios.search.requests.3"
}

// Where returns the place and the dotted path of a step.
func (a At) Where() (diag.Pos, string) { return a.Pos, a.Path }

// Request is one HTTP request.
type Request struct {
	At
	Label      Text // as written, or the url as written
	URL        Text
	Method     Text // upper case unless it holds a template
	Body       Body
	Settings   RequestSettings
	Asserts    []Assert
	Extractors []Extractor
	SuccessOn  []string // status patterns that count as success, such as "2xx", "404"; empty: 2xx and 3xx
	Condition  Text
}

// BodyKind tells how a body was written.
type BodyKind uint8

// The kinds of body, after the rules of Taurus section d.1 were applied.
const (
	NoBody        BodyKind = iota
	TextBody               // sent as it is, after templates
	JSONBody               // Tree, rendered as compact JSON; a single ${…} keeps its type
	FormBody               // Form, URL-encoded
	QueryBody              // Form, appended to the query string
	FileBody               // File, sent as bytes
	MultipartBody          // Uploads and Form
)

// Body is what a request sends.
type Body struct {
	Kind         BodyKind
	Text         Text
	Tree         *Node
	Form         []Field
	File         string // resolved name
	FileTemplate Text   // body-file whose name holds a template
	Uploads      []Upload
	ContentType  string // to send unless a header says otherwise; may be empty
}

// Field is one form field.
type Field struct{ Name, Value Text }

// Upload is one file of a multipart body.
type Upload struct{ Param, File, MIMEType string }

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

// If decides once; Else may be empty.
type If struct {
	At
	Condition  Text
	Then, Else []Step
}

// Loop repeats Do; Count is a number, "forever" or a template.
type Loop struct {
	At
	Count Text
	Do    []Step
}

// While repeats Do while the condition holds.
type While struct {
	At
	Condition Text
	Do        []Step
}

// ForEach runs Do for each element of a list variable.
type ForEach struct {
	At
	Item, List string
	Do         []Step
}

// Once runs in the first iteration of each user only.
type Once struct {
	At
	Do []Step
}

// Transaction reports the sum of its children under a label of its own.
type Transaction struct {
	At
	Label             Text
	Do                []Step
	ForceParentSample Value[bool]
	IncludeTimers     bool
}

// Parallel keeps up to InFlight branches in flight at once.
type Parallel struct {
	At
	Branches []Step
	InFlight Value[int]
}

// Retry repeats Do while it fails.
type Retry struct {
	At
	Attempts int // in all, ≥ 1
	Backoff  time.Duration
	On       []string // status patterns and faults; empty: any failure
	Do       []Step
}

// Include runs another scenario's requests in place.
type Include struct {
	At
	Scenario string
	NamePos  diag.Pos // where the scenario is named
}

// Action stops, pauses or goes on to the next iteration.
type Action struct {
	At
	Action string // pause, stop, stop-now, continue
	Target string // current-thread, all-threads
	Pause  Text
}

// SetVariables assigns per-user variables.
type SetVariables struct {
	At
	Variables []Variable
}

func (*Request) step()      {}
func (*If) step()           {}
func (*Loop) step()         {}
func (*While) step()        {}
func (*ForEach) step()      {}
func (*Once) step()         {}
func (*Transaction) step()  {}
func (*Parallel) step()     {}
func (*Retry) step()        {}
func (*Include) step()      {}
func (*Action) step()       {}
func (*SetVariables) step() {}

// Criterion is one pass/fail rule as written. A sentence or its long form fails when it is true;
// Assert is an expr rule that must hold.
type Criterion struct {
	Text      string  // the sentence as written, or made from the long form
	Message   string  // own message; "" when none was given
	Subject   string  // avg-rt, p95, fail, rc5??, …
	Label     string  // "" : all
	Condition string  // >, >=, <, <=, =
	Threshold float64 // seconds, bytes, a count, or a share in percent when Percent
	Percent   bool
	Baseline  bool          // threshold is Percent of the baseline's value
	Logic     string        // for, within, over
	Timeframe time.Duration // 0: cumulative
	Stop      bool
	Fail      bool
	IfNoData  string // "", "fail" or "pass"
	Assert    string // expr rule; Subject and the rest are then empty
	Execution string // execution name it is limited to; "" : all together
	Class     string // monitoring criteria
	Pos       diag.Pos
	LabelPos  diag.Pos // where the label stands, or the text of Assert begins, when that is known
	Path      string
}

// Module is an entry of `reporting` or `services`.
type Module struct {
	Name    string // module alias, such as "junit-xml"
	Options *Node  // mapping of the remaining keys; never nil
	Pos     diag.Pos
	Path    string
}

// Settings of the whole run.
type Settings struct {
	ArtifactsDir  string // template, see Taurus a.8 and a.9
	Env           map[string]string
	Seed          Value[uint64]
	Preflight     bool
	DefaultGate   string // "requests" (default) or "none"
	Functional    bool
	Sequential    bool
	Capacity      int // executions at a time; 0: all
	GracefulStop  Value[time.Duration]
	RampUpExclude bool
	Percentiles   []float64         // levels of final-stats, 0…100
	IgnoreLabels  []string          // label prefixes that are dropped
	MaxLabels     int               // labels at most, then "(other)"; 0: the default
	Properties    map[string]string // modules.jmeter.properties

	// SystemProperties are modules.jmeter.system-properties, of which only http.proxyHost, http.proxyPort,
	// http.proxyUser, http.proxyPass and their https forms mean anything.
	SystemProperties map[string]string
	Verbose          bool
}
