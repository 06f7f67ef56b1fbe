package feed

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/internal/input"
)

// Open reads a source. It is never nil; with errors in the list it has no rows.
func Open(spec Spec) (*Source, diag.List) {
	o := &opener{spec: spec, source: &Source{loop: spec.Loop, random: spec.RandomOrder, seed: spec.Seed}}
	if o.spec.OpenFile == nil {
		o.spec.OpenFile = openFile
	}
	if o.spec.Name == "" {
		o.spec.Name = spec.Path
	}
	if spec.Path == "" {
		o.inline()
	} else {
		o.file()
	}
	if o.list.HasErrors() {
		o.source.rows, o.source.stream = nil, nil
	}
	return o.source, o.list
}

// opener is the work of [Open].
type opener struct {
	spec   Spec
	source *Source
	list   diag.List
}

// errorf reports a mistake in the document.
func (o *opener) errorf(code, format string, args ...any) *diag.Diagnostic {
	return o.list.Errorf(code, o.spec.Pos, o.spec.DocPath, format, args...)
}

// at is a place in the data file.
func (o *opener) at(line, column int) diag.Pos {
	return diag.Pos{File: o.spec.Path, Line: line, Column: column}
}

func (o *opener) inline() {
	if len(o.spec.Inline) == 0 {
		o.errorf("empty-data", "the data source has neither a file nor rows").WithHint("write path: FILE, or a list of rows")
		return
	}
	for _, row := range o.spec.Inline {
		for _, field := range row {
			if !slices.Contains(o.source.columns, field.Column) {
				o.source.columns = append(o.source.columns, field.Column)
			}
		}
	}
	var last *types
	for _, row := range o.spec.Inline {
		fields := slices.Repeat([]string{missing}, len(o.source.columns))
		json := make([]bool, len(fields))
		for _, field := range row {
			i := slices.Index(o.source.columns, field.Column)
			fields[i], json[i] = field.Value, field.JSON
		}
		last = typed(json, last)
		o.source.rows = append(o.source.rows, Row{fields, last})
	}
}

func (o *opener) file() {
	r, closer, size, err := o.reader()
	if err != nil {
		return // already reported
	}
	defer func() { _ = closer.Close() }() // nothing was written
	limit := o.spec.Memory
	if limit <= 0 {
		limit = defaultMemory
	}
	if size > limit {
		o.openStream(r)
		return
	}
	o.readAll(r)
}

func (o *opener) unreadable(err error) {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		err = pathError.Err
	}
	hint := "the file is looked up beside the file that names it, then in the working directory"
	var large *input.TooLargeError
	if errors.As(err, &large) || errors.Is(err, input.ErrDevice) {
		hint = "write the rows to a file: they are read as they are needed, however many there are"
	}
	o.errorf("unreadable-file", "the data source %q cannot be read: %s", o.spec.Name, err).WithHint("%s", hint)
}

// openFile opens a file of this machine.
func openFile(name string) (io.ReadCloser, int64, error) {
	f, info, err := input.Open(name)
	switch {
	case err != nil:
		return nil, 0, err
	case !info.Mode().IsRegular(): // it cannot be opened again to be streamed
		return input.Limited(f, input.MaxPipe), 0, nil
	}
	return f, info.Size(), nil
}

// reader opens the file at its first row of data and fixes the columns; size is the file's, in bytes.
func (o *opener) reader() (r reader, closer io.Closer, size int64, err error) {
	f, size, err := o.spec.OpenFile(o.spec.Path)
	if err != nil {
		o.unreadable(err)
		return nil, nil, 0, err
	}
	decoded, err := decode(f, o.spec.Encoding)
	if err != nil {
		o.errorf("bad-value", "%s", err).WithHint("write a name such as utf-8, iso-8859-1, windows-1252 or utf-16")
		return nil, nil, 0, errors.Join(err, f.Close())
	}
	buffered := bufio.NewReaderSize(decoded, 64<<10)
	if r, err = o.format(buffered); err != nil {
		return nil, nil, 0, errors.Join(err, f.Close())
	}
	return r, f, size, nil
}

// format makes the reader of the file's format.
func (o *opener) format(buffered *bufio.Reader) (reader, error) {
	switch o.spec.Format {
	case "", "csv":
		return o.csv(buffered)
	case "jsonl":
		return &linesReader{lines: lines{r: buffered}, columns: o.source.columns, fixed: o.source.columns != nil}, nil
	}
	err := fmt.Errorf("unknown format %q", o.spec.Format)
	o.errorf("bad-value", "%s", err).WithHint("write csv or jsonl")
	return nil, err
}

func (o *opener) csv(buffered *bufio.Reader) (reader, error) {
	delimiter, err := o.delimiter(buffered)
	if err != nil {
		return nil, err
	}
	var r reader
	if o.spec.Quoted == nil || *o.spec.Quoted {
		r = newQuotedReader(buffered, delimiter)
	} else {
		r = &plainReader{lines: lines{r: buffered}, delimiter: string(delimiter)}
	}
	if o.spec.VariableNames != nil {
		o.source.columns = o.spec.VariableNames
		return r, nil
	}
	header, line, err := r.next()
	switch {
	case err == io.EOF:
		o.empty()
		return nil, err
	case err != nil:
		o.rowError(err)
		return nil, err
	}
	if o.source.columns == nil {
		o.header(header, line)
	}
	return r, nil
}

// header takes over the names of the columns from the first line.
func (o *opener) header(fields []string, line int) {
	names := make([]string, 0, len(fields))
	for i, field := range fields {
		name := strings.TrimSpace(field)
		if name == "" {
			name = "column" + strconv.Itoa(i+1)
			o.list.Warnf("unnamed-column", o.at(line, 0), o.spec.DocPath, "column %d of %q has no name", i+1, o.spec.Name).
				WithHint("it can be read as ${%s}", name)
		}
		if slices.Contains(names, name) {
			o.list.Warnf("duplicate-column", o.at(line, 0), o.spec.DocPath, "the column %q stands twice in %q", name, o.spec.Name).
				WithHint("the later one is used")
		}
		names = append(names, name)
	}
	o.source.columns = names
}

func (o *opener) empty() {
	o.errorf("empty-data", "the data source %q has no rows", o.spec.Name).
		WithHint("the first line names the columns unless variable-names does")
}

// readAll takes the whole file into memory.
func (o *opener) readAll(r reader) {
	extra, firstExtra, width := 0, 0, 0
	for {
		fields, line, err := r.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			o.rowError(err)
			return
		}
		if n := len(o.columns(r)); len(fields) > n {
			if extra++; extra == 1 {
				firstExtra, width = line, len(fields)
			}
			fields = fields[:n]
		}
		o.source.rows = append(o.source.rows, Row{fields, r.types()})
	}
	o.source.columns = o.columns(r)
	if len(o.source.rows) == 0 {
		o.empty()
	}
	if extra > 0 {
		o.list.Warnf("extra-fields", o.at(firstExtra, 0), o.spec.DocPath, "%d of %d rows of %q have more fields than there are columns: this one has %d, not %d",
			extra, len(o.source.rows), o.spec.Name, width, len(o.source.columns)).WithHint("fields without a column are not used; quote values that hold the delimiter")
	}
}

// columns are the names that are known by now; those of JSON lines grow while reading.
func (o *opener) columns(r reader) []string {
	if l, ok := r.(*linesReader); ok {
		return l.columns
	}
	return o.source.columns
}

// rowError reports a mistake in the data file.
func (o *opener) rowError(err error) {
	var bad *rowError
	if !errors.As(err, &bad) {
		o.unreadable(err)
		return
	}
	o.list.Errorf("bad-data", o.at(bad.line, bad.column), o.spec.DocPath, "%s", bad.message).WithHint("%s", bad.hint)
}

// openStream prepares a file that is too large for memory. Its beginning has been read to find the
// columns; it is opened again when the first row is asked for.
func (o *opener) openStream(r reader) {
	rows := 0
	for ; rows < sampleRows; rows++ {
		if _, _, err := r.next(); err == io.EOF {
			break
		} else if err != nil {
			o.rowError(err)
			return
		}
	}
	o.source.columns = o.columns(r)
	if rows == 0 {
		o.empty()
		return
	}
	if o.spec.RandomOrder {
		o.list.Warnf("large-file", o.spec.Pos, o.spec.DocPath, "%q is too large for memory: its rows are mixed within windows of %d", o.spec.Name, windowRows).
			WithHint("shuffle the file itself where the order must be random over all rows")
	}
	again := &opener{spec: o.spec, source: &Source{columns: o.source.columns}}
	o.source.stream = &stream{
		loop: o.spec.Loop, random: o.spec.RandomOrder, seed: o.spec.Seed, columns: len(o.source.columns), path: o.spec.Path,
		open: func() (reader, io.Closer, error) {
			r, closer, _, err := again.reader()
			return r, closer, err
		},
	}
}

// sampleRows is how many rows of a streamed file are read to find the columns of JSON lines.
const sampleRows = 1000
