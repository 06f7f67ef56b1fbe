package diag

import (
	"cmp"
	"fmt"
	"slices"
)

// Pos is a place in a text. The zero Pos means that no place is known.
type Pos struct {
	File   string // as the user named it, or a pseudo file such as "-o" for an override
	Line   int    // 1-based; 0: unknown
	Column int    // 1-based, in characters; 0: unknown
}

// Known reports whether p names at least a file.
func (p Pos) Known() bool { return p.File != "" }

// String gives file:line:column, without the parts that are not known.
func (p Pos) String() string {
	switch {
	case p.File == "":
		return ""
	case p.Line == 0:
		return p.File
	case p.Column == 0:
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Severity tells whether a diagnostic forbids the run.
type Severity uint8

// The severities. An error forbids the run, a warning does not.
const (
	Error Severity = iota
	Warning
)

// String gives "error" or "warning", the words of the JSON form.
func (s Severity) String() string {
	if s == Warning {
		return "warning"
	}
	return "error"
}

// Diagnostic is one mistake, where it stands and what to write instead.
type Diagnostic struct {
	Severity Severity
	Code     string // stable kind, such as "unknown-key"; part of the JSON contract
	Pos      Pos
	Length   int    // characters to underline; 0: the word at Pos
	Path     string // dotted path of the value in the merged document, such as "execution.0.hold-for"
	Message  string // what is wrong: lower case, no full stop, no position
	Hint     string // what to write instead; may be empty
	Notes    []Note // other places that matter, such as the value that this one hid
}

// Note points at a second place.
type Note struct {
	Pos     Pos
	Message string
}

// Error gives position and message in one line, so that a Diagnostic can be used as an error.
func (d Diagnostic) Error() string {
	if d.Pos.Known() {
		return d.Pos.String() + ": " + d.Message
	}
	return d.Message
}

// List is what a room hands back besides its result.
type List []Diagnostic

// Errorf appends an error with the given code at pos.
func (l *List) Errorf(code string, pos Pos, path, format string, args ...any) *Diagnostic {
	return l.add(Diagnostic{Severity: Error, Code: code, Pos: pos, Path: path, Message: fmt.Sprintf(format, args...)})
}

// Warnf appends a warning with the given code at pos.
func (l *List) Warnf(code string, pos Pos, path, format string, args ...any) *Diagnostic {
	return l.add(Diagnostic{Severity: Warning, Code: code, Pos: pos, Path: path, Message: fmt.Sprintf(format, args...)})
}

// Add appends finished diagnostics.
func (l *List) Add(more ...Diagnostic) { *l = append(*l, more...) }

// add appends d and returns it, valid until the next append, so that a caller can set hint and notes.
func (l *List) add(d Diagnostic) *Diagnostic {
	*l = append(*l, d)
	return &(*l)[len(*l)-1]
}

// WithHint sets the hint of a diagnostic that was just appended.
func (d *Diagnostic) WithHint(format string, args ...any) *Diagnostic {
	d.Hint = fmt.Sprintf(format, args...)
	return d
}

// WithNote adds a second place to a diagnostic that was just appended.
func (d *Diagnostic) WithNote(pos Pos, format string, args ...any) *Diagnostic {
	d.Notes = append(d.Notes, Note{Pos: pos, Message: fmt.Sprintf(format, args...)})
	return d
}

// HasErrors reports whether the list forbids a run.
func (l List) HasErrors() bool {
	return slices.ContainsFunc(l, func(d Diagnostic) bool { return d.Severity == Error })
}

// Sort brings the list into file order: files in the order of first mention, then line, column,
// errors before warnings. What has no place comes first. Exact repeats are dropped.
func (l *List) Sort() {
	rank := map[string]int{"": 0}
	for _, d := range *l {
		if _, seen := rank[d.Pos.File]; !seen {
			rank[d.Pos.File] = len(rank)
		}
	}
	slices.SortStableFunc(*l, func(a, b Diagnostic) int {
		return cmp.Or(
			cmp.Compare(rank[a.Pos.File], rank[b.Pos.File]),
			cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Column, b.Pos.Column),
			cmp.Compare(a.Severity, b.Severity),
		)
	})
	*l = slices.CompactFunc(*l, func(a, b Diagnostic) bool {
		return a.Pos == b.Pos && a.Code == b.Code && a.Message == b.Message && a.Path == b.Path
	})
}
