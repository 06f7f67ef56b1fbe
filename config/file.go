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
	Value   string
	Pos     diag.Pos
	Path    string // dotted path in the merged document
	Literal bool   // ${…} in it is not to be read, as in the label that a request has for want of one
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
	DNS           DNS
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

	// SystemProperties are modules.jmeter.system-properties, of which only http.proxyHost, http.proxyPort, http.proxyUser,
	// http.proxyPass, their https forms and http.nonProxyHosts mean anything.
	SystemProperties map[string]string
	Verbose          bool
}
