package template

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stacrun/stacrun/diag"
)

// expensive reports texts that may run long by what they ask for, not by a mistake of ours.
func expensive(text string) bool {
	return strings.Contains(text, "..") || strings.Contains(text, "repeat") || strings.Contains(text, "__RandomString") || strings.Contains(text, "__FileToString")
}

func FuzzTemplate(f *testing.F) {
	for _, seed := range []string{
		"${x}", "a$${b}${n}", "${__Random(1,6,v)}${v}", `${__urlencode(a\,b ${x})}`, `${{"a": "}"}["a"]}`, "${vars[\"a-b\"]}", "${ids_2_g1}",
		"${__time(yyyy-MM-dd'T'HH:mm)}", "${__timeShift(,,-P1DT2H)}", "${__jexl3(${n} < 5)}", "${map(list, #)}", "${__split(a b,w, )}", "${a ? b : x}",
		"${__V(ids_${n})}", "${__substring(abc,1,2)}", "${", "${}", "$$${x}", "${__digest(MD5,a,b,TRUE)}", "${__char(65)}", "${list | filter(# > 1)}",
		"${" + strings.Repeat("x+", maxExpression) + "x}",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if expensive(text) {
			t.Skip()
		}
		b := newBench(nil)
		b.Declare(text)
		compiled, list := b.Text(text, diag.Pos{File: "f", Line: 1, Column: 1}, "")
		if compiled == nil {
			t.Fatal("no template")
		}
		for _, d := range list {
			if d.Hint == "" {
				t.Errorf("no hint: %v", d)
			}
		}
		if list.HasErrors() {
			return
		}
		c := b.user(nil)
		got, err := compiled.Append(nil, c)
		if err != nil {
			return
		}
		if !strings.Contains(text, "${") && string(got) != text {
			t.Errorf("a literal %q becomes %q", text, got)
		}
		var builder Builder
		inJSON, err := builder.Literal(`"`).Add(compiled, JSONText).Literal(`"`).Template().Append(nil, b.user(nil))
		if err == nil && !json.Valid(inJSON) {
			t.Errorf("%q in a JSON string is not JSON: %q", text, inJSON)
		}
		inQuery, err := compiled.Encoded(Query).Append(nil, b.user(nil))
		if err == nil && compiled.Single() && strings.ContainsAny(string(inQuery), " &=#\n") {
			t.Errorf("%q in a query: %q", text, inQuery)
		}
	})
}

func FuzzCondition(f *testing.F) {
	for _, seed := range []string{
		`"${x}" == "200"`, `${n} > 5 && ${a} < 3`, `!(${n} === 1) || '${x}'.length > 2`, `"${x}".indexOf("a") >= 0`, "${flag}", "LAST", "n > 1", "${n} gt 5 and not ${a}",
		`-${n} * 2 % 3 + 1 == 4`, `${__jexl3("${x}" == "a\,b")}`, `"\"${x}"`, "((((", `undefined == null`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if expensive(text) {
			t.Skip()
		}
		b := newBench(nil)
		type compile func(string, diag.Pos, string) (*Condition, diag.List)
		for _, compile := range []compile{b.Condition, b.While, b.Check} {
			k, list := compile(text, diag.Pos{File: "f", Line: 1, Column: 1}, "")
			if k == nil {
				t.Fatal("no condition")
			}
			if list.HasErrors() {
				continue
			}
			c := b.user(nil)
			c.Response = answer{}
			one, err := k.Eval(c)
			c.Rand = rand.New(rand.NewPCG(1, 2))
			two, again := k.Eval(c)
			if (err == nil) != (again == nil) || one != two && !strings.Contains(text, "__") && !strings.Contains(text, "pick") {
				t.Errorf("%q: %v %v, then %v %v", text, one, err, two, again)
			}
		}
	})
}

func FuzzDateFormat(f *testing.F) {
	f.Add("yyyy-MM-dd'T'HH:mm:ss.SSSXXX", int64(1709211907))
	f.Add("EEE, d MMM yy h:mm a z", int64(0))
	f.Fuzz(func(t *testing.T, pattern string, seconds int64) {
		format, err := parseDateFormat(pattern)
		if err != nil {
			return
		}
		at := time.Unix(seconds%253402300799, 0).UTC()
		text := string(format.append(nil, at))
		if _, err := format.parse(text, time.UTC); err != nil && pattern == "yyyy-MM-dd HH:mm:ss" {
			t.Errorf("%q does not read %q: %v", pattern, text, err)
		}
	})
}
