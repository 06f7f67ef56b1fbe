package config

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/diag"
)

// show gives a tree on one line; plain scalars that are no text are marked by their type.
func show(n *Node) string {
	switch {
	case n == nil:
		return "nil"
	case n.Kind == Scalar && n.Plain() == PlainText:
		return fmt.Sprintf("%q", n.Text)
	case n.Kind == Scalar:
		return n.Text
	}
	var parts []string
	for _, item := range n.Items {
		parts = append(parts, show(item))
	}
	for _, e := range n.Entries {
		parts = append(parts, e.Key+": "+show(e.Value))
	}
	switch n.Kind {
	case Sequence:
		return "[" + strings.Join(parts, ", ") + "]"
	case Mapping:
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return "null"
}

func showAll(docs []*Node) string {
	var all []string
	for _, doc := range docs {
		all = append(all, show(doc))
	}
	return strings.Join(all, " --- ")
}

// lines gives diagnostics as short lines without the file.
func lines(list diag.List) []string {
	var all []string
	for _, d := range list {
		line := fmt.Sprintf("%d:%d %s: %s", d.Pos.Line, d.Pos.Column, d.Code, d.Message)
		for _, note := range d.Notes {
			line += fmt.Sprintf(" (%d:%d %s)", note.Pos.Line, note.Pos.Column, note.Message)
		}
		all = append(all, line)
	}
	return all
}

func TestRead(t *testing.T) {
	tests := []struct {
		name, text, want string
		says             []string
	}{
		{name: "order of keys and types", text: "b: 1\na: x\nc: [true, 1.5, null, ~]\n", want: `{b: 1, a: "x", c: [true, 1.5, null, null]}`},
		{name: "source text is kept", text: "a: 00123\nb: 2020-01-01\nc: '1'\nd: 1e3\ne: 1:30\nf: yes\ng: 08\n",
			want: `{a: "00123", b: "2020-01-01", c: "1", d: 1e3, e: "1:30", f: "yes", g: "08"}`},
		{name: "several documents, empty ones left out", text: "a: 1\n---\n---\n{\"b\": 2}\n...\n", want: "{a: 1} --- {b: 2}"},
		{name: "byte-order mark, CRLF and a first line for the shell", text: "\uFEFF#!/usr/bin/env stacrun\r\na: 1\r\nb: 2\r\n", want: "{a: 1, b: 2}"},
		{name: "UTF-16", text: "\xff\xfea\x00:\x00 \x00\xe9\x00", want: `{a: "é"}`},
		{name: "nothing at all", text: "# nothing\n"},
		{name: "a slash that is escaped in YAML", text: "a: \"x\\/y\\/z\\n\"\nb: 'x\\/y'\nc: x\\/y\nd: [\"\\/\", \"é\\\\\\/\"]\n---\ne: \"\\/\"\n",
			want: `{a: "x/y/z\n", b: "x\\/y", c: "x\\/y", d: ["/", "é\\/"]} --- {e: "/"}`},
		{name: "JSON that is no YAML", text: "{\"a\": \"x\\/y\",\n \"b\": [1, 2.50, true, null], \"a\": 2}", want: `{a: 2, b: [1, 2.50, true, null]}`,
			says: []string{`2:30 duplicate-key: key "a" stands here again, and the last one counts (1:2 the one before)`}},
		{name: "tabs", text: "a:\n\tb: 1\n\tc: 2\n", want: "{a: {b: 1, c: 2}}", says: []string{
			"2:1 tab: tabs in the indentation of lines 2 to 3 were read as 4 spaces"}},
		{name: "a run of tabs after spaces is one step", text: "a:\n  \t\tb: 1\n", want: "{a: {b: 1}}", says: []string{"2:3 tab: tabs in the indentation of this line were read as 4 spaces"}},
		{name: "tabs in a block text are content", text: "a: |\n  x\n  \ty\n", want: `{a: "x\n\ty\n"}`},
		{name: "duplicate key", text: "a:\n  x: 1\n  y: 2\n  x: 3\n", want: "{a: {x: 3, y: 2}}",
			says: []string{`4:3 duplicate-key: key "x" stands here again, and the last one counts (2:3 the one before)`}},
		{name: "keys become text", text: "200: a\non: b\n1.5: c\n~: d\n? e\n: f\n", want: `{200: "a", on: "b", 1.5: "c", null: "d", e: "f"}`},
		{name: "a key that is a list", text: "? [a]\n: b\nc: 1\n", want: "{c: 1}", says: []string{"1:3 bad-key: a key must be a text, not a list or a mapping"}},
		{name: "braces for a template", text: "a: {{x}}\n", want: "{a: {}}", says: []string{"1:4 bad-key: a key must be a text, not a list or a mapping"}},
		{name: "aliases are copies", text: "a: &x {n: 1}\nb: *x\nc: [*x]\n", want: "{a: {n: 1}, b: {n: 1}, c: [{n: 1}]}"},
		{name: "an alias as key", text: "a: &k key\n*k : 1\n", want: `{a: "key", key: 1}`},
		{name: "merge key: own keys win wherever they stand", text: "b: &b {x: 1, y: 2}\nc:\n  y: 3\n  <<: *b\n  z: 4\n", want: "{b: {x: 1, y: 2}, c: {x: 1, y: 3, z: 4}}"},
		{name: "merge key: the earlier of a list wins", text: "a: &a {x: 1}\nb: &b {x: 2, y: 3}\nc: {<<: [*a, *b, {z: 5}]}\n", want: "{a: {x: 1}, b: {x: 2, y: 3}, c: {x: 1, y: 3, z: 5}}"},
		{name: "merge key: a quoted one is a key", text: "a: {\"<<\": 1}\n", want: "{a: {<<: 1}}"},
		{name: "merge key: no mapping", text: "a:\n  <<: 3\n  b: 1\n", want: "{a: {b: 1}}", says: []string{"2:7 bad-merge-key: the value of << must be a mapping or a list of mappings, not a scalar"}},
		{name: "alias inside its own value", text: "a: &a\n  b: *a\n", want: "{a: {b: null}}", says: []string{`2:6 alias-cycle: alias "*a" stands inside the value that it names (1:4 &a is defined here)`}},
		{name: "merge key inside its own value", text: "a: &a\n  <<: *a\n  b: 1\n", want: "{a: {b: 1}}", says: []string{`2:7 alias-cycle: alias "*a" stands inside the value that it names (1:4 &a is defined here)`}},
		{name: "tags of the core are fine", text: "a: !!str 1\nb: !!int \"3\"\nc: !!null ''\n", want: `{a: "1", b: 3, c: null}`},
		{name: "unknown tags", text: "a: !include x.yml\nb: !!python/object:os.system ls\n", want: `{a: "x.yml", b: "ls"}`, says: []string{
			`1:4 include-tag: unknown tag "!include"`, `2:4 unknown-tag: unknown tag "!!python/object:os.system"`}},
		{name: "a list at the top", text: "a: 1\n---\n- b\n", want: "{a: 1}", says: []string{"3:1 not-a-mapping: a document must be a mapping, this one is a list"}},
		{name: "a text at the top", text: "hello world\n", says: []string{`1:1 not-a-mapping: a document must be a mapping, this one is the text "hello world"`}},
		{name: "empty blocks are null", text: "a:\nb: 1\n", want: "{a: null, b: 1}"},
		{name: "null by the text only", text: "a: Null\nb: 'null'\nc: nULL\n", want: `{a: null, b: "null", c: "nULL"}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			docs, diags := Read("f.yml", []byte(test.text))
			if got := showAll(docs); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			if diff := cmp.Diff(test.says, lines(diags)); diff != "" {
				t.Errorf("diagnostics (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadSyntaxErrors(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"second colon on line 1", "a: b: c", `1:5 syntax: a second key and value cannot begin here`},
		{"second colon, columns in characters", "x: 1\né: é: 1\n", `2:5 syntax: a second key and value cannot begin here`},
		{"template with a colon", "a: ${x: 1}\n", `1:7 syntax: a second key and value cannot begin here`},
		{"indented too little", "execution:\n- scenario: x\n  hold-for: 1m\n concurrency: 2\n", `4:2 syntax: the indentation of this line fits no block above it (1:1 the block begins here, in column 1)`},
		{"indented too much", "a:\n  b: 1\n   c: 2\n", `3:4 syntax: this line is indented more than the one above, which has its value already`},
		{"reserved character", "a: 1\nb: @x\n", `2:4 syntax: a value cannot begin with "@"`},
		{"accept header", "h:\n  Accept: */*\n", `2:11 syntax: "*" is not followed by a name`},
		{"unknown anchor", "a: 1\nb: [*nope]\n", `2:5 syntax: alias "*nope" names nothing`},
		{"open quote", "a: 1\nb: 'x\nc: 2\n", `2:4 syntax: the quote that opens here is never closed`},
		{"open bracket", "a: [1, 2\nb: 3\n", `2:2 syntax: a comma or "]" is missing before this (1:4 the list or mapping opens here)`},
		{"open brace", "a: {x: 1\nb: 3\n", `2:2 syntax: a comma or "}" is missing before this (1:4 the list or mapping opens here)`},
		{"escape", "a: \"\\q\"\n", `1:5 syntax: a backslash is not followed by an escape that YAML knows`},
		{"no colon", "a: 1\nfoo\nb: 2\n", `2:1 syntax: a key is expected here, with ":" behind it`},
		{"text behind a quote", "a: \"x\" y\n", `1:8 syntax: this cannot follow the value before it`},
		{"list items that end", "- a\nb: 1\n", `2:1 syntax: this line stands among list items but is none (1:1 the list begins here)`},
		{"item on the line of the key", "a: - b\n", `1:4 syntax: a list item cannot begin here`},
		{"closing brace", "a: }\n", `1:4 syntax: a value cannot begin with "}"`},
		{"tab that no replacement helps", "a: 1\n\tb: 2\n", `2:3 syntax: a second key and value cannot begin here`},
		{"control character", "a: 1\nb: \x01\n", `2:4 control-character: control character 0x01 is not allowed here`},
		{"not UTF-8", "a: 1\nb: caf\xe9\n", `2:7 not-utf8: the text is not valid UTF-8 (byte 0xe9)`},
		{"JSON", "{\n  \"a\": \"x\\/y\",\n  \"b\": ]\n}", `3:8 syntax: invalid JSON: invalid character ']' looking for beginning of value`},
		{"flow YAML is not judged as JSON", "{\n  a: 1,\n  b: ]\n}", `3:6 syntax: a value cannot begin with "]"`},
		{"third document", "a: 1\n---\nb: 2\n---\nc: d: e\n", `5:5 syntax: a second key and value cannot begin here`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, diags := Read("f.yml", []byte(test.text))
			got := diags[:0:0]
			for _, d := range diags {
				if d.Severity == diag.Error {
					got = append(got, d)
				}
				if d.Severity == diag.Error && d.Hint == "" && !strings.Contains(d.Message, "JSON") {
					t.Errorf("no hint: %v", d)
				}
			}
			if diff := cmp.Diff([]string{test.want}, lines(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadPositions(t *testing.T) {
	docs, _ := Read("f.yml", []byte("é: {ü: [1, 'x']}\nb: &b\n  c: 1\nd: *b\ne: |\n  text\nf:\n"))
	doc := docs[0]
	at := func(path ...string) string {
		p := doc.At(path...).Pos
		return fmt.Sprintf("%d:%d", p.Line, p.Column)
	}
	got := []string{at("é"), at("é", "ü"), at("é", "ü", "1"), at("d"), at("d", "c"), at("e"), at("f"), doc.At("d").Anchor.String()}
	want := []string{"1:4", "1:8", "1:12", "4:4", "3:6", "5:4", "7:3", "f.yml:2:4"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	value, entry, path := doc.Pointer("/é/ü/0")
	if value.Text != "1" || entry != nil || path != "é.ü.0" {
		t.Errorf("pointer gave %v %v %q", value, entry, path)
	}
}

func TestReadBombs(t *testing.T) {
	var b strings.Builder
	b.WriteString("a0: &a0 [x, x]\n")
	for i := 1; i < 30; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [*a%d, *a%d]\n", i, i, i-1, i-1)
	}
	_, diags := Read("f.yml", []byte(b.String()))
	if len(diags) != 1 || diags[0].Code != "too-many-aliases" {
		t.Errorf("aliases: %v", lines(diags))
	}
	for _, text := range []string{strings.Repeat("[", 5000) + strings.Repeat("]", 5000), strings.Repeat(`{"a":"\/",`, 1) + `"b":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + "}"} {
		_, diags = Read("f.yml", []byte("{\"x\": "+text+"}"))
		if len(diags) != 1 || diags[0].Code != "too-deep" {
			t.Errorf("depth: %v", lines(diags))
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{"a: 1\n", "a: &a [*a]\n", "{\"a\": \"\\/\"}", "a: \"x\\/y\"\nb: [x\\/, '\\/', \"\\/\"]", "a:\n\tb: 1", "<<: [{a: 1}]", "a: |\n x\n\n", "--- \n? a\n: b", "é: \"\\q\"", "*a : 1", "\xff\xfea\x00"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		docs, source, diags := readText("f", text)
		for _, d := range diags {
			if d.Pos.File != "f" || d.Pos.Line < 1 || d.Pos.Column < 1 {
				t.Fatalf("no place: %+v", d)
			}
		}
		_ = diag.Render(&strings.Builder{}, diags, diag.Sources{"f": source})
		for _, doc := range docs {
			roundTrip(t, doc)
		}
	})
}

// roundTrip writes a document and reads it again.
func roundTrip(t *testing.T, doc *Node) {
	t.Helper()
	var b strings.Builder
	if err := Format(&b, doc, FormatOptions{}); err != nil {
		t.Fatal(err)
	}
	again, diags := Read("again", []byte(b.String()))
	if diags.HasErrors() || len(again) != 1 || show(again[0]) != show(doc) {
		t.Fatalf("round trip of\n%s\nwrote\n%s\nread %s\n%v", show(doc), b.String(), showAll(again), diags)
	}
}
