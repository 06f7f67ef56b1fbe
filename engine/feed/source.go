package feed

import (
	"io"
	"math/rand/v2"
	"slices"
	"sync/atomic"

	"github.com/stacrun/stacrun/diag"
)

// Spec says where rows come from.
type Spec struct {
	Path          string   // file name; "" for Inline
	Name          string   // as the user wrote it, for messages; "" is Path
	Format        string   // "csv" (default) or "jsonl"
	Delimiter     string   // "", one character, "tab" or "\\t"; "" looks at the file
	Quoted        *bool    // nil: quotes are honoured
	VariableNames []string // nil: the first line names the columns
	Loop          bool
	RandomOrder   bool
	Seed          uint64 // of the random order
	Encoding      string // such as "iso-8859-1"; "" is UTF-8, or what the byte-order mark says
	Inline        []InlineRow
	Memory        int64    // bytes of a file that are kept in memory at most, larger ones are streamed; 0: 64 MB
	Pos           diag.Pos // of the data source
	DocPath       string   // dotted path in the document

	OpenFile func(name string) (file io.ReadCloser, size int64, err error) // nil: the machine's
}

// Part says which draws of rows, counted from 0 over all processes of a run, belong to this one.
type Part interface {
	Owns(k int64) bool
	Number(j int64) int64 // the j-th draw of this process
}

// InlineRow is one row written in the document: values by column. A missing column is unset.
type InlineRow []InlineField

// InlineField is a column and its value. JSON says that the value is the text of a JSON value that is no string, and "" for null.
type InlineField struct {
	Column, Value string
	JSON          bool
}

// defaultMemory is the size of a file beyond which it is streamed, in bytes.
const defaultMemory = 64 << 20

// missing stands for a field that a row does not have.
const missing = "\x00missing\x00"

// Row is one row. Its strings stay valid for ever.
type Row struct {
	fields []string
	types  *types // nil: all fields are texts, as in CSV
}

// types tells which fields of a row were no strings where they stood. Rows of the same kind share it, since a file mostly holds
// one kind.
type types struct{ json []bool }

func (t *types) isJSON(i int) bool { return t != nil && i < len(t.json) && t.json[i] }

// typed makes the types of a row, or finds them to be those of the row before.
func typed(json []bool, before *types) *types {
	if !slices.Contains(json, true) {
		return nil
	}
	if before != nil && slices.Equal(json, before.json) {
		return before
	}
	return &types{slices.Clone(json)}
}

// Field returns the i-th column's value, and false when the row has none.
func (r Row) Field(i int) (string, bool) {
	if i >= len(r.fields) || r.fields[i] == missing {
		return "", false
	}
	return r.fields[i], true
}

// JSON reports whether the i-th column's value is the text of a JSON value that is no string: a number, true, false, a list, an
// object, and "" for null.
func (r Row) JSON(i int) bool { return r.types.isJSON(i) }

// Source is an open data source, shared by all users of an execution.
type Source struct {
	columns []string
	rows    []Row
	loop    bool
	random  bool
	seed    uint64
	part    Part // nil: all draws
	cursor  atomic.Int64
	stream  *stream // nil: all rows are in memory
}

// SetPart limits the source to the draws of one of several processes. It is called before the first row is drawn.
func (s *Source) SetPart(p Part) {
	s.part = p
	if s.stream != nil {
		s.stream.part = p
	}
}

// Columns are the names of the columns, in the order of [Row.Field].
func (s *Source) Columns() []string { return s.columns }

// Rows is the number of rows, -1 when the file is streamed.
func (s *Source) Rows() int {
	if s.stream != nil {
		return -1
	}
	return len(s.rows)
}

// Next hands out the next row, to any goroutine, without a lock that would be felt. It reports
// false when the data has ended (without Loop) or the file could not be read on; see Err.
//
// In random order every pass over the rows has an order of its own, which the seed decides. A file
// that is streamed is mixed within windows of some hundred rows only.
func (s *Source) Next() (Row, bool) {
	if s.stream != nil {
		return s.stream.next()
	}
	n := int64(len(s.rows))
	if n == 0 {
		return Row{}, false
	}
	k := s.cursor.Add(1) - 1
	if s.part != nil {
		k = s.part.Number(k)
	}
	if k >= n && !s.loop {
		return Row{}, false
	}
	i := k % n
	if s.random {
		i = int64(shuffled(uint64(i), uint64(n), s.seed, uint64(k/n)))
	}
	return s.rows[i], true
}

// Spent reports whether no row is left, once the last one has been handed out.
func (s *Source) Spent() bool {
	switch {
	case s.loop:
		return false
	case s.stream != nil:
		return s.stream.spent()
	}
	k := s.cursor.Load()
	if s.part != nil {
		k = s.part.Number(k)
	}
	return k >= int64(len(s.rows))
}

// Err says why a streamed file could not be read on.
func (s *Source) Err() error {
	if s.stream == nil {
		return nil
	}
	return s.stream.failure()
}

// Rewind starts again at the first row, for another run of the same plan. No other goroutine may
// use the source meanwhile.
func (s *Source) Rewind() {
	s.cursor.Store(0)
	if s.stream != nil {
		s.stream.stop()
	}
}

// Close ends the reader of a streamed file. No other goroutine may use the source any more.
func (s *Source) Close() error {
	if s.stream != nil {
		s.stream.stop()
	}
	return nil
}

// shuffled gives the i-th of a random order of 0 … n−1 without storing it: a Feistel network
// permutes the next power of four, and what falls outside is sent through again. The order is
// decided by seed and pass.
func shuffled(i, n, seed, pass uint64) uint64 {
	half := uint64(1)
	for 1<<(2*half) < n {
		half++
	}
	mask := uint64(1)<<half - 1
	for {
		left, right := i>>half, i&mask
		for round := range uint64(4) {
			left, right = right, left^(mix(right^mix(seed+round)^mix(pass<<8|round))&mask)
		}
		if i = left<<half | right; i < n {
			return i
		}
	}
}

// mix is the finaliser of SplitMix64.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// shuffleWindow mixes the rows of one window of a stream.
func shuffleWindow(rows []Row, rng *rand.Rand) {
	rng.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
}
