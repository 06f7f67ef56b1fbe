package feed

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/internal/weigh"
)

func write(t testing.TB, content string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "data.csv")
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// drain takes all rows, at most limit.
func drain(s *Source, limit int) (rows [][]string) {
	for range limit {
		row, ok := s.Next()
		if !ok {
			break
		}
		var fields []string
		for i := range s.Columns() {
			field, ok := row.Field(i)
			if !ok {
				field = "<unset>"
			}
			fields = append(fields, field)
		}
		rows = append(rows, fields)
	}
	return rows
}

func TestOpen(t *testing.T) {
	no := false
	tests := []struct {
		name, content string
		spec          Spec
		columns       []string
		rows          [][]string
	}{
		{"header", "id,name\n1,a\n2,b\n", Spec{}, []string{"id", "name"}, [][]string{{"1", "a"}, {"2", "b"}}},
		{"no line end at the end", "id\n1", Spec{}, []string{"id"}, [][]string{{"1"}}},
		{"CRLF and empty lines", "id,name\r\n\r\n1,a\r\n\r\n", Spec{}, []string{"id", "name"}, [][]string{{"1", "a"}}},
		{"byte-order mark", "\ufeffid,n\n1,é\n", Spec{}, []string{"id", "n"}, [][]string{{"1", "é"}}},
		{"UTF-16", "\xff\xfei\x00d\x00\n\x00\xe9\x00\n\x00", Spec{}, []string{"id"}, [][]string{{"é"}}},
		{"named encoding", "id\n\xe9\n", Spec{Encoding: "iso-8859-1"}, []string{"id"}, [][]string{{"é"}}},
		{"quotes", "a,b\n\"x,\"\"y\"\"\",\"two\nlines\"\n", Spec{}, []string{"a", "b"}, [][]string{{`x,"y"`, "two\nlines"}}},
		{"quotes mean nothing", "a,b\n\"x,5\" y\n", Spec{Quoted: &no}, []string{"a", "b"}, [][]string{{`"x`, `5" y`}}},
		{"semicolon is found", "a;b\n1,5;2\n", Spec{}, []string{"a", "b"}, [][]string{{"1,5", "2"}}},
		{"tab is found", "a\tb\n1\t2\n", Spec{}, []string{"a", "b"}, [][]string{{"1", "2"}}},
		{"consistent delimiter is found", "a;b,c;d\n1;2;3\n", Spec{}, []string{"a", "b,c", "d"}, [][]string{{"1", "2", "3"}}},
		{"names decide the delimiter", "a;b,c,\n1;2,3,\n", Spec{VariableNames: []string{"x", "y"}}, []string{"x", "y"}, [][]string{{"a", "b,c,"}, {"1", "2,3,"}}},
		{"delimiter in quotes does not count", "a,\"x;y;z\"\n1,2\n", Spec{}, []string{"a", "x;y;z"}, [][]string{{"1", "2"}}},
		{"delimiter by name", "a\tb\n1\t2\n", Spec{Delimiter: "tab"}, []string{"a", "b"}, [][]string{{"1", "2"}}},
		{"delimiter given", "a|b\n1|2\n", Spec{Delimiter: "|"}, []string{"a", "b"}, [][]string{{"1", "2"}}},
		{"names instead of a header", "1,a\n2,b\n", Spec{VariableNames: []string{"id", "name"}}, []string{"id", "name"}, [][]string{{"1", "a"}, {"2", "b"}}},
		{"missing fields are unset", "a,b,c\n1\n1,,3\n", Spec{}, []string{"a", "b", "c"}, [][]string{{"1", "<unset>", "<unset>"}, {"1", "", "3"}}},
		{"names are trimmed", " a , b \n1,2\n", Spec{}, []string{"a", "b"}, [][]string{{"1", "2"}}},
		{"JSON lines", `{"id":1,"name":"a","tags":["x"]}` + "\n\n" + `{"id":2.50,"more":true,"name":null}` + "\n", Spec{Format: "jsonl"},
			[]string{"id", "name", "tags", "more"}, [][]string{{"1", "a", `["x"]`, "<unset>"}, {"2.50", "", "<unset>", "true"}}},
	}
	for _, tt := range tests {
		for _, streamed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, streamed %v", tt.name, streamed), func(t *testing.T) {
				spec := tt.spec
				spec.Path = write(t, tt.content)
				if streamed {
					spec.Memory = 1
				}
				s, list := Open(spec)
				if len(list) > 0 {
					t.Fatal(list)
				}
				if diff := cmp.Diff(tt.columns, s.Columns()); diff != "" {
					t.Error(diff)
				}
				if want := map[bool]int{false: len(tt.rows), true: -1}[streamed]; s.Rows() != want {
					t.Errorf("%d rows, want %d", s.Rows(), want)
				}
				for range 2 {
					if diff := cmp.Diff(tt.rows, drain(s, 100)); diff != "" {
						t.Error(diff)
					}
					s.Rewind()
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

func TestInline(t *testing.T) {
	s, list := Open(Spec{Inline: []InlineRow{{{Column: "a", Value: "1"}}, {{Column: "b", Value: "2"}, {Column: "a", Value: "3"}}}})
	if len(list) > 0 {
		t.Fatal(list)
	}
	if diff := cmp.Diff([][]string{{"1", "<unset>"}, {"3", "2"}}, drain(s, 9)); diff != "" {
		t.Error(diff)
	}
}

// Rows of JSON lines and of the document know which values were no texts; those of CSV are texts. A type costs a row one pointer:
// rows of one kind share it.
func TestTypes(t *testing.T) {
	show := func(s *Source) (out []string) {
		for range 3 {
			row, ok := s.Next()
			if !ok {
				break
			}
			line := ""
			for i := range s.Columns() {
				if field, ok := row.Field(i); ok {
					line += fmt.Sprintf("%s:%v ", field, row.JSON(i))
				}
			}
			out = append(out, strings.TrimSpace(line))
		}
		return out
	}
	lines := `{"id":1,"ok":true,"name":"5","none":null}` + "\n" + `{"name":"b","id":2}` + "\n" + `{"name":"c","o":{"a": [1]}}` + "\n"
	for _, memory := range []int64{0, 1} {
		s, list := Open(Spec{Path: write(t, lines), Format: "jsonl", Memory: memory})
		if len(list) > 0 {
			t.Fatal(list)
		}
		want := []string{"1:true true:true 5:false :true", "2:true b:false", `c:false {"a": [1]}:true`}
		if diff := cmp.Diff(want, show(s)); diff != "" {
			t.Errorf("memory %d: %s", memory, diff)
		}
		_ = s.Close()
	}
	s, _ := Open(Spec{Inline: []InlineRow{{{"a", "1", true}, {"b", "x", false}}, {{"a", "2", false}}}})
	if diff := cmp.Diff([]string{"1:true x:false", "2:false"}, show(s)); diff != "" {
		t.Error(diff)
	}
	s, _ = Open(Spec{Path: write(t, "a,b\n1,true\n")})
	if diff := cmp.Diff([]string{"1:false true:false"}, show(s)); diff != "" {
		t.Error(diff)
	}
	s, _ = Open(Spec{Path: write(t, strings.Repeat(`{"id":1,"name":"a"}`+"\n", 1000)), Format: "jsonl"})
	for _, row := range s.rows {
		if row.types != s.rows[0].types {
			t.Fatal("rows of one kind have types of their own")
		}
	}
}

func TestMistakes(t *testing.T) {
	document := diag.Pos{File: "f.yml", Line: 7, Column: 9}
	tests := []struct{ name, content, want string }{
		{"empty", "", `f.yml:7:9: empty-data: the data source "data.csv" has no rows`},
		{"header only", "a,b\n", `f.yml:7:9: empty-data: the data source "data.csv" has no rows`},
		{"bare quote", "a,b\n1,2\n3,x\"y\n", `DATA:3:4: bad-data: a quote stands inside a field that does not begin with one`},
		{"text behind a quote", "a,b\n\"1\"x,2\n", `DATA:2:3: bad-data: a field in quotes is not closed, or text follows its closing quote`},
		{"quote never closed", "a,b\n1,\"x\n2,3\n", `DATA:2: bad-data: a field in quotes is never closed`},
		{"not UTF-8", "a\nok\n\xe9\n", `DATA:3: bad-data: the text "\xe9" is not UTF-8`},
		{"ambiguous", "a,b;c\n1,2;3\n", `DATA:1: ambiguous-delimiter: the delimiter of "data.csv" cannot be told: its first line holds "," and ";"`},
		{"extra fields", "a,b\n1,2\n1,2,3\n1,2,3,4\n", `DATA:3: extra-fields: 2 of 3 rows of "data.csv" have more fields than there are columns: this one has 3, not 2`},
		{"unnamed column", "a,\n1,2\n", `DATA:1: unnamed-column: column 2 of "data.csv" has no name`},
		{"column twice", "a,a\n1,2\n", `DATA:1: duplicate-column: the column "a" stands twice in "data.csv"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := write(t, tt.content)
			s, list := Open(Spec{Path: path, Name: "data.csv", Pos: document})
			if len(list) != 1 {
				t.Fatalf("want one diagnostic, got %v", list)
			}
			got := strings.ReplaceAll(list[0].Pos.String()+": "+list[0].Code+": "+list[0].Message, path, "DATA")
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if list[0].Hint == "" {
				t.Error("no hint")
			}
			if _, ok := s.Next(); ok && list.HasErrors() {
				t.Error("there are rows in spite of the error")
			}
		})
	}
	for name, spec := range map[string]Spec{
		`the data source "none.csv" cannot be read: no such file or directory`: {Path: "none.csv"},
		`the data source "here" cannot be read: it is a folder`:                {Path: t.TempDir(), Name: "here"},
		`unknown encoding "klingon"`:                                           {Path: write(t, "a\n1"), Encoding: "klingon"},
		`the delimiter ";;" is not one character`:                              {Path: write(t, "a\n1"), Delimiter: ";;"},
		`unknown format "xls"`:                                                 {Path: write(t, "a\n1"), Format: "xls"},
		`the line is not a JSON object`:                                        {Path: write(t, "[1]"), Format: "jsonl"},
		`the data source has neither a file nor rows`:                          {},
	} {
		_, list := Open(spec)
		if len(list) != 1 || list[0].Message != name {
			t.Errorf("want %s, got %v", name, list)
		}
	}
}

func numbers(n int) string {
	var b strings.Builder
	b.WriteString("n\n")
	for i := range n {
		fmt.Fprintln(&b, i)
	}
	return b.String()
}

func TestLoopAndOrder(t *testing.T) {
	const n = 2000
	for _, memory := range []int64{0, 1} {
		s, _ := Open(Spec{Path: write(t, numbers(n)), Loop: true, Memory: memory})
		rows := drain(s, 2*n+1)
		if len(rows) != 2*n+1 || rows[n][0] != "0" || rows[2*n][0] != "0" || rows[n-1][0] != strconv.Itoa(n-1) {
			t.Errorf("memory %d: %d rows", memory, len(rows))
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestRandomOrder(t *testing.T) {
	for _, memory := range []int64{0, 1} {
		path := write(t, numbers(700))
		draw := func(seed uint64) (values []string) {
			s, _ := Open(Spec{Path: path, Loop: true, RandomOrder: true, Seed: seed, Memory: memory})
			for _, row := range drain(s, 1400) {
				values = append(values, row[0])
			}
			_ = s.Close()
			return values
		}
		one := draw(1)
		if !slices.Equal(one, draw(1)) || slices.Equal(one, draw(2)) {
			t.Errorf("memory %d: the seed does not decide the order", memory)
		}
		if slices.Equal(one[:700], one[700:]) {
			t.Errorf("memory %d: both passes have the same order", memory)
		}
		for _, pass := range [][]string{one[:700], one[700:]} {
			seen := map[string]bool{}
			for _, v := range pass {
				seen[v] = true
			}
			if len(seen) != 700 {
				t.Errorf("memory %d: a pass hands out %d different rows", memory, len(seen))
			}
		}
	}
}

func TestShuffledIsAPermutation(t *testing.T) {
	for _, n := range []uint64{1, 2, 3, 4, 5, 16, 17, 1000} {
		seen := make([]bool, n)
		for i := range n {
			seen[shuffled(i, n, 9, 3)] = true
		}
		if slices.Contains(seen, false) {
			t.Errorf("n = %d: not a permutation", n)
		}
	}
}

func TestEveryRowOnceAmongUsers(t *testing.T) {
	const n = 5000
	for _, memory := range []int64{0, 1} {
		s, _ := Open(Spec{Path: write(t, numbers(n)), Memory: memory})
		var mu sync.Mutex
		seen := map[string]int{}
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for {
					row, ok := s.Next()
					if !ok {
						return
					}
					v, _ := row.Field(0)
					mu.Lock()
					seen[v]++
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		if len(seen) != n {
			t.Errorf("memory %d: %d rows", memory, len(seen))
		}
		for v, count := range seen {
			if count != 1 {
				t.Errorf("row %s was handed out %d times", v, count)
			}
		}
	}
}

func TestStreamThatBreaks(t *testing.T) {
	path := write(t, numbers(1500)+"\"open\n")
	s, list := Open(Spec{Path: path, Memory: 1})
	if len(list) > 0 {
		t.Fatal(list)
	}
	if rows := drain(s, 5000); len(rows) != 1500 {
		t.Errorf("%d rows before the mistake", len(rows))
	}
	if err := s.Err(); err == nil || err.Error() != path+":1502: a field in quotes is not closed, or text follows its closing quote" {
		t.Errorf("error: %v", err)
	}
}

func TestNextDoesNotAllocate(t *testing.T) {
	s, _ := Open(Spec{Path: write(t, numbers(100)), Loop: true, RandomOrder: true})
	if n := weigh.Allocations(t, 100, func() {
		row, _ := s.Next()
		_, _ = row.Field(0)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzCSV(f *testing.F) {
	for _, seed := range []string{"a,b\n1,2\n", "a;b\n\"x\"\";\",2\n", "\ufeffa\n", "a\tb\n\n1", "\xff\xfea\x00", `{"a":1}`} {
		f.Add(seed, false)
		f.Add(seed, true)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, content string, json bool) {
		path := filepath.Join(dir, "data")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		spec := Spec{Path: path, Memory: 1 << 40}
		if json {
			spec.Format = "jsonl"
		}
		s, list := Open(spec)
		if list.HasErrors() {
			if s.Rows() != 0 {
				t.Error("rows in spite of errors")
			}
			return
		}
		rows := drain(s, 1000)
		spec.Memory = 1
		streamed, list := Open(spec)
		if list.HasErrors() {
			t.Fatal(list)
		}
		if diff := cmp.Diff(rows, drain(streamed, 1000)); diff != "" && !json {
			t.Errorf("streamed differs:\n%s", diff)
		}
		_ = streamed.Close()
		if json || len(rows) == 0 || slices.Contains(rows[0], "<unset>") {
			return
		}
		// What was read can be written and read again.
		var b strings.Builder
		w := csv.NewWriter(&b)
		_ = w.Write(s.Columns())
		_ = w.WriteAll(rows[:1])
		_ = os.WriteFile(path, []byte(b.String()), 0o600)
		again, list := Open(Spec{Path: path, Delimiter: ","})
		if list.HasErrors() {
			return // such as a single empty field, which is an empty line
		}
		if diff := cmp.Diff(rows[:1], drain(again, 1)); diff != "" && !strings.Contains(b.String(), "\r") {
			t.Errorf("written and read again:\n%s", diff)
		}
	})
}

func BenchmarkNext(b *testing.B) {
	s, _ := Open(Spec{Path: write(b, numbers(10000)), Loop: true})
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			_, _ = s.Next()
		}
	})
}

func BenchmarkNext_streamed(b *testing.B) {
	s, _ := Open(Spec{Path: write(b, numbers(10000)), Loop: true, Memory: 1})
	b.ReportAllocs()
	for b.Loop() {
		_, _ = s.Next()
	}
	_ = s.Close()
}

// everyThird owns every third draw, from its own number on.
type everyThird int64

func (p everyThird) Owns(k int64) bool    { return k%3 == int64(p) }
func (p everyThird) Number(j int64) int64 { return j*3 + int64(p) }

// TestPartsShareRows draws the rows of a source in three processes: each row is handed out once, from memory and from a stream.
func TestPartsShareRows(t *testing.T) {
	name := filepath.Join(t.TempDir(), "rows.csv")
	text := "id\n"
	var want []string
	for i := range 2000 {
		text += fmt.Sprintf("%04d\n", i)
		want = append(want, fmt.Sprintf("%04d", i))
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, memory := range []int64{0, 10} {
		var got []string
		for i := range int64(3) {
			s, list := Open(Spec{Path: name, Memory: memory})
			if list.HasErrors() {
				t.Fatal(list)
			}
			if (s.Rows() < 0) != (memory > 0) {
				t.Fatalf("%d rows with %d bytes of memory", s.Rows(), memory)
			}
			s.SetPart(everyThird(i))
			for row, ok := s.Next(); ok; row, ok = s.Next() {
				id, _ := row.Field(0)
				got = append(got, id)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("memory %d (-want +got):\n%s", memory, diff)
		}
	}
}

// The draw that takes the last row knows it, from memory and from a stream, wherever windows end, and also when the last of them holds
// rows of other processes only.
func TestSpent(t *testing.T) {
	for _, rows := range []int{1, 2, 3, windowRows - 1, windowRows, windowRows + 1, 2 * windowRows, 2*windowRows + 1} {
		name := write(t, numbers(rows))
		for _, memory := range []int64{0, 1} {
			for _, random := range []bool{false, true} {
				for process := int64(-1); process < 3; process++ {
					s, list := Open(Spec{Path: name, Memory: memory, RandomOrder: random})
					if list.HasErrors() {
						t.Fatal(list)
					}
					want := rows
					if process >= 0 {
						s.SetPart(everyThird(process))
						want = (rows + 2 - int(process)) / 3
					}
					at := fmt.Sprintf("%d rows, memory %d, random %v, process %d", rows, memory, random, process)
					for i := 1; i <= want; i++ {
						if _, ok := s.Next(); !ok || s.Spent() != (i == want) {
							t.Errorf("%s: draw %d of %d: %v, spent %v", at, i, want, ok, s.Spent())
							break
						}
					}
					if _, ok := s.Next(); ok {
						t.Errorf("%s: more than %d rows", at, want)
					}
					if err := s.Close(); err != nil {
						t.Error(err)
					}
				}
			}
		}
	}
}

// Rows before a mistake are handed out, and the last of them does not pass for the end.
func TestMistakeIsNoEnd(t *testing.T) {
	content := numbers(sampleRows+windowRows) + "\"x\n"
	s, list := Open(Spec{Path: write(t, content), Memory: 1})
	if list.HasErrors() {
		t.Fatal(list)
	}
	n := 0
	for _, ok := s.Next(); ok; _, ok = s.Next() {
		if n++; s.Spent() {
			t.Fatalf("spent after %d", n)
		}
	}
	if n != sampleRows+windowRows || s.Err() == nil {
		t.Errorf("%d rows, %v", n, s.Err())
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
