package config

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/diag"
)

func TestMaskTold(t *testing.T) {
	tests := []struct {
		name, text, want string // want "": as it is
	}{
		{"a plain value", "password: hunter2 # mine\n", "password: ******* # mine\n"},
		{"a short one", "pwd: abc\n", "pwd: ***\n"},
		{"in quotes", `{token: "a \" b", x: 'y', secret: 'it''s'}`, `{token: "* ** *", x: 'y', secret: '*****'}`},
		{"JSON", `{"api-key": "k", "n": 1}`, `{"api-key": "*", "n": 1}`},
		{"flow", "headers: {Authorization: Bearer abc, accept: x}\n", "headers: {Authorization: ****** ***, accept: x}\n"},
		{"characters keep their columns", "password: pä€wort\n", "password: *******\n"},
		{"a block", "private-key: |\n  line one\n\n  line two\nx: 1\n", "private-key: |\n  **** ***\n\n  **** ***\nx: 1\n"},
		{"lines folded", "secret: one\n  two\nx: 1\n", "secret: ***\n  ***\nx: 1\n"},
		{"quotes over lines", "secret: \"one\n  two\"\nx: 1\n", "secret: \"***\n  ***\"\nx: 1\n"},
		{"a reference stays", "Authorization: Bearer ${tokn}\n", "Authorization: ****** ${tokn}\n"},
		{"a switch stays", "store-cookie: true\ntoken: true\n", ""},
		{"where a token is said to be stays", "extract-jsonpath: {token: $.access_token}\n", ""},
		{"an anchor", "a: &key hunter2\npassword: *key\n", "a: &key *******\npassword: *key\n"},
		{"the same value elsewhere", "password: hunter2\nurl: /x?y=hunter2\n", "password: *******\nurl: /x?y=*******\n"},
		{"the password of a URL", "url: http://anna:pw@h/?token=abc\n", "url: http://anna:**@h/?token=***\n"},
		{"of a URL in quotes no more than the value", `{url: "http://h/?token=abc", b: 'http://h/?x=1&pwd=abc'}`, `{url: "http://h/?token=***", b: 'http://h/?x=1&pwd=***'}`},
		{"nor of one in JSON", `["http://h/?token=abc","http://h/?token=a\"b,c"]`, `["http://h/?token=***","http://h/?token=******"]`},
		{"a reference in quotes", `url: "http://h/?token=${tokn}", x`, ""},
		{"a cookie", "cookies: [{name: a, value: b1}]\n", "cookies: [{name: a, value: **}]\n"},
		{"what cannot be read", "headers:\n  Authorization: Bearer abc\n  x: [\n", "headers:\n  Authorization: ****** ***\n  x: [\n"},
		{"nor on the line at fault", `a: {password: "abc", b: [`, `a: {password: *****, b: [`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			want := test.want
			if want == "" {
				want = test.text
			}
			list := diag.List{{Pos: diag.Pos{File: "f"}, Message: "about it"}}
			_, got := MaskTold(list, &File{Sources: diag.Sources{"f": []byte(test.text)}})
			if diff := cmp.Diff(want, string(got["f"])); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestMaskToldSentencesAndOverrides(t *testing.T) {
	s := shelf{"a.yml": "execution: {scenario: s}\nscenarios: {s: {headers: {authorization: file-sesame}, requests: [/]}}\n"}
	file, _ := Load(t.Context(), []string{"a.yml"}, Options{
		FS: s.read, Overrides: []string{"scenarios.s.headers.authorization=Bearer over-sesame", "settings.env.X=plain"},
	})
	list := diag.List{{Pos: diag.Pos{File: overrideName}}, {Pos: diag.Pos{File: "a.yml"}}, {
		Message: `"over-sesame" is wrong, and url "http://u:pw@h/?token=abc": it "?token=a\"b"`, Hint: "not file-sesame", Notes: []diag.Note{{Message: "as over-sesame"}},
	}}
	told, sources := MaskTold(list, file)
	if diff := cmp.Diff(diag.Diagnostic{Message: `"********" is wrong, and url "http://u:********@h/?token=********": it "?token=********"`, Hint: "not ********", Notes: []diag.Note{{Message: "as ********"}}}, told[2]); diff != "" {
		t.Error(diff)
	}
	if list[2].Notes[0].Message != "as over-sesame" {
		t.Error("the list that was given was changed")
	}
	if got := string(sources[overrideName]); got != "scenarios.s.headers.authorization=****** ***********\nsettings.env.X=plain\n" {
		t.Errorf("overrides are told as %q", got)
	}
	if got := string(sources["a.yml"]); strings.Contains(got, "sesame") {
		t.Errorf("the file is told as %q", got)
	}
}

// Whatever the text, its lines and their lengths stay, so that a caret stands where it stood.
func FuzzMaskTold(f *testing.F) {
	for _, seed := range []string{"password: \"a\\\"", "a: &b |\n c\npwd: *b", "\ufeffpassword: x", "token: >\n", "cookie: 'it''s\n x'", "secret: !!str  é", "{\"token\":\"\\u0041\"}", "token:\t- x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, sources := MaskTold(diag.List{{Pos: diag.Pos{File: "f"}}}, &File{Sources: diag.Sources{"f": []byte(text)}})
		was, is := strings.Split(strings.TrimPrefix(strings.ToValidUTF8(string(decodeUTF16([]byte(text))), "\uFFFD"), "\uFEFF"), "\n"), strings.Split(string(sources["f"]), "\n")
		if len(was) != len(is) {
			t.Fatalf("%d lines became %d", len(was), len(is))
		}
		for i := range was {
			if len([]rune(was[i])) != len([]rune(is[i])) {
				t.Fatalf("line %d: %q became %q", i+1, was[i], is[i])
			}
		}
	})
}

// TestSecretThatBeginsAsAnother: of two secrets of which one is the beginning of the other, nothing of either is shown.
func TestSecretThatBeginsAsAnother(t *testing.T) {
	document := "scenarios: {s: {headers: {x-token: sesame, y-token: sesame-street, z-token: sesame-street-seven}}}\nsettings: {env: {A_TOKEN: sesame-street-s, PASSWORD: sesame-street-seven-left}}\n"
	for range 20 { // however they are ordered
		file, _ := Load(t.Context(), nil, Options{Documents: []Document{{Name: "a.yml", Text: []byte(document)}}})
		note := Entry{Key: "note", Value: &Node{Kind: Scalar, Text: "sesame-street-seven-left"}}
		masked := MaskSecrets(&Node{Kind: Mapping, Entries: append(slices.Clone(file.Document.Entries), note)})
		if got := masked.Get("note").Text; got != Mask {
			t.Fatalf("it is shown as %q in a document", got)
		}
		secrets := SecretsOf(file.Document)
		for _, text := range []string{"sesame", "sesame-street", "sesame-street-seven", "sesame-street-seven-left"} {
			if got := secrets.Mask("it was " + text); got != "it was "+Mask {
				t.Fatalf("%s is shown as %q", text, got)
			}
			m := sourceMasker{secrets: secrets, lines: []string{text}}
			if m.line(0, false); m.lines[0] != stars(text) {
				t.Fatalf("%s is shown as %q in its line", text, m.lines[0])
			}
		}
	}
}
