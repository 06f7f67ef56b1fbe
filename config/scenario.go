package config

import "github.com/stacrun/stacrun/diag"

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
