package template

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/diag"
)

func TestCondition(t *testing.T) {
	vars := map[string]any{"code": "200", "empty": "", "yes": "true", "no": "False", "truth": true, "name": "it's \"x\""}
	tests := []struct {
		name, text, language string
		want                 bool
	}{
		{"quoted texts", `"${code}" == "200"`, JavaScript, true},
		{"quoted texts differ", `"${code}" == "0200"`, JavaScript, false},
		{"single quotes", `'${code}' != '404'`, JavaScript, true},
		{"numbers", `${code} >= 200 && ${code} < 300`, JavaScript, true},
		{"number and text", `"${code}" == 200.0`, JavaScript, true},
		{"strict, number and text", `"${code}" === 200`, JavaScript, false},
		{"strict, numbers", `${code} === 200`, JavaScript, true},
		{"strict not", `${n} !== 7`, JavaScript, false},
		{"texts are ordered as texts", `"9" < "${code}"`, JavaScript, false},
		{"or, not, parentheses", `!(${n} == 7) || (${f} > 1 && true)`, JavaScript, true},
		{"arithmetic", `${n} % 2 == 1 && ${n} * 2 - 4 == 10 && -${n} < 0`, JavaScript, true},
		{"text is joined", `"${x}" + 1 == "hello1"`, JavaScript, true},
		{"length", `"${x}".length == 5 && "${x}".length() > 4`, JavaScript, true},
		{"indexOf", `"${x}".indexOf("l") == 2 && "${x}".indexOf('z') == -1`, JavaScript, true},
		{"includes and its like", `"${x}".includes("ell") && "${x}".startsWith("he") && !"${x}".endsWith("x")`, JavaScript, true},
		{"methods of Java", `"${x}".toUpperCase().equals("HELLO") && !"${x}".isEmpty() && "${x}".contains("h")`, JavaScript, true},
		{"quotes in the value do no harm", `"${name}" == "it's \"x\""`, JavaScript, true},
		{"unset stays as written", `"${unset}" == "$${unset}"`, JavaScript, true},
		{"unset outside quotes", `${unset} > 5`, JavaScript, false},
		{"unset is undefined", `${unset} == undefined && ${none} == null`, JavaScript, true},
		{"empty text", `"${empty}" == ""`, JavaScript, true},
		{"empty is falsy", `${empty} || false`, JavaScript, false},
		{"text as truth", `"${x}" && true`, JavaScript, true},
		{"words of JEXL", `${n} gt 5 and not (${n} eq 8)`, JavaScript, true},
		{"jexl", `${__jexl3(${n} < 8 && "${x}" == "hello")}`, JavaScript, true},
		{"javaScript with an escaped comma", `${__javaScript("a\,b".indexOf("\,") == 1)}`, JavaScript, true},
		{"expression inside", `${len(list)} > 2`, JavaScript, true},
		{"one reference", `${yes}`, JavaScript, true},
		{"one reference, boolean", `${truth}`, JavaScript, true},
		{"one reference, false", `${no}`, JavaScript, false},
		{"one reference, other text", `${x}`, JavaScript, false},
		{"one reference, number", `${n}`, JavaScript, false},
		{"last sample", `${JMeterThread.last_sample_ok}`, JavaScript, true},
		{"property", `"${__P(host)}" == "example.org"`, JavaScript, true},
		{"one expression", `${n > 5}`, Expr, true},
		{"expr", `n > 5 and x startsWith "he"`, Expr, true},
		{"expr over lists", `any(list, # == "two")`, Expr, true},
		{"constant", `false`, Expr, false},
		{"constant comparison", `"a" == "a"`, Expr, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(vars)
			k, list := b.Condition(tt.text, diag.Pos{}, "")
			if len(list) > 0 {
				t.Fatal(list)
			}
			got, err := k.Eval(b.user(vars))
			if err != nil {
				t.Fatal(err)
			}
			if got != tt.want || k.Language() != tt.language {
				t.Errorf("got %v (%s), want %v (%s)", got, k.Language(), tt.want, tt.language)
			}
		})
	}
}

func TestWhile(t *testing.T) {
	vars := map[string]any{"yes": "true", "no": " FALSE ", "word": "abc"}
	tests := []struct {
		name, text, language string
		want, failed, skips  bool
	}{
		{"blank", " ", LastSample, true, false, true},
		{"blank, last sample failed", "", LastSample, false, true, true},
		{"LAST", "LAST", LastSample, true, false, false},
		{"LAST, last sample failed", "LAST", LastSample, false, true, false},
		{"any text goes on", "${word}", FalseText, true, false, false},
		{"false ends", "${no}", FalseText, false, false, false},
		{"unset goes on", "${unset}", FalseText, true, false, false},
		{"text around", "x${word}", FalseText, true, false, false},
		{"last sample", "${JMeterThread.last_sample_ok}", FalseText, false, true, false},
		{"jexl", "${__jexl3(${n} < 5)}", FalseText, false, false, false},
		{"a comparison is evaluated", "${n} < 5", JavaScript, false, false, false},
		{"a comparison of texts", `"${word}" != "done"`, JavaScript, true, false, false},
		{"one expression", "${n < 5}", Expr, false, false, false},
		{"expr", "n < 9", Expr, true, false, false},
		{"constant", "true", Expr, true, false, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(vars)
			k, list := b.While(tt.text, diag.Pos{}, "")
			if len(list) > 0 {
				t.Fatal(list)
			}
			c := b.user(vars)
			c.LastFailed = tt.failed
			got, err := k.Eval(c)
			if err != nil {
				t.Fatal(err)
			}
			if got != tt.want || k.Language() != tt.language || k.SkipsFirst() != tt.skips {
				t.Errorf("got %v (%s, %v)", got, k.Language(), k.SkipsFirst())
			}
		})
	}
}

func TestConditionMistakes(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"empty", "  ", "f:1:1: bad-condition: the condition is empty"},
		{"unquoted text", `${x} == hello`, `f:1:9: bad-condition: "hello" is not understood in a condition`},
		{"unknown method", `"${x}".charAt(0) == "h"`, `f:1:7: bad-condition: ".charAt" is not understood in a condition`},
		{"operator is missing", `${x} ${n}`, `f:1:6: bad-condition: "$" is not understood in a condition`},
		{"value is missing", `${n} >`, `f:1:7: bad-condition: the condition ends where a value is expected`},
		{"parenthesis is missing", `(${n} > 1`, `f:1:10: bad-condition: the condition ends where ")" is expected`},
		{"string is never closed", `${n} == "a`, `f:1:9: bad-condition: the string is never closed`},
		{"assignment", `${n} = 1`, `f:1:6: bad-condition: "=" is not understood in a condition`},
		{"regular expression", `/a/.test("${x}")`, `f:1:1: bad-condition: "/" is not understood in a condition`},
		{"unknown variable", `${nn} > 5`, `f:1:3: unknown-variable: unknown variable "nn"`},
		{"unknown variable in quotes", `"${nope}" == "a"`, `f:1:4: unknown-variable: unknown variable "nope"`},
		{"expr that is no condition", `1 + 1`, `f:1:1: bad-expression: "1 + 1" is neither true nor false: expected bool, but got int`},
		{"expr syntax", `n >`, `f:1:3: bad-expression: in the expression "n >": unexpected token EOF`},
		{"too deep", strings.Repeat("(", 100) + "${n}", `f:1:65: bad-condition: the condition is nested too deep`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(nil)
			k, list := b.Condition(tt.text, diag.Pos{File: "f", Line: 1, Column: 1}, "")
			if k == nil || len(list) != 1 {
				t.Fatalf("want one diagnostic, got %v", list)
			}
			got := list[0].Pos.String() + ": " + list[0].Code + ": " + list[0].Message
			if !strings.HasPrefix(got, tt.want) {
				t.Errorf("(-want +got):\n%s", cmp.Diff(tt.want, got))
			}
			if list[0].Hint == "" {
				t.Error("no hint")
			}
		})
	}
}

// answer is a response.
type answer struct{}

func (answer) StatusCode() int              { return 201 }
func (answer) BodyText() string             { return "made" }
func (answer) HeaderValues() map[string]any { return map[string]any{"location": "/7"} }
func (answer) JSON() (any, error)           { return map[string]any{"id": 7, "list": []any{1, 2}}, nil }

func TestCheck(t *testing.T) {
	tests := []struct {
		text       string
		body, head bool
		want       bool
	}{
		{"status in [200, 201]", false, false, true},
		{`body contains "mad"`, true, false, true},
		{`headers["location"] == "/" + string(n)`, false, true, true},
		{`json.id == n && len(json.list) == 2`, true, false, true},
		{`json.missing?.deep == nil`, true, false, true},
		{`json(json.list) == "[1]"`, true, false, false},
	}
	for _, tt := range tests {
		b := newBench(map[string]any{"status": "shadowed"})
		k, list := b.Check(tt.text, diag.Pos{}, "")
		if len(list) > 0 {
			t.Fatal(list)
		}
		c := b.user(nil)
		if _, err := k.Eval(c); err == nil {
			t.Errorf("%s: no error without a response", tt.text)
		}
		c.Response = answer{}
		got, err := k.Eval(c)
		if err != nil {
			t.Fatal(err)
		}
		if got != tt.want || k.NeedsBody() != tt.body || k.NeedsHead() != tt.head {
			t.Errorf("%s: %v, body %v, head %v", tt.text, got, k.NeedsBody(), k.NeedsHead())
		}
	}
	b := newBench(nil)
	if _, list := b.Text("${status}", diag.Pos{}, ""); len(list) != 1 {
		t.Error("status is known outside of checks")
	}
	if _, list := b.Check(`"${x}" == body`, diag.Pos{}, ""); len(list) != 1 {
		t.Error("${ is accepted in a check")
	}
}

func TestEveryFunctionHasAnExampleThatCompiles(t *testing.T) {
	for _, doc := range Functions(nil) {
		if doc.Doc == "" || doc.Example == "" {
			t.Errorf("%s is not documented", doc.Name)
		}
		b := newBench(map[string]any{"name": "x", "token": "x", "answer": "{}"})
		b.Declare(doc.Example)
		compiled, list := b.Text(doc.Example, diag.Pos{}, "")
		if len(list) > 0 {
			t.Errorf("%s: %v", doc.Example, list)
			continue
		}
		c := b.user(map[string]any{"name": "x", "token": "t", "answer": `{"id": 1}`})
		if _, err := compiled.Text(c); err != nil {
			t.Errorf("%s: %v", doc.Example, err)
		}
	}
}
