package config

import (
	"time"

	"github.com/stacrun/stacrun/diag"
)

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
	SuccessOn  []string // status patterns that count as success, such as "2xx", "404": all, or besides 2xx and 3xx when none of those is named
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
type Upload struct {
	Param    string
	File     string // resolved name
	Template Text   // instead of File, a path that holds a template
	MIMEType string // "": by the ending of the name, which is not known yet
}
