package extract

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/stacrun/stacrun/diag"
)

// fixed is a text that is the same for everyone.
type fixed string

func (f fixed) Append(dst []byte, _ int) ([]byte, error) { return append(dst, f...), nil }
func (f fixed) Constant() (string, bool)                 { return string(f), true }

// perUser is a text that differs per user.
type perUser string

func (f perUser) Append(dst []byte, _ int) ([]byte, error) { return append(dst, f...), nil }
func (f perUser) Constant() (string, bool)                 { return "", false }

func ptr[T any](v T) *T { return &v }

const feature = `{"type":"FeatureCollection","features":[{"id":"a","n":1.50,"properties":{"eo:cloud_cover":12.5,"tags":["x","y"]}},` +
	`{"id":"b","n":12345678901234567890,"properties":{"eo:cloud_cover":99,"tags":[]}}],"next":null,"big":"é\u0041","links":[{"rel":"self","href":"/s"},{"rel":"next","href":"/n?a=b"}],"1":"one"}`

const page = `<html><head><title> Search
 page </title></head><body><a class="next" href="/2">two</a><a class="next" href="/3">three</a><input name="token" value="t-1"><p>a &amp; b<br></body></html>`

const document = `<?xml version="1.0"?><m:root xmlns:m="urn:m"><m:item id="1">one</m:item><m:item id="2">two</m:item></m:root>`

const head = "HTTP/1.1 201 Created\r\nLocation: /items/7\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nX-Folded: one\r\n two\r\n\r\n"

func response(body string) *Response {
	return &Response{Status: 201, Head: []byte(head), Body: []byte(body), URL: "http://h/items?x=1", RequestHead: []byte("GET / HTTP/1.1\r\nHost: h\r\n\r\n")}
}

func TestExtract(t *testing.T) {
	tests := []struct {
		name, body string
		spec       Spec[int]
		keep       bool
		want       Result
	}{
		{"jsonpath", feature, Spec[int]{Query: fixed("$.features[1].id")}, false, Result{Found: true, Matched: true, Value: "b", Count: 1}},
		{"jsonpath per user", feature, Spec[int]{Query: perUser("$.features[1].id")}, false, Result{Found: true, Matched: true, Value: "b", Count: 1}},
		{"jsonpath first of several", feature, Spec[int]{Query: fixed("$.features[*].id")}, false, Result{Found: true, Matched: true, Value: "a", Count: 1}},
		{"jsonpath n-th", feature, Spec[int]{Query: fixed("$.features[*].id"), MatchNo: ptr(2)}, false, Result{Found: true, Matched: true, Value: "b", Count: 2}},
		{"jsonpath n-th does not exist", feature, Spec[int]{Query: fixed("$.features[*].id"), MatchNo: ptr(3)}, false,
			Result{Value: NotFound, Count: 2, Reason: "there are only 2 matches, match-no is 3"}},
		{"jsonpath all", feature, Spec[int]{Query: fixed("$.features[*].id"), MatchNo: ptr(-1)}, false,
			Result{Found: true, Matched: true, Value: "a", Count: 2, Values: []string{"a", "b"}}},
		{"jsonpath kept", feature, Spec[int]{Query: fixed("$.features[*].id"), MatchNo: ptr(2)}, true,
			Result{Found: true, Matched: true, Value: "b", Count: 2, Values: []string{"a", "b"}}},
		{"jsonpath filter", feature, Spec[int]{Query: fixed("$.links[?(@.rel=='next')].href")}, false, Result{Found: true, Matched: true, Value: "/n?a=b", Count: 1}},
		{"jsonpath null is empty", feature, Spec[int]{Query: fixed("$.next")}, false, Result{Found: true, Matched: true, JSON: true, Count: 1}},
		{"jsonpath number as written", feature, Spec[int]{Query: fixed("$.features[0].n")}, false, Result{Found: true, Matched: true, JSON: true, Value: "1.50", Count: 1}},
		{"jsonpath decoded number as written", feature, Spec[int]{Query: fixed("$.features[-1].n")}, false, Result{Found: true, Matched: true, JSON: true, Value: "12345678901234567890", Count: 1}},
		{"jsonpath object as JSON", feature, Spec[int]{Query: fixed("$.features[0].properties")}, false,
			Result{Found: true, Matched: true, JSON: true, Value: `{"eo:cloud_cover":12.5,"tags":["x","y"]}`, Count: 1}},
		{"jsonpath decoded list as JSON", feature, Spec[int]{Query: fixed("$..tags")}, false, Result{Found: true, Matched: true, JSON: true, Value: `["x","y"]`, Count: 1}},
		{"jsonpath some that are no strings", `["a",1,null,"2"]`, Spec[int]{Query: fixed("$[*]"), MatchNo: ptr(-1)}, false,
			Result{Found: true, Matched: true, Value: "a", Count: 4, Values: []string{"a", "1", "", "2"}, Typed: []bool{false, true, true}}},
		{"jsonpath what only looks like a number", `{"id":007}`, Spec[int]{Query: fixed("$.id")}, false, Result{Found: true, Matched: true, Value: "007", Count: 1}},
		{"jsonpath escapes", feature, Spec[int]{Query: fixed("$.big")}, false, Result{Found: true, Matched: true, Value: "éA", Count: 1}},
		{"jsonpath name that is a number", feature, Spec[int]{Query: fixed("$['1']")}, false, Result{Found: true, Matched: true, Value: "one", Count: 1}},
		{"jsonpath finds nothing", feature, Spec[int]{Query: fixed("$.nope")}, false, Result{Value: NotFound}},
		{"jsonpath name on a list", feature, Spec[int]{Query: fixed("$.features.id")}, false, Result{Value: NotFound}},
		{"jsonpath index on an object", feature, Spec[int]{Query: fixed("$[1]")}, false, Result{Value: NotFound}},
		{"jsonpath default", feature, Spec[int]{Query: fixed("$.nope"), Default: ptr("none")}, false, Result{Found: true, Value: "none"}},
		{"jsonpath of an error page", page, Spec[int]{Query: fixed("$.id")}, false,
			Result{Value: NotFound, Reason: `the body is not JSON: it begins with "<html><head><title> Search\n page </title…"`}},
		{"jsonpath of nothing", "", Spec[int]{Query: fixed("$.id")}, false, Result{Value: NotFound, Reason: "the body is empty, not JSON"}},
		{"jsonpath of half a body", `{"a":`, Spec[int]{Query: fixed("$..id")}, false, Result{Value: NotFound, Reason: "the body is not JSON: it ends too early"}},
		{"jsonpath length", feature, Spec[int]{Query: fixed("features.length()")}, false, Result{Found: true, Matched: true, JSON: true, Value: "2", Count: 1}},

		{"regexp", "id=17; id=18", Spec[int]{Kind: KindRegexp, Query: fixed(`id=(\d+)`)}, false,
			Result{Found: true, Matched: true, Value: "17", Count: 1, Groups: []string{"id=17", "17"}}},
		{"regexp without groups", "id=17", Spec[int]{Kind: KindRegexp, Query: fixed(`\d+`)}, false,
			Result{Found: true, Matched: true, Value: "17", Count: 1, Groups: []string{"17"}}},
		{"regexp template", "a=1", Spec[int]{Kind: KindRegexp, Query: fixed(`(\w)=(\d)`), Template: "$2$-$1$$"}, false,
			Result{Found: true, Matched: true, Value: "1-a$", Count: 1, Groups: []string{"a=1", "a", "1"}}},
		{"regexp group", "a=1", Spec[int]{Kind: KindRegexp, Query: fixed(`(\w)=(\d)`), Template: "2"}, false,
			Result{Found: true, Matched: true, Value: "1", Count: 1, Groups: []string{"a=1", "a", "1"}}},
		{"regexp all", "id=17; id=18", Spec[int]{Kind: KindRegexp, Query: fixed(`id=(\d+)`), MatchNo: ptr(-1)}, false,
			Result{Found: true, Matched: true, Value: "17", Count: 2, Values: []string{"17", "18"}, Groups: []string{"id=17", "17"}, Each: [][]string{{"id=17", "17"}, {"id=18", "18"}}}},
		{"regexp backtracking", "ab ac", Spec[int]{Kind: KindRegexp, Query: fixed(`a(?!b)(.)`)}, false,
			Result{Found: true, Matched: true, Value: "c", Count: 1, Groups: []string{"ac", "c"}}},
		{"regexp in headers", page, Spec[int]{Kind: KindRegexp, Query: fixed(`Location: /items/(\d+)`), Subject: "headers"}, false,
			Result{Found: true, Matched: true, Value: "7", Count: 1, Groups: []string{"Location: /items/7", "7"}}},
		{"regexp in the URL", "", Spec[int]{Kind: KindRegexp, Query: fixed(`x=(.)`), Subject: "url"}, false,
			Result{Found: true, Matched: true, Value: "1", Count: 1, Groups: []string{"x=1", "1"}}},
		{"regexp in the code", "", Spec[int]{Kind: KindRegexp, Query: fixed(`2..`), Subject: "http-code"}, false,
			Result{Found: true, Matched: true, Value: "201", Count: 1, Groups: []string{"201"}}},

		{"css", page, Spec[int]{Kind: KindCSS, Query: fixed("title")}, false, Result{Found: true, Matched: true, Value: "Search page", Count: 1}},
		{"css attribute", page, Spec[int]{Kind: KindCSS, Query: fixed("a.next"), Attribute: "href", MatchNo: ptr(2)}, false, Result{Found: true, Matched: true, Value: "/3", Count: 2}},
		{"css attribute that is missing", page, Spec[int]{Kind: KindCSS, Query: fixed("title"), Attribute: "href"}, false, Result{Value: NotFound}},
		{"xpath over HTML", page, Spec[int]{Kind: KindXPath, Query: fixed("//input[@name='token']/@value"), Tolerant: true}, false, Result{Found: true, Matched: true, Value: "t-1", Count: 1}},
		{"xpath over XML", document, Spec[int]{Kind: KindXPath, Query: fixed("//x:item[2]"), Namespaces: map[string]string{"x": "urn:m"}}, false, Result{Found: true, Matched: true, Value: "two", Count: 1}},
		{"xpath function", document, Spec[int]{Kind: KindXPath, Query: fixed("count(//*[local-name()='item'])")}, false, Result{Found: true, Matched: true, Value: "2", Count: 1}},
		{"xpath in another encoding", "<?xml version='1.0' encoding='ISO-8859-1'?><m:a xmlns:m='u'><m:b>\xe9</m:b></m:a>",
			Spec[int]{Kind: KindXPath, Query: fixed("//m:b")}, false, Result{Found: true, Matched: true, Value: "é", Count: 1}},

		{"boundary", "a[1]b[2]", Spec[int]{Kind: KindBoundary, Left: fixed("["), Right: fixed("]"), MatchNo: ptr(2)}, false, Result{Found: true, Matched: true, Value: "2", Count: 2}},
		{"boundary to the end", "key=value", Spec[int]{Kind: KindBoundary, Left: fixed("key=")}, false, Result{Found: true, Matched: true, Value: "value", Count: 1}},
		{"boundary from the start", "key=value", Spec[int]{Kind: KindBoundary, Right: perUser("=")}, false, Result{Found: true, Matched: true, Value: "key", Count: 1}},
		{"boundary in request headers", "", Spec[int]{Kind: KindBoundary, Left: fixed("Host: "), Right: fixed("\r"), Subject: "request-headers"}, false, Result{Found: true, Matched: true, Value: "h", Count: 1}},
		{"boundary in unescaped body", "<p>a &amp; b", Spec[int]{Kind: KindBoundary, Left: fixed("a "), Right: fixed(" b"), Subject: "body-unescaped"}, false, Result{Found: true, Matched: true, Value: "&", Count: 1}},

		{"header", "", Spec[int]{Kind: KindHeader, Query: fixed("location")}, false, Result{Found: true, Matched: true, Value: "/items/7", Count: 1}},
		{"header repeated", "", Spec[int]{Kind: KindHeader, Query: fixed("Set-Cookie"), MatchNo: ptr(-1)}, false, Result{Found: true, Matched: true, Value: "a=1", Count: 2, Values: []string{"a=1", "b=2"}}},
		{"header folded", "", Spec[int]{Kind: KindHeader, Query: fixed("X-Folded")}, false, Result{Found: true, Matched: true, Value: "one two", Count: 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x, list := Compile(tt.spec)
			if len(list) > 0 {
				t.Fatal(list)
			}
			x.KeepMatches(tt.keep)
			var got Result
			if err := x.Extract(response(tt.body), 0, nil, &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreUnexported(Result{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestRandomMatchIsSeeded(t *testing.T) {
	x, _ := Compile(Spec[int]{Query: fixed("$[*]"), MatchNo: ptr(0)})
	draw := func(seed uint64) string {
		rng := rand.New(rand.NewPCG(seed, 0))
		var b strings.Builder
		for range 20 {
			var res Result
			if err := x.Extract(response("[1,2,3]"), 0, rng, &res); err != nil {
				t.Fatal(err)
			}
			b.WriteString(res.Value)
		}
		return b.String()
	}
	if draw(1) != draw(1) {
		t.Error("the same seed gives different matches")
	}
	if draw(1) == draw(2) {
		t.Error("different seeds give the same matches")
	}
}

func TestValuesOutliveTheResponse(t *testing.T) {
	for _, spec := range []Spec[int]{
		{Query: fixed("$.a")}, {Query: fixed("$..a")}, {Kind: KindRegexp, Query: fixed(`"(x+)"`)}, {Kind: KindRegexp, Query: fixed(`(?=")"(x+)"`)},
		{Kind: KindBoundary, Left: fixed(`:"`), Right: fixed(`"`)},
	} {
		x, _ := Compile(spec)
		r := response(`{"a":"xxx"}`)
		var res Result
		_ = x.Extract(r, 0, nil, &res)
		for i := range r.Body {
			r.Body[i] = '#'
		}
		if res.Value != "xxx" {
			t.Errorf("%v: %q", spec.Query, res.Value)
		}
	}
}

func TestCompileMistakes(t *testing.T) {
	pos, queryPos := diag.Pos{File: "f", Line: 1, Column: 2}, diag.Pos{File: "f", Line: 3, Column: 4}
	tests := []struct {
		name string
		spec Spec[int]
		want string
	}{
		{"jsonpath", Spec[int]{Query: fixed("$.a[")}, `f:3:4: bad-jsonpath: the JSONPath "$.a[": unexpected eof at position 5`},
		{"jsonpath with an operator of Jayway", Spec[int]{Query: fixed("$.a[?(@.b in [1])]")},
			`f:3:4: bad-jsonpath: the JSONPath "$.a[?(@.b in [1])]": the operator "in" is not part of JSONPath (RFC 9535); compare with == and join with ||`},
		{"regexp", Spec[int]{Kind: KindRegexp, Query: fixed("a(")}, "f:3:4: bad-regexp: the pattern \"a(\": missing closing ): `a(`"},
		{"regexp that is not RE2", Spec[int]{Kind: KindRegexp, Query: fixed("a(?=b)"), Engine: "re2"}, "f:3:4: bad-regexp: the pattern \"a(?=b)\": invalid or unsupported Perl syntax: `(?=`"},
		{"group", Spec[int]{Kind: KindRegexp, Query: fixed("a(b)"), Template: "$2$"}, `f:3:4: bad-regexp: the pattern "a(b)": there is no group 2: the pattern has 1`},
		{"css", Spec[int]{Kind: KindCSS, Query: fixed("a[")}, `f:3:4: bad-css: the CSS selector "a[": expected identifier, found EOF instead`},
		{"xpath", Spec[int]{Kind: KindXPath, Query: fixed("//a[")}, `f:3:4: bad-xpath: the XPath "//a[": expression must evaluate to a node-set`},
		{"subject", Spec[int]{Kind: KindRegexp, Query: fixed("a"), Subject: "hedaers"}, `f:1:2: bad-value: unknown subject "hedaers"`},
		{"match-no", Spec[int]{Query: fixed("$.a"), MatchNo: ptr(-2)}, `f:1:2: bad-value: match-no -2 is not allowed`},
		{"header", Spec[int]{Kind: KindHeader, Query: fixed(" ")}, `f:3:4: bad-value: the header " ": the name is empty`},
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

func TestBacktrackingHasATimeLimit(t *testing.T) {
	x, list := Compile(Spec[int]{Kind: KindRegexp, Query: fixed(`^(?=(a+)+$)(a|aa)+$`)})
	if len(list) > 0 {
		t.Fatal(list)
	}
	var res Result
	if err := x.Extract(response(strings.Repeat("a", 60)+"b"), 0, nil, &res); err != nil {
		t.Fatal(err)
	}
	if res.Found || !strings.Contains(res.Reason, "took longer") {
		t.Errorf("%+v", res)
	}
}

func TestNeeds(t *testing.T) {
	tests := []struct {
		name                string
		spec                Spec[int]
		body, head, request bool
	}{
		{"jsonpath", Spec[int]{Query: fixed("$.a")}, true, false, false},
		{"header", Spec[int]{Kind: KindHeader, Query: fixed("a")}, false, true, false},
		{"regexp over headers", Spec[int]{Kind: KindRegexp, Query: fixed("a"), Subject: "headers"}, false, true, false},
		{"regexp over the code", Spec[int]{Kind: KindRegexp, Query: fixed("a"), Subject: "http-code"}, false, false, false},
		{"boundary over request headers", Spec[int]{Kind: KindBoundary, Left: fixed("a"), Subject: "request-headers"}, false, false, true},
	}
	for _, tt := range tests {
		x, _ := Compile(tt.spec)
		if got := []bool{x.NeedsBody(), x.NeedsHead(), x.NeedsRequest()}; !cmp.Equal(got, []bool{tt.body, tt.head, tt.request}) {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

func TestResponseForExpressions(t *testing.T) {
	r := response(`{"n":1,"f":1.5,"big":12345678901234567890}`)
	tree, err := r.JSON()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{"n": 1, "f": 1.5, "big": 12345678901234567890.0}, tree); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]any{"location": "/items/7", "set-cookie": "a=1, b=2", "x-folded": "one two"}, r.HeaderValues()); diff != "" {
		t.Error(diff)
	}
}

// The room for matches is used again, but for those that the caller was given.
func TestKeptMatchesStay(t *testing.T) {
	all := -1
	kept, list := Compile(Spec[int]{Query: fixed("$.a[*]"), MatchNo: &all})
	one, more := Compile(Spec[int]{Query: fixed("$.b[*]")})
	if len(list)+len(more) > 0 {
		t.Fatal(list, more)
	}
	r := response(`{"a": ["x", 1, "z"], "b": ["not", "these", "here"]}`)
	var res Result
	if err := kept.Extract(r, 0, nil, &res); err != nil {
		t.Fatal(err)
	}
	values, typed := res.Values, res.Typed
	for range 3 {
		if err := one.Extract(r, 0, nil, &res); err != nil || res.Value != "not" || res.JSON || res.Values != nil {
			t.Fatalf("%+v, %v", res, err)
		}
	}
	if !slices.Equal(values, []string{"x", "1", "z"}) || !slices.Equal(typed, []bool{false, true}) {
		t.Errorf("%q, %v", values, typed)
	}
}

// A result is kept by each user: of many matches it keeps the one that was wanted.
func TestManyMatchesAreNotKept(t *testing.T) {
	body := []byte(`[` + strings.Repeat(`"`+strings.Repeat("x", 100)+`",`, 5000) + `"last"]`)
	for _, spec := range []Spec[int]{
		{Query: fixed("$[*]"), MatchNo: ptr(0)},
		{Query: fixed("$[*]"), MatchNo: ptr(5001)},
		{Kind: KindRegexp, Query: fixed(`"(\w+)"`), MatchNo: ptr(5001)},
		{Kind: KindBoundary, Left: fixed(`"`), Right: fixed(`"`), MatchNo: ptr(5001)},
	} {
		x, list := Compile(spec)
		if list.HasErrors() {
			t.Fatal(list)
		}
		var res Result
		r := Response{Body: body}
		if err := x.Extract(&r, 0, rand.New(rand.NewPCG(1, 2)), &res); err != nil || !res.Matched || res.Count != 5001 {
			t.Fatalf("%v: %+v, %v", spec.Kind, res.Count, err)
		}
		if n := cap(res.hits.values) + cap(res.hits.groups) + cap(res.hits.json); n > 3*hitsKept {
			t.Errorf("%v: room for %d matches is kept", spec.Kind, n)
		}
		for _, value := range res.hits.values[:cap(res.hits.values)] {
			if value != "" {
				t.Errorf("%v: %q is kept", spec.Kind, value)
			}
		}
	}
}
