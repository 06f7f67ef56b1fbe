package criteria

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/metrics"
)

func TestRewriteAssert(t *testing.T) {
	for _, tt := range []struct{ rule, want string }{
		{`p95("search") <= 250ms && fail_ratio() < 1%`, `p95("search") <= 0.25 && fail_ratio() < 0.01`},
		{`avg() < 1m30s`, `avg() < 90`},
		{`avg() < 1.5s`, `avg() < 1.5`},
		{`avg() < 1h or avg() > 2d`, `avg() < 3600 or avg() > 172800`},
		{`bytes() < 64k && bytes() > 2MB`, `bytes() < 65536 && bytes() > 2097152`},
		{`p95("500ms 5%") < 1s`, `p95("500ms 5%") < 1`},
		{`p95('it\'s 5ms') < 1s`, `p95('it\'s 5ms') < 1`},
		{"p95(`5ms\\`) < 1s", "p95(`5ms\\`) < 1"},
		{`hits() % 2 == 0`, `hits() % 2 == 0`},
		{`7%2 == 1`, `7%2 == 1`},
		{`7%(2) == 1`, `7%(2) == 1`},
		{`7%hits() == 1`, `7%hits() == 1`},
		{`fail_ratio() < 5% and true`, `fail_ratio() < 0.05 and true`},
		{`(fail_ratio() < 5%)`, `(fail_ratio() < 0.05)`},
		{`fail_ratio() < 0.1% - 0.05%`, `fail_ratio() < 0.001 - 0.0005`},
		{`fail_ratio() <= 100%`, `fail_ratio() <= 1`},
		{`1e3 < 1_000 && 0x1F > 0b1`, `1e3 < 1_000 && 0x1F > 0b1`},
		{`1_500ms < 2s`, `1.5 < 2`},
		{`1 in 1..5`, `1 in 1..5`},
		{`p99.9("a") < 1s`, `p99_9("a") < 1`},
		{`p(99.9, "a") < 1s`, `p(99.9, "a") < 1`},
		{`p95("a") <= 1.1 * baseline.p95("a")`, `p95("a") <= 1.1 * baseline_p95("a")`},
		{`baseline.p99.9("a") > 1`, `baseline_p99_9("a") > 1`},
		{`a.b < 1s`, `a.b < 1`},
		{`hits() > 5 // 5ms`, `hits() > 5 // 5ms`},
		{`hits() /* 5% */ > 5`, `hits() /* 5% */ > 5`},
		{`p50m < 1`, `p50m < 1`},
		{`été5ms < 1s`, `été5ms < 1`},
		{``, ``},
	} {
		got, err := rewriteAssert(tt.rule)
		if err != nil || got.text != tt.want {
			t.Errorf("%s\ngot  %s (%v)\nwant %s", tt.rule, got.text, err, tt.want)
		}
	}
	for _, tt := range []struct {
		rule   string
		offset int
		text   string
	}{
		{`avg() < 5x`, 8, "5x"},
		{`é() < 250mss`, 6, "250mss"},
		{`avg() < 1e3ms`, 8, "1e3ms"},
	} {
		_, err := rewriteAssert(tt.rule)
		literal, ok := err.(*literalError)
		if !ok || literal.offset != tt.offset || literal.text != tt.text {
			t.Errorf("%s: %v", tt.rule, err)
		}
	}
}

func TestRewriteKeepsPositions(t *testing.T) {
	got, err := rewriteAssert(`a("é") < 250ms && b < 1% && x`)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a(", "&& b", "x"} {
		now := utf8.RuneCountInString(got.text[:strings.LastIndex(got.text, name)])
		then := utf8.RuneCountInString(`a("é") < 250ms && b < 1% && x`[:strings.LastIndex(`a("é") < 250ms && b < 1% && x`, name)])
		if got.original(now) != then {
			t.Errorf("%q at %d: original %d, want %d", name, now, got.original(now), then)
		}
	}
}

func FuzzAssertRewrite(f *testing.F) {
	for _, seed := range []string{
		`p95("search") <= 250ms && fail_ratio() < 1%`, `1..5`, `.5ms`, `5%%2`, `"`, `'\`, "`", `1h1`, `p99.9.9(`, `baseline.`, `1.`, `9999999999999d`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, rule string) {
		got, err := rewriteAssert(rule)
		if err != nil {
			return
		}
		end, last := utf8.RuneCountInString(rule), -1
		for i := range utf8.RuneCountInString(got.text) + 1 {
			at := got.original(i)
			if at < last || at > end {
				t.Fatalf("%q: character %d comes from %d, after %d of %d", rule, i, at, last, end)
			}
			last = at
		}
		if len(got.spans) == 0 && got.text != rule {
			t.Fatalf("%q became %q without a replacement", rule, got.text)
		}
		again, err := rewriteAssert(got.text)
		if err == nil && utf8.ValidString(rule) && !strings.ContainsAny(rule, "%.") && again.text != got.text {
			t.Fatalf("%q became %q, then %q", rule, got.text, again.text)
		}
	})
}

func holds(text string) config.Criterion {
	return config.Criterion{Text: text, Assert: text, Fail: true, LabelPos: diag.Pos{File: "f.yml", Line: 7, Column: 11}}
}

func TestAssert(t *testing.T) {
	run := []*metrics.Interval{
		interval(0,
			traffic{label: "search", times: []time.Duration{10 * ms, 20 * ms, 30 * ms, 40 * ms}, bytes: 2048},
			traffic{label: "item", times: every(5*ms, 4), failed: 1}),
		interval(1, traffic{label: "item", times: every(5*ms, 2)}),
	}
	for _, tt := range []struct {
		rule     string
		result   Result
		observed string
		limit    string
	}{
		{`p95("search") <= 250ms`, Passed, "40ms", "<= 250ms"},
		{`p95("search") < 40ms`, Failed, "40ms", "< 40ms"},
		{`p(50, "search") <= 21ms`, Passed, "20ms", "<= 21ms"},
		{`p(12.5) < 1ms`, Failed, "5ms", "< 1ms"},
		{`p99.9("search") < 1s`, Passed, "40ms", "< 1s"},
		{`avg("search") == 25ms`, Passed, "25ms", "== 25ms"},
		{`avg("search") != 25ms`, Failed, "25ms", "!= 25ms"},
		{`fail_ratio() < 1%`, Failed, "10%", "< 1%"},
		{`succ_ratio("item") > 80%`, Passed, "83.3%", "> 80%"},
		{`fail() <= 1 && succ() >= 9 && hits() == 10`, Passed, "fail() 1, succ() 9, hits() 10", ""},
		{`rc("500") == 1 and rc("5??", "search") == 0`, Passed, `rc("500") 1, rc("5??", "search") 0`, ""},
		{`rc_ratio("2??") >= 95%`, Failed, "90%", ">= 95%"},
		{`rate() > 4`, Passed, "5/s", "> 4/s"},
		{`bytes("search") <= 2k`, Passed, "2KiB", "<= 2KiB"},
		{`latency("search") < connect() + 1s`, Passed, `latency("search") 12.5ms, connect() 0ms`, ""},
		{`p95("search") <= 2 * p95("item")`, Failed, `p95("search") 40ms, p95("item") 5ms`, ""},
		{`p95("search") <= max(1s, 2 * avg())`, Passed, `p95("search") 40ms, avg() 13ms`, ""},
		{`hits("search") > 100 || hits("item") > 5`, Passed, `hits("search") 4, hits("item") 6`, ""},
		{`dropped() == 0`, Passed, "0", "== 0"},
		{`stdev("item") == 0ms`, Passed, "0ms", "== 0ms"},
		{`concurrency() <= 1`, Passed, "0", "<= 1"},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			f := newFold(compiled(t, holds(tt.rule))).feed(run...)
			v := f.judge.End(f.snap, false)[0]
			if tt.limit == "" {
				tt.limit = tt.rule
			}
			if v.Result != tt.result || v.Observed != tt.observed || v.Limit != tt.limit || v.Fails != (tt.result == Failed) {
				t.Errorf("%s, observed %q, limit %q; want %s, %q, %q", v.Result, v.Observed, v.Limit, tt.result, tt.observed, tt.limit)
			}
		})
	}
}

func TestAssertWithoutData(t *testing.T) {
	run := interval(0, traffic{label: "item", times: every(ms, 2)})
	for _, tt := range []struct {
		name, text, ifNoData string
		fails                bool
	}{
		{"label never seen", `p95("search") < 1s`, "", true},
		{"also where a count is asked for", `hits("search") == 0`, "", true},
		{"if-no-data: pass", `p95("search") < 1s`, "pass", false},
	} {
		c := holds(tt.text)
		c.IfNoData = tt.ifNoData
		f := newFold(compiled(t, c)).feed(run)
		v := f.judge.End(f.snap, false)[0]
		if v.Result != NotEvaluated || v.Fails != tt.fails || !strings.Contains(v.Reason, `no sample of "search"`) {
			t.Errorf("%s: %+v", tt.name, v)
		}
	}
}

func TestAssertBaseline(t *testing.T) {
	base := stored{"p95 search": 0.1}
	j, diags := Compile([]config.Criterion{holds(`p95("search") <= 1.1 * baseline.p95("search")`)}, plan(), Options{Baseline: base})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	f := newFold(j).feed(interval(0, traffic{label: "search", times: every(200*ms, 1)}))
	if v := f.judge.End(f.snap, false)[0]; v.Result != Failed || v.Observed != `p95("search") 200ms, baseline.p95("search") 100ms` {
		t.Errorf("%+v", v)
	}
}

func TestAssertWithoutAKnownPlace(t *testing.T) {
	c := holds("hits() > 0 &&\n p95(\"serach\") < 1s")
	c.Pos = diag.Pos{File: "f.yml", Line: 6, Column: 3}
	_, diags := Compile([]config.Criterion{c}, plan(), Options{})
	if len(diags) != 1 || diags[0].Pos != c.Pos {
		t.Errorf("of several lines the rule's own place is told: %v", diags)
	}
}

func TestAssertMistakes(t *testing.T) {
	for _, tt := range []struct{ rule, want string }{
		{`p95("serach") < 1s`, `unknown-label 15 no request of the plan can have the label "serach" | did you mean "search"?`},
		{`hits() > 0 && p95("serach") < 1s`, `unknown-label 29 no request of the plan can have the label "serach"`},
		{`avg() < 250ms && p95("serach") < 1s`, `unknown-label 32 no request`},
		{`p95("search") < 5x`, `assert 27 "5x" is not a number with a known unit | units are`},
		{`avg() < 1s && faill() < 1`, `unknown-function 25 unknown figure "faill" | did you mean "fail"?`},
		{`avg() < 1s && now() < 1`, `unknown-function 25 unknown figure "now" | figures are`},
		{`p95("search") < 250`, `assert 11 a bare number is seconds, so the limit is 4m10s | write the unit: 250ms or 250s`},
		{`p95("search")`, `assert 11 the rule is a number, not a comparison | write a comparison`},
		{`1 < 2`, `assert 11 the rule "1 < 2" looks at no figure of the run`},
		{`p95("search") = 1s`, `assert 25 unexpected "=" | write "=="`},
		{`p95(search) < 1s`, `assert 15 the arguments of p95 must be plain texts or numbers | write the label in quotes`},
		{`p95("a", "b") < 1s`, `assert 11 too many arguments to call p95`},
		{`p(101) < 1s`, `assert 11 there is no percentile 101 | a percentile lies`},
		{`rc("99") > 1`, `unknown-code 14 no sample can have the code "99": a status code has three digits`},
		{`p95("sea" + "rch") < 1s`, `unknown-label`},
		{`hits() > 1 && baseline.hits() > 1`, `no-baseline 25 no baseline given | use --baseline`},
		{`avg() < `, `assert`},
		{`avg() < "x"`, `assert`},
		{strings.Repeat("(", 9000), `assert 11 the assert rule has 9000 bytes, more than 8192 | split it`},
	} {
		name := diag.Shorten(tt.rule, 40)
		t.Run(name, func(t *testing.T) {
			_, diags := Compile([]config.Criterion{holds(tt.rule)}, plan(), Options{})
			if strings.HasPrefix(tt.want, "unknown-label") && tt.want == "unknown-label" && len(diags) == 0 {
				return // a constant that was folded is as good as one that was written
			}
			if len(diags) == 0 {
				t.Fatal("no diagnostic")
			}
			d := diags[0]
			got := d.Code + " " + strings.TrimPrefix(d.Pos.String(), "f.yml:7:") + " " + d.Message + " | " + d.Hint
			if !strings.HasPrefix(got, tt.want) || d.Hint == "" {
				t.Errorf("\ngot  %s\nwant %s", got, tt.want)
			}
		})
	}
}
