package config

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/diag"
)

// parseOne reads the only document of a text.
func parseOne(t *testing.T, name, text string) *Node {
	t.Helper()
	docs, diags := Read(name, []byte(text))
	if diags.HasErrors() || len(docs) != 1 {
		t.Fatalf("%s: %d documents, %v", text, len(docs), diags)
	}
	return docs[0]
}

func TestMerge(t *testing.T) {
	tests := []struct {
		name  string
		files []string
		want  string
		says  []string
	}{
		{name: "mapping onto mapping", files: []string{"a: {x: 1, y: 2}", "a: {y: 3, z: 4}"}, want: "{a: {x: 1, y: 3, z: 4}}"},
		{name: "mapping onto scalar", files: []string{"a: 1", "a: {~x: 1, ^y: 2}"}, want: "{a: {x: 1}}"},
		{name: "mapping onto null", files: []string{"a:", "a: {x: 1}"}, want: "{a: {x: 1}}"},
		{name: "mapping onto list", files: []string{"a: [1]", "a: {x: 1}"}, want: "{a: {x: 1}}",
			says: []string{`1:1 merge-replaces: "a" is a mapping here and a list before, so it replaces what was there (1:4 the list that is lost)`}},
		{name: "list onto list", files: []string{"a: [1, 2]", "a: [3]"}, want: "{a: [1, 2, 3]}"},
		{name: "list onto mapping", files: []string{"execution: {concurrency: 1}", "execution: [{concurrency: 2}]"}, want: "{execution: [{concurrency: 2}]}",
			says: []string{`1:1 merge-replaces: "execution" is a list here and a mapping before, so it replaces what was there (1:12 the mapping that is lost)`}},
		{name: "list onto scalar", files: []string{"a: 1", "a: [3]"}, want: "{a: [3]}"},
		{name: "scalar onto anything", files: []string{"a: {x: 1}\nb: [1]\nc: 1", "a: 1\nb: 2\nc: 3"}, want: "{a: 1, b: 2, c: 3}"},
		{name: "null stays as null", files: []string{"a: {x: 1}\nb: 1", "a:\nb: null"}, want: "{a: null, b: null}"},
		{name: "~ drops a mapping first", files: []string{"a: {x: 1}\nb: 1", "~a: {y: 2}"}, want: "{b: 1, a: {y: 2}}"},
		{name: "~ drops a list first", files: []string{"a: [1, 2]", "~a: [3]"}, want: "{a: [3]}"},
		{name: "~ on a scalar", files: []string{"a: 1", "~a: 2"}, want: "{a: 2}"},
		{name: "~ at depth", files: []string{"a: {b: {c: [1], d: 1}}", "a: {b: {~c: [2]}}"}, want: "{a: {b: {d: 1, c: [2]}}}"},
		{name: "~ in the first file", files: []string{"~a: 1"}, want: "{a: 1}"},
		{name: "~ silences the warning of another form", files: []string{"a: {x: 1}", "~a: [1]"}, want: "{a: [1]}"},
		{name: "^ deletes", files: []string{"a: 1\nb: {c: 1, d: 2}", "^a: ignored\nb: {^c: }"}, want: "{b: {d: 2}}"},
		{name: "^ of a missing key", files: []string{"a: 1", "^b: 1"}, want: "{a: 1}"},
		{name: "order inside one mapping: deleted", files: []string{"a: 1\n^a: x"}, want: "{}"},
		{name: "order inside one mapping: set", files: []string{"^a: x\na: 1"}, want: "{a: 1}"},
		{name: "$ merges items of lists", files: []string{"a: [{x: 1, y: 2}, {z: 1}, 5]", "$a: [{y: 3, ~w: 4}]"}, want: "{a: [{x: 1, y: 3, w: 4}, {z: 1}, 5]}"},
		{name: "$ adds further items as they are", files: []string{"a: [{x: 1}]", "$a: [{x: 2}, {~y: 1}]"}, want: "{a: [{x: 2}, {~y: 1}]}"},
		{name: "$ overwrites what is no mapping, with a warning", files: []string{"a: [1, {x: 1}]", "$a: [2, 3]"}, want: "{a: [2, 3]}", says: []string{
			"1:6 merge-overwrites: item 0 of the list is overwritten, because not both are mappings (1:5 the value that is lost)",
			"1:9 merge-overwrites: item 1 of the list is overwritten, because not both are mappings (1:8 the value that is lost)"}},
		{name: "$ on mappings and scalars is no prefix", files: []string{"a: {x: 1}\nb: 1", "$a: {y: 2}\n$b: 2"}, want: "{a: {x: 1, y: 2}, b: 2}"},
		{name: "$ onto a missing list", files: []string{"$a: [{~x: 1}]"}, want: "{a: [{~x: 1}]}"},
		{name: "no directives inside appended items", files: []string{"a: [1]", "a: [{~b: 1, ^c: 2, $or: []}]"}, want: "{a: [1, {~b: 1, ^c: 2, $or: []}]}"},
		{name: "only one prefix is read", files: []string{"a: 1", "~~a: 2"}, want: "{a: 1, ~a: 2}"},
		{name: "a template as key loses its dollar", files: []string{"v: {\"${x}\": 1, \"$${y}\": 2}"}, want: "{v: {{x}: 1, ${y}: 2}}", says: []string{
			`1:5 directive-key: the $ of key "${x}" is a merge directive, so the key becomes "{x}"`}},
		{name: "a directive alone", files: []string{"a: {\"^\": 1, b: 2}"}, want: "{a: {b: 2}}", says: []string{`1:5 bad-directive: nothing follows the merge directive "^"`}},
		{name: "empty key and numbers as keys", files: []string{"\"\": 1\n200: x", "200: y"}, want: `{: 1, 200: "y"}`},
		{name: "three files", files: []string{"a: [1]", "a: [2]", "a: [3]\nb: 1"}, want: "{a: [1, 2, 3], b: 1}"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var docs []*Node
			for _, text := range test.files {
				docs = append(docs, parseOne(t, "f.yml", text))
			}
			got, diags := Merge(docs...)
			if show(got) != test.want {
				t.Errorf("got  %s\nwant %s", show(got), test.want)
			}
			if diff := cmp.Diff(test.says, lines(diags)); diff != "" {
				t.Errorf("diagnostics (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMergeRemembersWhatIsHidden(t *testing.T) {
	got, _ := Merge(parseOne(t, "a", "x: 1\ny: {z: 1}"), parseOne(t, "b", "x: 2"), parseOne(t, "c", "\nx: 3\n~y: {q: 1}"))
	x := got.Get("x")
	if x.Pos != (diag.Pos{File: "c", Line: 2, Column: 4}) {
		t.Errorf("x stands at %v", x.Pos)
	}
	want := []diag.Pos{{File: "a", Line: 1, Column: 4}, {File: "b", Line: 1, Column: 4}}
	if diff := cmp.Diff(want, x.Hidden); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]diag.Pos{{File: "a", Line: 2, Column: 4}}, got.Get("y").Hidden); diff != "" {
		t.Error(diff)
	}
	if e := got.Entry("x"); e.KeyPos.File != "c" {
		t.Errorf("key of x stands at %v", e.KeyPos)
	}
}

// withoutLists reports whether merging a document with itself must change nothing.
func withoutLists(n *Node) bool {
	if n.Kind == Sequence && len(n.Items) > 0 {
		return false
	}
	for _, e := range n.Entries {
		if e.Key != "" && (e.Key[0] == '~' || e.Key[0] == '^' || e.Key[0] == '$') || !withoutLists(e.Value) {
			return false
		}
	}
	return true
}

func FuzzMerge(f *testing.F) {
	for _, seed := range [][2]string{
		{"a: {b: [1]}", "a: {~b: [2]}"}, {"a: [{x: 1}]", "$a: [{y: 2}, 3]"}, {"a: 1\n^a: 2", "a: {x: {y: 1}}"},
		{"x: {y: {z: 1}}", "x: {y: {^z: 1, w: 2}}"}, {"$a: [1]", "^a: "}, {"a: {}", "a: []"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, first, second string) {
		a, diagsA := Read("a", []byte(first))
		b, diagsB := Read("b", []byte(second))
		if diagsA.HasErrors() || diagsB.HasErrors() || len(a) == 0 || len(b) == 0 {
			return
		}
		plain := withoutLists(b[0])
		before := show(b[0])
		once, _ := Merge(a[0].Clone(), b[0].Clone())
		if again, _ := Merge(a[0].Clone(), b[0].Clone(), b[0].Clone()); plain && show(again) != show(once) {
			t.Errorf("%q onto %q is not idempotent: %s, then %s", second, first, show(once), show(again))
		}
		if alone, _ := Merge(b[0].Clone()); plain && show(alone) != before {
			t.Errorf("%s merged into nothing gives %s", before, show(alone))
		}
		roundTrip(t, once)
	})
}

func deleteCode(list diag.List, code string) diag.List {
	return slices.DeleteFunc(list, func(d diag.Diagnostic) bool { return d.Code == code })
}
