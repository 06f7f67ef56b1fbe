package diag

import "encoding/json"

// jsonDiagnostic is the contract of `stacrun validate --format json`: fields may be added, none renamed.
type jsonDiagnostic struct {
	Severity string     `json:"severity"`
	Code     string     `json:"code"`
	File     string     `json:"file"`
	Line     int        `json:"line"`
	Column   int        `json:"column"`
	Path     string     `json:"path"`
	Message  string     `json:"message"`
	Hint     string     `json:"hint"`
	Notes    []jsonNote `json:"notes,omitempty"`
}

type jsonNote struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
}

// MarshalJSON gives the documented form of a diagnostic.
func (d Diagnostic) MarshalJSON() ([]byte, error) {
	j := jsonDiagnostic{
		Severity: d.Severity.String(), Code: d.Code, File: d.Pos.File, Line: d.Pos.Line, Column: d.Pos.Column,
		Path: d.Path, Message: d.Message, Hint: d.Hint,
	}
	for _, n := range d.Notes {
		j.Notes = append(j.Notes, jsonNote{n.Pos.File, n.Pos.Line, n.Pos.Column, n.Message})
	}
	return json.Marshal(j)
}

// MarshalJSON gives an array, empty rather than null.
func (l List) MarshalJSON() ([]byte, error) {
	if l == nil {
		return []byte("[]"), nil
	}
	return json.Marshal([]Diagnostic(l))
}
