package feed

import "github.com/stacrun/stacrun/diag"

// Spec says where rows come from.
type Spec struct {
	Path          string // file name; "" for Inline
	Name          string // as the user wrote it, for messages; "" is Path
	Format        string // "csv" (default) or "jsonl"
	Delimiter     string // "", one character, "tab" or "\\t"; "" looks at the file
	Quoted        *bool  // nil: quotes are honoured
	VariableNames []string
	Loop          bool
	RandomOrder   bool
	Seed          uint64 // of the random order
	Encoding      string // such as "iso-8859-1"; "" is UTF-8, or what the byte-order mark says
	Inline        []InlineRow
	Pos           diag.Pos // of the data source
	DocPath       string   // dotted path in the document
}

// InlineRow is one row written in the document: values by column. A missing column is unset.
type InlineRow []InlineField

// InlineField is a column and its value.
type InlineField struct{ Column, Value string }

// Source is an open data source, shared by all users of an execution.
type Source struct{}

// Open reads a source. It is never nil; with errors in the list it has no rows.
func Open(spec Spec) (*Source, diag.List) { return &Source{}, nil }

// Columns are the names of the columns, in the order of [Row.Field].
func (s *Source) Columns() []string { return nil }

// Rows is the number of rows, -1 when the file is streamed.
func (s *Source) Rows() int { return 0 }

// Next hands out the next row, to any goroutine. It reports false when the data has ended
// (without Loop) or the file could not be read on; see Err.
func (s *Source) Next() (Row, bool) { return Row{}, false }

// Err says why a streamed file could not be read on.
func (s *Source) Err() error { return nil }

// Rewind starts again at the first row, for another run of the same plan.
func (s *Source) Rewind() {}

// Close ends the reader of a streamed file.
func (s *Source) Close() error { return nil }

// Row is one row. Its strings stay valid for ever.
type Row struct{ fields []string }

// Field returns the i-th column's value, and false when the row has none.
func (r Row) Field(i int) (string, bool) { return "", false }
