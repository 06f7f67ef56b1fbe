package template

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/diag"
)

func (b *bench) mustText(t testing.TB, text string) *Template {
	t.Helper()
	compiled, list := b.Text(text, diag.Pos{}, "")
	if len(list) > 0 {
		t.Fatal(list)
	}
	return compiled
}

func TestEncodings(t *testing.T) {
	tests := []struct {
		name, text string
		encoding   Encoding
		want       string
	}{
		{"raw", "${html}", Raw, `<a href="x">é</a>`},
		{"json text", "${html}", JSONText, `<a href=\"x\">é</a>`},
		{"json value", "${html}", JSONValue, `"<a href=\"x\">é</a>"`},
		{"json number", "${n}", JSONValue, "7"},
		{"json list", "${list}", JSONValue, `[1,"two",3.5]`},
		{"list inside a string", "${list}", JSONText, `[1,\"two\",3.5]`},
		{"json null", "${none}", JSONValue, "null"},
		{"query", "${html}", Query, "%3Ca+href%3D%22x%22%3E%C3%A9%3C%2Fa%3E"},
		{"url", "${html}/%20?a=b", URL, "%3Ca%20href=%22x%22%3E%C3%A9%3C/a%3E/%20?a=b"},
		{"function", "${__base64Decode(YSBi)}", Query, "a+b"},
		{"function as value", "${__lowercase(AB)}", JSONValue, `"ab"`},
		{"time as value", "${__time(/1000)}", JSONValue, "1709211907"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(nil)
			compiled := b.mustText(t, tt.text).Encoded(tt.encoding)
			got, err := compiled.Append(nil, b.user(nil))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestBuilderEncodesLiterals(t *testing.T) {
	b := newBench(nil)
	var builder Builder
	built := builder.Literal("/s?q=").Add(b.mustText(t, "a b ${x}&"), Query).Literal("&n=").Add(b.mustText(t, "${n}"), Query).Template()
	got, err := built.Text(b.user(nil))
	if err != nil {
		t.Fatal(err)
	}
	if want := "/s?q=a+b+hello%26&n=7"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestJSONBuilder(t *testing.T) {
	b := newBench(nil)
	var j JSONBuilder
	j.Object()
	for _, key := range []string{"n", "x", "list", "unset-null"} {
		j.Key(Literal(key))
		switch key {
		case "unset-null":
			j.Literal("null")
		default:
			j.Text(b.mustText(t, "${"+key+"}"))
		}
	}
	j.Key(b.mustText(t, "k${n}\""))
	j.Array()
	j.Literal("1")
	j.Text(b.mustText(t, `say "${html}"`))
	j.Object()
	j.End()
	j.Array()
	j.End()
	j.Text(b.mustText(t, "${n > 1}"))
	j.End()
	j.End()
	built := j.Template()
	got, err := built.Append(nil, b.user(nil))
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(got) {
		t.Errorf("not JSON: %s", got)
	}
	var tree any
	_ = json.Unmarshal(got, &tree)
	list := tree.(map[string]any)[`k7"`].([]any)
	if diff := cmp.Diff([]any{1.0, `say "<a href="x">é</a>"`, map[string]any{}, []any{}, true}, list); diff != "" {
		t.Error(diff)
	}
	if _, ok := built.Constant(); ok {
		t.Error("not constant")
	}
}

func TestValueKeepsItsType(t *testing.T) {
	b := newBench(nil)
	tests := map[string]any{
		"${n}": 7, "${x}": "hello", "${list}": []any{1, "two", 3.5}, "${n > 3}": true, "${n}!": "7!", "text": "text",
		"${__Random(5,5)}": 5, "${none}": nil, "${f / 2}": 6172839.45, "${__time(/1000)}": 1709211907, "${__P(port,80)}": "80",
	}
	for text, want := range tests {
		compiled := b.mustText(t, text)
		v, err := compiled.Value(b.user(nil))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, v.Any()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
	if _, err := b.mustText(t, "${unset}").Value(b.user(nil)); err == nil {
		t.Error("unset variable: no error")
	}
}

func TestReads(t *testing.T) {
	b := newBench(nil)
	compiled := b.mustText(t, "${x} ${n + a} ${__urlencode(${html})} ${ids_2} ${x}")
	if diff := cmp.Diff([]string{"a", "html", "ids_2", "n", "x"}, compiled.Reads()); diff != "" {
		t.Error(diff)
	}
}

func TestElement(t *testing.T) {
	names := NewNames()
	ids, list, rows := names.DeclarePrefix("ids"), names.DeclarePrefix("list"), names.DeclarePrefix("rows")
	listSlot := names.Declare("list")
	names.Declare("rows_1")
	second := names.Declare("rows_2")
	v := NewVars(names)
	v.SetMatches(ids, &Matches{Values: []string{"a", "b"}, Count: 2})
	v.Set(listSlot, Of([]any{1, 2, 3}))
	v.SetNamed("rows_1", String("r1"))
	v.Set(second, String("r2"))
	for f, want := range map[Family][]any{ids: {"a", "b"}, list: {1, 2, 3}, rows: {"r1", "r2"}} {
		var got []any
		for i := 1; ; i++ {
			e, ok := v.Element(f, i)
			if !ok {
				break
			}
			got = append(got, e.Any())
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	v.SetMatches(ids, nil)
	if _, ok := v.Element(ids, 1); ok {
		t.Error("matches were removed")
	}
}
