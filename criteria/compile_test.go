package criteria

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/diag"
)

func TestCompileMistakes(t *testing.T) {
	at := func(c config.Criterion) config.Criterion {
		c.Pos = diag.Pos{File: "f.yml", Line: 3, Column: 5}
		return c
	}
	for _, tt := range []struct {
		name string
		rule config.Criterion
		want string // code column message | hint
	}{
		{"misspelt label", sentence(t, "p95 of serach>1s"),
			`unknown-label 8 no request of the plan can have the label "serach" | did you mean "search"?`},
		{"label of another execution", at(config.Criterion{Subject: "hits", Label: "item", Execution: "other", Condition: ">"}),
			`unknown-label 5 no request of execution "other" can have the label "item" | the labels of this plan are "search"`},
		{"nothing near", sentence(t, "p95 of checkout>1s"),
			`unknown-label 8 no request of the plan can have the label "checkout" | the labels of this plan are "search", "item", "visit"`},
		{"unknown execution", at(config.Criterion{Subject: "hits", Execution: "mian", Condition: ">"}),
			`unknown-execution 5 no execution is named "mian" | did you mean "main"?`},
		{"label where none can be", at(config.Criterion{Subject: "dropped", Label: "search", Condition: ">"}),
			`criterion 5 dropped is not measured per label | leave out "of search"`},
		{"achieved without a rate", at(config.Criterion{Subject: "achieved", Execution: "main", Condition: "<"}),
			`no-rate 5 achieved needs an execution with an arrival rate or a throughput | set arrival-rate or throughput, or judge hits instead`},
		{"no baseline", sentence(t, "p95>110% baseline"), `no-baseline 1 no baseline given | use --baseline`},
		{"impossible status", at(config.Criterion{Subject: "rc5000", Condition: ">"}), `unknown-code 5 no sample can have the code "5000": a status code has three digits | write a status`},
		{"impossible exception", sentence(t, "rcSocketTimeoutExcpetion>0"),
			`unknown-code 1 no sample can have the code "SocketTimeoutExcpetion": neither a status code nor a fault has that name | did you mean "rcSocketTimeoutException"?`},
		{"bare Exception of the docs", sentence(t, "rcException>0"), `unknown-code 1 no sample can have the code "Exception": neither`},
		{"unknown subject", at(config.Criterion{Subject: "avgrt", Condition: ">"}), `criterion 5 unknown subject "avgrt" | did you mean "avg-rt"?`},
		{"percentage of a time", at(config.Criterion{Subject: "p95", Percent: true, Condition: ">"}), `criterion 5 p95 has no percentage |`},
		{"unknown comparison", at(config.Criterion{Subject: "hits", Condition: "!="}), `criterion 5 unknown comparison "!=" | write one of`},
		{"unknown logic", at(config.Criterion{Subject: "hits", Condition: ">", Logic: "during"}), `criterion 5 unknown logic "during" | write one of`},
		{"monitoring of something else", at(config.Criterion{Subject: "db/cpu", Class: config.MonitoringClass, Condition: ">"}),
			`criterion 5 only this machine is watched, not "db" | only the load generator`},
		{"share of memory", at(config.Criterion{Subject: "local/mem", Class: config.MonitoringClass, Condition: ">", Threshold: 80}),
			`criterion 5 local/mem is a number of bytes, not a share | it is the memory`},
		{"parts of a second", sentence(t, "p95>1s over 1500ms"), `timeframe 1 a window has whole seconds: 1s500ms counts as 2s | write over 2s`},
		{"monitoring without source", at(config.Criterion{Subject: "cpu", Class: config.MonitoringClass, Condition: ">"}),
			`criterion 5 a monitoring subject is source/metric, got "cpu"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			j, diags := Compile([]config.Criterion{tt.rule}, plan(), Options{})
			if j == nil || len(diags) == 0 {
				t.Fatalf("judge %v, diagnostics %v", j, diags)
			}
			d := diags[0]
			got := d.Code + " " + strings.TrimPrefix(d.Pos.String(), d.Pos.File+":"+line(d.Pos)+":") + " " + d.Message + " | " + d.Hint
			if !strings.HasPrefix(got, tt.want) {
				t.Errorf("\ngot  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func line(p diag.Pos) string { return map[int]string{1: "1", 3: "3"}[p.Line] }

func TestLabels(t *testing.T) {
	for _, tt := range []struct {
		pattern, name string
		want          bool
	}{
		{"GET /items/${id}", "GET /items/7", true},
		{"GET /items/${id}", "GET /item/7", false},
		{"${a} of ${b}", "1 of 2", true},
		{"${a} of ${b}", "1 off 2", false},
		{"x${f({'a': 1}['a'])}y", "x1y", true},
		{"x${f({'a': 1}['a'])}y", "xy", true},
		{"x${a}yy", "xy", false},
		{"$${a} ${b}", "${a} 5", true},
		{"$${a} ${b}", "q 5", false},
		{"${open", "anything", true},
	} {
		if got := (Label{Name: tt.pattern, Dynamic: true}).matches(tt.name); got != tt.want {
			t.Errorf("%q matches %q: %v", tt.pattern, tt.name, got)
		}
	}
	if _, known := plan().find("", "GET /items/42"); !known {
		t.Error("a dynamic label is not known")
	}
}

type stored map[string]float64

func (s stored) Value(subject string, percent bool, execution, label string) (float64, bool) {
	if percent {
		subject += "%"
	}
	v, ok := s[subject+" "+label]
	return v, ok
}

func TestBaseline(t *testing.T) {
	base := stored{"p95 search": 0.1, "fail% ": 2}
	for _, tt := range []struct {
		sentence, limit string
		result          Result
	}{
		{"p95 of search>110% baseline", "<= 110ms (110% of the baseline's 100ms)", Failed},
		{"p95 of search>300% baseline", "<= 300ms (300% of the baseline's 100ms)", Passed},
		{"fail>100% baseline", "<= 2% (100% of the baseline's 2%)", Failed},
	} {
		j, diags := Compile([]config.Criterion{sentence(t, tt.sentence)}, plan(), Options{Baseline: base})
		if len(diags) > 0 {
			t.Fatal(diags)
		}
		f := newFold(j).feed(interval(0, traffic{label: "search", times: every(200*ms, 2), failed: 1}))
		if v := f.judge.End(f.snap, false)[0]; v.Limit != tt.limit || v.Result != tt.result {
			t.Errorf("%s: %+v", tt.sentence, v)
		}
	}
	if _, diags := Compile([]config.Criterion{sentence(t, "avg-rt>110% baseline")}, plan(), Options{Baseline: base}); len(diags) != 1 {
		t.Errorf("a figure that the baseline lacks: %v", diags)
	}
}

func TestDescribe(t *testing.T) {
	long := config.Criterion{
		Text: "p95 of search>1s within 10s, continue as failed", Message: "slow", Subject: "p95", Label: "search", Condition: ">",
		Threshold: 1, Logic: "within", Timeframe: 10 * time.Second, Fail: true,
	}
	got, err := json.Marshal(Describe([]config.Criterion{long, {Text: "hits() > 1", Assert: "hits() > 1", Fail: true, Stop: true}}))
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"text":"p95 of search\u003e1s within 10s, continue as failed","message":"slow","subject":"p95","label":"search",` +
		`"condition":"\u003e","threshold":1,"percent":false,"logic":"within","timeframe_s":10,"stop":false,"fail":true,` +
		`"assert":null,"execution":null,"if_no_data":"fail","baseline":false},` +
		`{"text":"hits() \u003e 1","message":null,"subject":null,"label":null,"condition":null,"threshold":null,"percent":false,` +
		`"logic":null,"timeframe_s":null,"stop":true,"fail":true,"assert":"hits() \u003e 1","execution":null,"if_no_data":"fail","baseline":false}]`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
	if empty, _ := json.Marshal(Describe(nil)); string(empty) != "[]" {
		t.Errorf("no rules: %s", empty)
	}
}

func TestBrokenRuleIsNeverPassed(t *testing.T) {
	rules := []config.Criterion{
		sentence(t, "p95>110% baseline"), sentence(t, "p95>110% baseline for 1s"), sentence(t, "hits of serach<1 for 1s"),
		{Assert: "nonsense(", Text: "nonsense(", Fail: true}, {Subject: "hits", Execution: "mian", Condition: ">", Fail: true},
	}
	j, diags := Compile(rules, plan(), Options{})
	if len(diags) != len(rules) {
		t.Fatal(diags)
	}
	f := newFold(j).feed(interval(0, traffic{label: "search", times: every(200*ms, 2)}))
	for i, v := range f.judge.End(f.snap, false) {
		if v.Result != NotEvaluated || !v.Fails || v.Reason == "" {
			t.Errorf("rule %d: %+v", i, v)
		}
	}
}
