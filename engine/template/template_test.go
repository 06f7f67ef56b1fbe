package template

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/diag"
)

// bench is a compiler and a user with some variables.
type bench struct {
	*Compiler
	c *Context
}

func newBench(vars map[string]any) *bench {
	names := NewNames()
	for _, name := range []string{"x", "n", "f", "list", "map", "a-b", "a", "b", "none", "unset", "html"} {
		names.Declare(name)
	}
	for name := range vars {
		names.Declare(name)
	}
	names.DeclarePrefix("ids")
	names.Declare("ids")
	return &bench{Compiler: &Compiler{Names: names,
		Properties: map[string]string{"host": "example.org"},
		Getenv: func(name string) (string, bool) {
			return "secret", name == "TOKEN"
		},
		ReadFile: func(name string) ([]byte, error) { return []byte("<" + name + ">"), nil },
		Functions: []Function{{
			Name: "twice", Params: "n", MinArgs: 1, MaxArgs: 1,
			Call: func(_ *Context, args []any) (any, error) { return args[0].(int) * 2, nil },
		}},
	}, c: &Context{Place: &Place{}}}
}

// user makes the user's context, once everything is compiled.
func (b *bench) user(vars map[string]any) *Context {
	c := b.c
	c.Vars = NewVars(b.Names)
	c.Rand = rand.New(rand.NewPCG(1, 2))
	c.User, c.Iteration, c.Execution, c.Label = 4, 9, "search", "GET /"
	c.Now = func() time.Time { return time.Date(2024, 2, 29, 13, 5, 7, 89e6, time.UTC) }
	c.Counters = NewCounters(b.Names)
	set := func(name string, v any) {
		slot, _ := b.Names.Lookup(name)
		c.Vars.Set(slot, Of(v))
	}
	for name, v := range map[string]any{
		"x": "hello", "n": 7, "f": 12345678.9, "list": []any{1, "two", 3.5}, "map": map[string]any{"k": "v", "a": nil},
		"a-b": "hyphen", "a": 5, "b": 3, "none": nil, "html": `<a href="x">é</a>`,
	} {
		set(name, v)
	}
	for name, v := range vars {
		set(name, v)
	}
	if f, ok := b.Names.families["ids"]; ok {
		set("ids", "one")
		c.Vars.SetMatches(f, &Matches{Values: []string{"one", "two"}, Count: 2, Groups: []string{"<one>", "one"}, Each: [][]string{{"<one>", "one"}, {"<two>", "two"}}})
	}
	return c
}

func TestText(t *testing.T) {
	t.Setenv("TZ", "UTC")
	tests := []struct{ name, text, want string }{
		{"literal", "plain $ text $x }{", "plain $ text $x }{"},
		{"empty", "", ""},
		{"variable", "<${x}>", "<hello>"},
		{"trimmed name", "${ x }", "hello"},
		{"int", "${n}", "7"},
		{"float without exponent", "${f}", "12345678.9"},
		{"list", "${list}", `[1,"two",3.5]`},
		{"mapping", "${map}", `{"a":null,"k":"v"}`},
		{"hyphenated variable", "${a-b}", "hyphen"},
		{"hyphenated variable in an expression", `${vars["a-b"] + "!"}`, "hyphen!"},
		{"subtraction", "${a - b}", "2"},
		{"escaped", "$${x} ${x}", "${x} hello"},
		{"escaped twice", "$$${x}", "$${x}"},
		{"adjacent", "${a}${b}", "53"},
		{"expression", "${n * 2 + 1}", "15"},
		{"division gives a float", "${n / 2}", "3.5"},
		{"braces and quotes in an expression", `${{"a": "}"}["a"]}`, "}"},
		{"mapping literal", `${json({"b": [1, 2], "a": x})}`, `{"a":"hello","b":[1,2]}`},
		{"large whole number", "${12345678 * 10}", "123456780"},
		{"string()", `${"v" + string(f)}`, "v12345678.9"},
		{"range", "${1..3}", "[1,2,3]"},
		{"bool", "${n > 5}", "true"},
		{"conditional", `${n > 5 ? "big" : "small"}`, "big"},
		{"nil coalescing", `${unset ?? "default"}`, "default"},
		{"domain function", "${twice(n)}", "14"},
		{"fromJSON keeps digits", `${fromJSON("{\"id\": 12345678901234567}").id}`, "12345678901234567"},
		{"pick", `${pick([9])}`, "9"},
		{"now", "${now().Year()}", "2024"},
		{"JMeter function in an expression", `${__threadNum() * 10}`, "50"},
		{"property in an expression", `${__P("host") + ":80"}`, "example.org:80"},
		{"match by number", "${ids_2}", "two"},
		{"match count", "${ids_matchNr}", "2"},
		{"all matches", "${ids_ALL}", "one,two"},
		{"groups", "${ids_g}${ids_g0}${ids_g1}", "1<one>one"},
		{"groups of a match", "${ids_2_g1}", "two"},
		{"match in an expression", `${ids_2 + "!"}`, "two!"},
		{"match by computed name", `${vars["ids_" + string(1 + 1)]}`, "two"},
		{"thread number", "${__threadNum} ${__threadNum()}", "5 5"},
		{"iteration", "${__iterationNum}", "10"},
		{"group and sampler", "${__threadGroupName}/${__samplerName}", "search/GET /"},
		{"time", "${__time}", "1709211907089"},
		{"time in seconds", "${__time(/1000)}", "1709211907"},
		{"time formats", "${__time(YMD)} ${__time(HMS)} ${__time(YMDHMS)}", "20240229 130507 20240229-130507"},
		{"time pattern", "${__time(yyyy-MM-dd'T'HH:mm:ss.SSS'Z'\\,EEE)}", "2024-02-29T13:05:07.089Z,Thu"},
		{"time shifted", "${__timeShift(yyyy-MM-dd,,P1D)}", "2024-03-01"},
		{"date shifted", "${__timeShift(dd/MM/yyyy,21/01/2018,-P2D,,)}", "19/01/2018"},
		{"shift in milliseconds", "${__timeShift(,,PT1.5S,,)}", "1709211908589"},
		{"counter", "${__counter(TRUE)}${__counter(FALSE,)}", "11"},
		{"property", "${__P(host)} ${__P(port)} ${__P(port,80)}", "example.org 1 80"},
		{"property by its third argument", "${__property(port)} ${__property(port,,80)}", "port 80"},
		{"environment", "${__env(TOKEN)} ${__env(NONE,,d)}", "secret d"},
		{"file", "${__FileToString(a.txt)}", "<a.txt>"},
		{"sum", "${__intSum(1,2,${n})}", "10"},
		{"sum with variable", "${__intSum(1,2,x)}${x}", "33"},
		{"value into a variable", "${__uppercase(abc,x)}-${x}", "ABC-ABC"},
		{"folded value into a variable", "${__env(TOKEN,x)}-${x}", "secret-secret"},
		{"nested", "${__urlencode(${x} ${__base64Encode(${n})})}", "hello+Nw%3D%3D"},
		{"quoted argument", `${__urlencode("a b")}`, "a+b"},
		{"escaped comma", `${__urlencode(a\,b)}`, "a%2Cb"},
		{"parentheses in an argument", "${__uppercase(f(x,y))}", "F(X,Y)"},
		{"braces in an argument", `${__lowercase({"A": 1})}`, `{"a": 1}`},
		{"split", "${__split(a b  c,w, )}${w_1}${w_3}${w_n}", "a b  ca?4"},
		{"variable by computed name", "${__V(ids_${b - 1})} ${__V(nothing,d)}", "two d"},
		{"defined", "${__isVarDefined(x)} ${__isVarDefined(unset)}", "true false"},
		{"case", "${__changeCase(abc)}${__changeCase(abc,CAPITALIZE)}", "ABCAbc"},
		{"digest", "${__digest(SHA-1,abc)}", "a9993e364706816aba3e25717850c26c9cd0d89d"},
		{"md5", "${__md5(abc)}", "900150983cd24fb0d6963f7d28e17f72"},
		{"char", "${__char(0x41,66)}", "AB"},
		{"substring", "${__substring(abcdef,1,3)}${__strLen(héé)}", "bc3"},
		{"html", "${__escapeHtml(a<b)}${__unescapeHtml(&eacute;)}", "a&lt;bé"},
		{"jexl", "${__jexl3(${n} + 1)}", "8"},
		{"last sample", "${JMeterThread.last_sample_ok}", "true"},
		{"choose", "${__chooseRandom(red,red,colour)}${colour}", "redred"},
		{"several lines", "a\n${x}\nb", "a\nhello\nb"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(nil)
			b.Declare(tt.text)
			compiled, list := b.Text(tt.text, diag.Pos{}, "")
			if len(list) > 0 {
				t.Fatal(list)
			}
			got, err := compiled.Text(b.user(nil))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestTextMistakes(t *testing.T) {
	tests := []struct{ name, text, want, hint string }{
		{"unknown", "a ${xx}", `f:3:12: unknown-variable: unknown variable "xx"`, `did you mean "x"?`},
		{"unknown, nothing near", "${elephant}", `f:3:10: unknown-variable: unknown variable "elephant"`, "declare it"},
		{"unknown with hyphen", "${my-token}", `f:3:10: unknown-variable: unknown variable "my-token"`, "declare it"},
		{"unknown in an expression", `${x + yy}`, `f:3:14: unknown-variable: unknown variable "yy"`, "declare it"},
		{"unknown by name in vars", `${vars["q-q"]}`, `f:3:15: unknown-variable: unknown variable "q-q"`, "declare it"},
		{"run-time name of no extractor", "${x_1}", `f:3:10: unknown-variable: unknown variable "x_1"`, "declare it"},
		{"never closed", "ab ${x", `f:3:11: bad-template: "${" is never closed by "}"`, "write $${"},
		{"empty", "${ }", `f:3:10: bad-template: there is nothing between "${" and "}"`, "write the name"},
		{"unknown function", "${__Rndom(1,2)}", `f:3:10: unknown-function: unknown function "__Rndom"`, `did you mean "__Random"?`},
		{"function that does not run here", "${__StringFromFile(a)}", `f:3:10: unsupported-function: the function "__StringFromFile" does not run natively`, "data-sources"},
		{"unknown function in an expression", "${1 + elephant(1)}", `f:3:14: unknown-function: unknown function "elephant"`, "stacrun functions"},
		{"too few arguments", "${__Random(1)}", `f:3:10: bad-arguments: __Random takes at least 2 arguments, not 1`, "write ${__Random(min,max[,variable])}"},
		{"too many arguments", "${__UUID(1)}", `f:3:10: bad-arguments: __UUID takes 0 arguments, not 1`, "write ${__UUID()}"},
		{"not a number", "${__Random(1,n)}", `f:3:10: bad-arguments: __Random: "n" is not a whole number`, "write"},
		{"empty range", "${__Random(9,1)}", `f:3:10: bad-arguments: __Random: the range from 9 to 1 is empty`, "write"},
		{"bad date format", "${__time(yyyy-foo)}", `f:3:10: bad-arguments: __time: unknown letter "f" in the date format "yyyy-foo"`, "write"},
		{"unset environment", "${__env(NOPE)}", `f:3:10: bad-arguments: __env: the environment variable "NOPE" is not set`, "write"},
		{"syntax", "${1 +}", `f:3:12: bad-expression: in the expression "1 +": unexpected token EOF`, "quotes"},
		{"types", `${1 + "a"}`, `f:3:12: bad-expression: in the expression "1 + \"a\"": invalid operation: + (mismatched types int and string)`, "int()"},
		{"arity in an expression", `${twice(1, 2) + 1}`, `f:3:10: bad-arguments: twice takes 1 argument, not 2`, "write ${twice(n)}"},
		{"environment of expr", "${$env}", `f:3:10: bad-expression: "$env" cannot be used here`, "by name"},
		{"closures", "${map(list, map(list, map(list, 1)))}", `f:3:20: bad-expression: closures are nested more than 2 deep`, "extract"},
		{"too long", "${1" + strings.Repeat("+1", 5000) + "}", `f:3:10: bad-expression: the expression has 10001 bytes; at most 8192 are allowed`, ""},
		{"script", "${__groovy(vars.get('x'))}", `f:3:19: bad-condition: "vars" is not understood in a condition`, "a condition"},
		{"nested mistake", "${__urlencode(${yy})}", `f:3:24: unknown-variable: unknown variable "yy"`, "declare it"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(nil)
			compiled, list := b.Text(tt.text, diag.Pos{File: "f", Line: 3, Column: 8}, "p")
			if compiled == nil {
				t.Fatal("no template")
			}
			if len(list) != 1 {
				t.Fatalf("want one diagnostic, got %v", list)
			}
			got := list[0].Pos.String() + ": " + list[0].Code + ": " + list[0].Message
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if !strings.Contains(list[0].Hint, tt.hint) {
				t.Errorf("hint %q does not say %q", list[0].Hint, tt.hint)
			}
		})
	}
}

func TestRunTimeMistakes(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"unset", "a ${unset}", "${unset}: the variable is not set"},
		{"null", "${none}", "${none}: the value is null, which has no text"},
		{"program", "${n % 0}", "${n % 0}: runtime error: integer divide by zero"},
		{"number plus text", `${n + x}`, "${n + x}: invalid operation: int + string"},
		{"missing match", "${ids_3}", "${ids_3}: the variable is not set"},
		{"argument", "${__Random(1,${x})}", `${__Random(1,${x})}: "hello" is not a whole number`},
		{"memory", "${len(map(1..10000000, 1))}", "${len(map(1..10000000, 1))}: memory budget exceeded"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(nil)
			compiled, list := b.Text(tt.text, diag.Pos{}, "")
			if len(list) > 0 {
				t.Fatal(list)
			}
			_, err := compiled.Append(nil, b.user(nil))
			if err == nil || err.Error() != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

func TestPlace(t *testing.T) {
	sources := diag.Sources{"f": []byte("url: \"/é/${oops}\"\nbody: |\n  first\n  é ${oops}\nplain: ${oops}\n")}
	tests := []struct {
		name, text string
		pos        diag.Pos
		want       string
	}{
		{"quoted", "/é/${oops}", diag.Pos{File: "f", Line: 1, Column: 6}, "f:1:12"},
		{"block", "first\né ${oops}\n", diag.Pos{File: "f", Line: 2, Column: 7}, "f:4:7"},
		{"plain", "${oops}", diag.Pos{File: "f", Line: 5, Column: 8}, "f:5:10"},
		{"text that was changed", "other ${oops}", diag.Pos{File: "f", Line: 5, Column: 8}, "f:5:8"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newBench(nil)
			b.Sources = sources
			_, list := b.Text(tt.text, tt.pos, "")
			if got := list[0].Pos.String(); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestRandomFunctions(t *testing.T) {
	b := newBench(nil)
	number, _ := b.Text("${__Random(1,3)}", diag.Pos{}, "")
	text, _ := b.Text("${__RandomString(5,äb)}", diag.Pos{}, "")
	uuid, _ := b.Text("${__UUID}", diag.Pos{}, "")
	c := b.user(nil)
	seen := map[string]bool{}
	for range 200 {
		s, _ := number.Text(c)
		seen[s] = true
		if s, _ := text.Text(c); len([]rune(s)) != 5 || strings.Trim(s, "äb") != "" {
			t.Fatalf("random string %q", s)
		}
		s, _ = uuid.Text(c)
		if len(s) != 36 || s[14] != '4' || !strings.ContainsRune("89ab", rune(s[19])) || strings.Count(s, "-") != 4 {
			t.Fatalf("UUID %q", s)
		}
	}
	if diff := cmp.Diff(map[string]bool{"1": true, "2": true, "3": true}, seen); diff != "" {
		t.Error(diff)
	}
	c.Rand = rand.New(rand.NewPCG(5, 6))
	one, _ := uuid.Text(c)
	c.Rand = rand.New(rand.NewPCG(5, 6))
	if two, _ := uuid.Text(c); one != two {
		t.Errorf("same seed, different values: %s %s", one, two)
	}
}

func TestCounters(t *testing.T) {
	b := newBench(nil)
	compiled, _ := b.Text("${__counter(TRUE)} ${__counter(FALSE)} ${__counter(FALSE)}", diag.Pos{}, "")
	c := b.user(nil)
	other := &Context{Place: c.Place, Vars: NewVars(b.Names)}
	var got []string
	for _, user := range []*Context{c, c, other} {
		s, err := compiled.Text(user)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, s)
	}
	if diff := cmp.Diff([]string{"1 1 1", "2 2 2", "1 3 3"}, got); diff != "" {
		t.Error(diff)
	}
}
