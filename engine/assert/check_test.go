package assert

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/engine/extract"
)

// fixed is a text that is the same for everyone.
type fixed string

func (f fixed) Append(dst []byte, _ int) ([]byte, error) { return append(dst, f...), nil }
func (f fixed) Constant() (string, bool)                 { return string(f), true }

// perUser is a text that differs per user; "!" cannot be written.
type perUser string

func (f perUser) Append(dst []byte, _ int) ([]byte, error) {
	if f == "!" {
		return dst, errors.New("the variable is not set")
	}
	return append(dst, f...), nil
}
func (f perUser) Constant() (string, bool) { return "", false }

func texts(patterns ...string) (all []extract.Text[int]) {
	for _, p := range patterns {
		all = append(all, fixed(p))
	}
	return all
}

// answer is a predicate that is always the same.
type answer struct {
	ok  bool
	err error
}

func (a answer) Eval(int) (bool, error) { return a.ok, a.err }
func (a answer) NeedsBody() bool        { return true }
func (a answer) NeedsHead() bool        { return false }
func (a answer) Source() string         { return "status == 200" }

const body = `{"type":"FeatureCollection","features":[{"id":"a","n":1},{"id":"b","n":2}],"next":null,"when":"2024-01-01T00:00:00+00:00"}`

func response(text string) *extract.Response {
	return &extract.Response{Status: 404, Head: []byte("HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n"), Body: []byte(text)}
}

func TestCheck(t *testing.T) {
	tests := []struct {
		name string
		spec Spec[int]
		body string
		want string // "" holds
	}{
		{"substring", Spec[int]{Patterns: texts(`"id":"b"`)}, body, ""},
		{"substring is missing", Spec[int]{Patterns: texts(`"id":"c"`)}, "<html>oops", `the body does not contain "\"id\":\"c\"": it begins with "<html>oops"`},
		{"substring in nothing", Spec[int]{Patterns: texts("x")}, "", `the body does not contain "x": it is empty`},
		{"all must match", Spec[int]{Patterns: texts("id", "nope")}, body, `the body does not contain "nope": it begins with "{\"type\":\"FeatureCollection\",\"features\":[{\"id\":\"a\",\"n\":1},{\"id\":\"b\",\"n\"…"`},
		{"none may match", Spec[int]{Patterns: texts("error", "Feature"), Not: true}, body, `the body contains "Feature", which it must not`},
		{"none matches", Spec[int]{Patterns: texts("error", "fault"), Not: true}, body, ""},
		{"regexp searches", Spec[int]{Patterns: texts(`"n":[12]\b`), Regexp: true}, body, ""},
		{"a dot is special", Spec[int]{Patterns: texts("Feature.ollection"), Regexp: true}, body, ""},
		{"a dot is itself", Spec[int]{Patterns: texts("Feature.ollection")}, "x", `the body does not contain "Feature.ollection": it begins with "x"`},
		{"status", Spec[int]{Patterns: texts("4.."), Regexp: true, Subject: "http-code"}, "", ""},
		{"another status", Spec[int]{Patterns: texts("2.."), Regexp: true, Subject: "http-code"}, "", `the status is 404, expected "2.."`},
		{"headers", Spec[int]{Patterns: texts("Content-Type: text/.*"), Regexp: true, Subject: "headers"}, "", ""},
		{"per user", Spec[int]{Patterns: []extract.Text[int]{perUser("b\",")}}, body, ""},
		{"per user, cannot be written", Spec[int]{Patterns: []extract.Text[int]{perUser("!")}}, body, "the pattern cannot be used: the variable is not set"},
		{"per user, not a pattern", Spec[int]{Patterns: []extract.Text[int]{perUser("(")}, Regexp: true}, body, "the pattern cannot be used: missing closing ): `(`"},

		{"path exists", Spec[int]{Kind: JSONPath, Query: fixed("$.features[1].id")}, body, ""},
		{"path exists, null", Spec[int]{Kind: JSONPath, Query: fixed("$.next")}, body, ""},
		{"path does not exist", Spec[int]{Kind: JSONPath, Query: fixed("$.features[2]")}, body, `the JSONPath "$.features[2]" selects nothing`},
		{"path must not exist", Spec[int]{Kind: JSONPath, Query: fixed("$.next"), Not: true}, body, `the JSONPath "$.next" selects something, which it must not`},
		{"body is not JSON", Spec[int]{Kind: JSONPath, Query: fixed("$.a"), Not: true}, "<html>", `the JSONPath "$.a": the body is not JSON: it begins with "<html>"`},
		{"value", Spec[int]{Kind: JSONPath, Query: fixed("$.type"), Expected: fixed("FeatureCollection")}, body, ""},
		{"other value", Spec[int]{Kind: JSONPath, Query: fixed("$.type"), Expected: fixed("Feature")}, body, `the JSONPath "$.type": expected "Feature", saw "FeatureCollection"`},
		{"pattern matches the whole value", Spec[int]{Kind: JSONPath, Query: fixed("$.type"), Expected: fixed("Feature"), Regexp: true}, body, `the JSONPath "$.type": expected "Feature", saw "FeatureCollection"`},
		{"pattern", Spec[int]{Kind: JSONPath, Query: fixed("$.type"), Expected: fixed("Fea.*|x"), Regexp: true}, body, ""},
		{"pattern that is the value itself", Spec[int]{Kind: JSONPath, Query: fixed("$.when"), Expected: fixed("2024-01-01T00:00:00+00:00"), Regexp: true}, body, ""},
		{"one of several", Spec[int]{Kind: JSONPath, Query: fixed("$.features[*].id"), Expected: perUser("b")}, body, ""},
		{"none of several", Spec[int]{Kind: JSONPath, Query: fixed("$.features[*].id"), Expected: fixed("c")}, body, `the JSONPath "$.features[*].id": expected "c", saw "a" and 1 more`},
		{"value must differ", Spec[int]{Kind: JSONPath, Query: fixed("$.type"), Expected: fixed("FeatureCollection"), Not: true}, body, `the JSONPath "$.type" is "FeatureCollection", which it must not be`},
		{"null expected", Spec[int]{Kind: JSONPath, Query: fixed("$.next"), ExpectNull: true}, body, ""},
		{"null expected, value seen", Spec[int]{Kind: JSONPath, Query: fixed("$.type"), ExpectNull: true}, body, `the JSONPath "$.type": expected null, saw "FeatureCollection"`},
		{"value expected, nothing there", Spec[int]{Kind: JSONPath, Query: fixed("$.x"), Expected: fixed("1")}, body, `the JSONPath "$.x": expected "1", saw nothing`},
		{"length", Spec[int]{Kind: JSONPath, Query: fixed("$.features.length()"), Expected: fixed("2")}, body, ""},

		{"xpath", Spec[int]{Kind: XPath, Query: fixed("//b[@c='1']")}, `<a><b c="1"/></a>`, ""},
		{"xpath selects nothing", Spec[int]{Kind: XPath, Query: fixed("//x")}, `<a/>`, `the XPath "//x" selects nothing`},
		{"xpath condition", Spec[int]{Kind: XPath, Query: fixed("count(//b) = 2")}, `<a><b/><b/></a>`, ""},
		{"xpath condition is false", Spec[int]{Kind: XPath, Query: fixed("count(//b) = 2")}, `<a><b/></a>`, `the XPath "count(//b) = 2" selects nothing`},
		{"xpath tolerant", Spec[int]{Kind: XPath, Query: fixed("//p"), Tolerant: true}, "<p>a<p>b", ""},
		{"xpath of what is not XML", Spec[int]{Kind: XPath, Query: fixed("//p")}, "{}", `the XPath "//p": the body is not XML: xmlquery: invalid XML document`},
		{"css", Spec[int]{Kind: CSS, Query: fixed("p.x")}, `<p class="x">`, ""},
		{"css selects nothing", Spec[int]{Kind: CSS, Query: fixed("p.y")}, `<p class="x">`, `the CSS selector "p.y" selects nothing`},

		{"expression", Spec[int]{Kind: Expr, Condition: answer{ok: true}}, "", ""},
		{"expression is false", Spec[int]{Kind: Expr, Condition: answer{}}, "", `"status == 200" is not true (status 404)`},
		{"expression inverted", Spec[int]{Kind: Expr, Condition: answer{ok: true}, Not: true}, "", `"status == 200" is true (status 404)`},
		{"expression that fails", Spec[int]{Kind: Expr, Condition: answer{err: errors.New("nil.x")}, Not: true}, "", `"status == 200": nil.x`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			k, list := Compile(tt.spec)
			if len(list) > 0 {
				t.Fatal(list)
			}
			ok, text := k.Test(response(tt.body), 0)
			if ok != (tt.want == "") {
				t.Errorf("ok is %v", ok)
			}
			if diff := cmp.Diff(tt.want, text); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestCompileMistakes(t *testing.T) {
	pos, queryPos := diag.Pos{File: "f", Line: 1, Column: 2}, diag.Pos{File: "f", Line: 3, Column: 4}
	tests := []struct {
		name string
		spec Spec[int]
		want string
	}{
		{"pattern", Spec[int]{Patterns: texts("a", "("), Regexp: true, PatternPos: []diag.Pos{pos, queryPos}}, "f:3:4: bad-regexp: the pattern \"(\": missing closing ): `(`"},
		{"no pattern", Spec[int]{}, "f:1:2: bad-value: there is nothing to look for"},
		{"subject", Spec[int]{Patterns: texts("a"), Subject: "code-http"}, `f:1:2: bad-value: unknown subject "code-http"`},
		{"jsonpath", Spec[int]{Kind: JSONPath, Query: fixed("$.[")}, `f:3:4: bad-jsonpath: the JSONPath "$.[": unexpected eof at position 3`},
		{"expected value", Spec[int]{Kind: JSONPath, Query: fixed("$.a"), Expected: fixed("("), Regexp: true}, "f:1:2: bad-regexp: the expected value \"(\": missing closing ): `(`"},
		{"xpath", Spec[int]{Kind: XPath, Query: fixed("//")}, `f:3:4: bad-xpath: the XPath "//": expression must evaluate to a node-set`},
		{"css", Spec[int]{Kind: CSS, Query: fixed("..")}, `f:3:4: bad-css: the CSS selector "..": expected identifier, found . instead`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.spec.Pos, tt.spec.QueryPos = pos, queryPos
			_, list := Compile(tt.spec)
			if len(list) != 1 {
				t.Fatalf("want one diagnostic, got %v", list)
			}
			if diff := cmp.Diff(tt.want, list[0].Pos.String()+": "+list[0].Code+": "+list[0].Message); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if list[0].Hint == "" {
				t.Error("no hint")
			}
		})
	}
}

func TestTextIsBounded(t *testing.T) {
	long := strings.Repeat("\x01é\"", 5000)
	for _, spec := range []Spec[int]{
		{Patterns: texts(long)},
		{Patterns: texts(long), Subject: "http-code"},
		{Kind: JSONPath, Query: fixed("$['" + strings.Repeat("é", 2000) + "']"), Expected: fixed(long)},
	} {
		k, list := Compile(spec)
		if len(list) > 0 {
			t.Fatal(list)
		}
		ok, text := k.Test(response(`{"a": "`+strings.Repeat("x", 5000)+`"}`), 0)
		if ok || text == "" || len(text) > MaxText || strings.ContainsAny(text, "\n\x01") {
			t.Errorf("%d bytes: %s", len(text), text)
		}
	}
}

func TestNeedle(t *testing.T) {
	haystack := []byte(body + strings.Repeat("zzzz", 100) + "zq")
	for _, text := range []string{"", "{", `"id":"b"`, "+00:00", "zq", "zz", "Q", "zzzzq0", body, string(haystack), string(haystack) + "x"} {
		if got, want := newNeedle([]byte(text)).in(haystack), strings.Contains(string(haystack), text); got != want {
			t.Errorf("%.20q: got %v", text, got)
		}
	}
}

func FuzzNeedle(f *testing.F) {
	f.Add("abcabd", "abd")
	f.Add("\"\"\"\"\"", "\"\"")
	f.Fuzz(func(t *testing.T, haystack, text string) {
		if got, want := newNeedle([]byte(text)).in([]byte(haystack)), strings.Contains(haystack, text); got != want {
			t.Errorf("%q in %q: got %v", text, haystack, got)
		}
	})
}
