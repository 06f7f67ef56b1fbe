package feed

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// reader gives one row after the other, with the line that it begins in; io.EOF at the end.
type reader interface {
	next() (fields []string, line int, err error)
	types() *types // of the row that came last
}

// rowError is a mistake in a data file.
type rowError struct {
	line, column  int
	message, hint string
}

func (e *rowError) Error() string { return fmt.Sprintf("line %d: %s", e.line, e.message) }

// checkText refuses what is not UTF-8, which would reach the server as it is.
func checkText(fields []string, line int) error {
	for _, field := range fields {
		if !utf8.ValidString(field) {
			return &rowError{line: line, message: fmt.Sprintf("the text %s is not UTF-8", strconv.QuoteToASCII(field[:min(len(field), 40)])), hint: "write encoding: iso-8859-1 in the data source, or whatever it is"}
		}
	}
	return nil
}

// quotedReader reads CSV as RFC 4180 has it: fields may stand in quotes, and then hold delimiters,
// line ends and doubled quotes. Empty lines are skipped.
type quotedReader struct{ csv *csv.Reader }

func newQuotedReader(r io.Reader, delimiter rune) *quotedReader {
	c := csv.NewReader(r)
	c.Comma = delimiter
	c.FieldsPerRecord = -1
	return &quotedReader{c}
}

func (q *quotedReader) next() ([]string, int, error) {
	fields, err := q.csv.Read()
	if err != nil {
		return nil, 0, csvError(err)
	}
	line, _ := q.csv.FieldPos(0)
	return fields, line, checkText(fields, line)
}

func csvError(err error) error {
	var bad *csv.ParseError
	if !errors.As(err, &bad) {
		return err
	}
	switch bad.Err {
	case csv.ErrBareQuote:
		return &rowError{bad.Line, bad.Column, "a quote stands inside a field that does not begin with one", `write "" for a quote inside quotes, or quoted: false when quotes mean nothing`}
	case csv.ErrQuote:
		if bad.Line > bad.StartLine {
			return &rowError{bad.StartLine, 0, "a field in quotes is never closed", `write "" for a quote inside quotes, or quoted: false when quotes mean nothing`}
		}
		return &rowError{bad.Line, bad.Column, "a field in quotes is not closed, or text follows its closing quote", `write "" for a quote inside quotes, or quoted: false when quotes mean nothing`}
	}
	return &rowError{bad.Line, bad.Column, bad.Err.Error(), "check the line"}
}

// maxLine bounds the length of a line of a file without quotes, in bytes.
const maxLine = 16 << 20

// lines reads line by line, without line ends. Empty lines are skipped.
type lines struct {
	r    *bufio.Reader
	line int
}

func (l *lines) next() (string, error) {
	for {
		var text []byte
		for {
			part, err := l.r.ReadSlice('\n')
			text = append(text, part...)
			if len(text) > maxLine {
				return "", &rowError{line: l.line + 1, message: "the line is longer than 16 MB", hint: "check the line ends of the file"}
			}
			if err == nil || err == io.EOF && len(text) > 0 {
				break
			}
			if err != bufio.ErrBufferFull {
				return "", err
			}
		}
		l.line++
		if s := strings.TrimRight(string(text), "\r\n"); s != "" {
			return s, nil
		}
	}
}

// plainReader reads fields in which quotes mean nothing.
type plainReader struct {
	lines     lines
	delimiter string
}

func (p *plainReader) next() ([]string, int, error) {
	text, err := p.lines.next()
	if err != nil {
		return nil, 0, err
	}
	fields := strings.Split(text, p.delimiter)
	return fields, p.lines.line, checkText(fields, p.lines.line)
}

func (q *quotedReader) types() *types { return nil }

func (p *plainReader) types() *types { return nil }

// linesReader reads JSON lines: one object a line. Keys become columns in the order in which they
// first occur. Values keep what they are: numbers their digits, lists and objects their JSON.
type linesReader struct {
	lines   lines
	columns []string
	fixed   bool // no columns may be added any more
	json    []bool
	last    *types
}

func (j *linesReader) types() *types { return j.last }

func (j *linesReader) next() ([]string, int, error) {
	text, err := j.lines.next()
	if err != nil {
		return nil, 0, err
	}
	line := j.lines.line
	if err := checkText([]string{text}, line); err != nil {
		return nil, line, err
	}
	object := gjson.Parse(text)
	if !object.IsObject() || !gjson.Valid(text) {
		return nil, line, &rowError{line: line, message: "the line is not a JSON object", hint: `write one object a line, such as {"id": 1}`}
	}
	fields := slices.Repeat([]string{missing}, len(j.columns))
	j.json = append(j.json[:0], make([]bool, len(j.columns))...)
	object.ForEach(func(key, value gjson.Result) bool {
		i := slices.Index(j.columns, key.Str)
		if i < 0 {
			if j.fixed {
				return true
			}
			i = len(j.columns)
			j.columns = append(j.columns, key.Str)
			fields = append(fields, missing)
			j.json = append(j.json, false)
		}
		j.json[i] = value.Type != gjson.String
		switch value.Type {
		case gjson.Null:
			fields[i] = ""
		case gjson.String:
			fields[i] = value.Str
		default:
			fields[i] = strings.TrimSpace(value.Raw)
		}
		return true
	})
	j.last = typed(j.json, j.last)
	return fields, line, nil
}
