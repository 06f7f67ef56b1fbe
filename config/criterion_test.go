package config

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stacrun/stacrun/diag"
)

func TestParseCriterion(t *testing.T) {
	base := Criterion{Logic: "for", Stop: true, Fail: true}
	with := func(change func(*Criterion)) Criterion {
		c := base
		change(&c)
		return c
	}
	for _, tt := range []struct {
		sentence string
		want     Criterion
	}{
		{"p95>150ms", with(func(c *Criterion) { c.Subject, c.Condition, c.Threshold = "p95", ">", 0.15 })},
		{"p99.9 of search >= 1s500ms for 10s, continue as failed", with(func(c *Criterion) {
			c.Subject, c.Label, c.Condition, c.Threshold = "p99.9", "search", ">=", 1.5
			c.Timeframe, c.Stop = 10*time.Second, false
		})},
		{"fail of X > 5", with(func(c *Criterion) { c.Subject, c.Label, c.Condition, c.Threshold = "fail", "X", ">", 5 })},
		{"failures>50% within 1m 30s, stop as non-failed", with(func(c *Criterion) {
			c.Subject, c.Condition, c.Threshold, c.Percent = "fail", ">", 50, true
			c.Logic, c.Timeframe, c.Fail = "within", 90*time.Second, false
		})},
		{"too slow: avg-rt of http://h:8080/x>1s", with(func(c *Criterion) {
			c.Message, c.Subject, c.Label, c.Condition, c.Threshold = "too slow", "avg-rt", "http://h:8080/x", ">", 1
		})},
		{"avg-rt of http://h/x?a=1,2>=1s over 5s", with(func(c *Criterion) {
			c.Subject, c.Label, c.Condition, c.Threshold = "avg-rt", "http://h/x?a=1,2", ">=", 1
			c.Logic, c.Timeframe = "over", 5*time.Second
		})},
		{"hits of a>b>100", with(func(c *Criterion) { c.Subject, c.Label, c.Condition, c.Threshold = "hits", "a>b", ">", 100 })},
		{"p95 of wait for it>1s for 3s", with(func(c *Criterion) {
			c.Subject, c.Label, c.Condition, c.Threshold, c.Timeframe = "p95", "wait for it", ">", 1, 3*time.Second
		})},
		{"rc5??>0", with(func(c *Criterion) { c.Subject, c.Condition = "rc5??", ">" })},
		{"rc*Exception==3%", with(func(c *Criterion) {
			c.Subject, c.Condition, c.Threshold, c.Percent = "rc*Exception", "=", 3, true
		})},
		{"bytes<10k", with(func(c *Criterion) { c.Subject, c.Condition, c.Threshold = "bytes", "<", 10240 })},
		{"concurr>5", with(func(c *Criterion) { c.Subject, c.Condition, c.Threshold = "concurrency", ">", 5 })},
		{"dropped>0 for 5s", with(func(c *Criterion) { c.Subject, c.Condition, c.Timeframe = "dropped", ">", 5*time.Second })},
		{"achieved<95", with(func(c *Criterion) { c.Subject, c.Condition, c.Threshold, c.Percent = "achieved", "<", 95, true })},
		{"generator>10%", with(func(c *Criterion) { c.Subject, c.Condition, c.Threshold, c.Percent = "generator", ">", 10, true })},
		{"p95 of search>110% baseline", with(func(c *Criterion) {
			c.Subject, c.Label, c.Condition, c.Threshold, c.Percent, c.Baseline = "p95", "search", ">", 110, true, true
		})},
		{"API: p50 of été, l'hiver>1s", with(func(c *Criterion) {
			c.Message, c.Subject, c.Label, c.Condition, c.Threshold = "API", "p50", "été, l'hiver", ">", 1
		})},
	} {
		t.Run(tt.sentence, func(t *testing.T) {
			got, diags := ParseCriterion(tt.sentence, diag.Pos{File: "f", Line: 1, Column: 1})
			if len(diags) > 0 {
				t.Fatal(diags)
			}
			if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreFields(Criterion{}, "Text", "Pos", "LabelPos")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			again, diags := ParseCriterion(got.Text, diag.Pos{})
			if len(diags) > 0 {
				t.Fatal(got.Text, diags)
			}
			if diff := cmp.Diff(got, again, cmpopts.IgnoreFields(Criterion{}, "Message", "Pos", "LabelPos")); diff != "" {
				t.Errorf("printed %q (-first +again):\n%s", got.Text, diff)
			}
		})
	}
}

func TestParseCriterionMistakes(t *testing.T) {
	for _, tt := range []struct {
		sentence string
		column   int
		want     string // message and hint
	}{
		{"p95>150mss", 8, `invalid duration "150mss": unknown unit "mss" | p95 is a time: write one such as 250ms or 1.5s`},
		{"p95x>5s", 1, `unknown subject "p95x" | did you mean "p95"?`},
		{"P90>1s", 1, `unknown subject "P90" | did you mean "p90"?`},
		{"p950>1s", 1, `unknown subject "p950" | a percentile lies between p0 and p100`},
		{"AVG-RT>1s", 1, `unknown subject "AVG-RT" | did you mean "avg-rt"?`},
		{"hits for lbl>1", 6, `unexpected "for lbl" between "hits" and the comparison | a label is written after "of": "hits of lbl>…"`},
		{"p95!=1s", 4, `unknown comparison "!=" | write one of > >= < <= =`},
		{"p95=>1s", 4, `unknown comparison "=>" | write ">="`},
		{"p95 of x", 8, `there is no comparison in "p95 of x" |`},
		{"p95 of >1s", 8, `the label after "of" is missing |`},
		{"avg-rt>50%", 8, `avg-rt has no percentage, got "50%" |`},
		{"fail>5s", 7, `invalid number "5s": unexpected "s" | fail is a number or a share`},
		{"fail>120%", 6, `a share of 120% cannot be reached |`},
		{"p95>1s, stopp as failed", 9, `unknown action "stopp" | did you mean "stop"?`},
		{"p95>1s, stop as successful", 17, `unknown status "successful" | write "as non-failed"`},
		{"p95>1s for 10s stop as failed", 16, `unexpected "stop as failed" at the end of the criterion | put a comma before it: ", stop as failed"`},
		{"p95>1s at 10s", 8, `unexpected "at 10s" at the end of the criterion |`},
		{"p95>1s for", 11, `the time after "for" is missing | write a time such as "for 10s"`},
		{"p95>", 5, `the threshold after ">" is missing |`},
		{"slow: p95>1x", 12, `invalid duration "1x": unknown unit "x" |`},
		{"", 1, `the criterion is empty |`},
		{"p95>1s,", 8, `nothing follows the comma |`},
		{"p95>10 baseline", 7, `invalid percentage "10": the percent sign is missing |`},
	} {
		t.Run(tt.sentence, func(t *testing.T) {
			_, diags := ParseCriterion(tt.sentence, diag.Pos{File: "f", Line: 1, Column: 1})
			if len(diags) == 0 {
				t.Fatal("no diagnostic")
			}
			if got := diags[0].Message + " | " + diags[0].Hint; !strings.HasPrefix(got, tt.want) || diags[0].Hint == "" {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			if diags[0].Pos.Column != tt.column {
				t.Errorf("column %d, want %d", diags[0].Pos.Column, tt.column)
			}
		})
	}
}

func TestParseCriterionBareSecondsAreDoubted(t *testing.T) {
	c, diags := ParseCriterion("p95>500", diag.Pos{})
	if c.Threshold != 500 || len(diags) != 1 || diags.HasErrors() || !strings.Contains(diags[0].Message, "8m20s") {
		t.Errorf("%+v %v", c, diags)
	}
}

func FuzzCriterion(f *testing.F) {
	for _, s := range []string{
		"p95>150ms", "m: fail of http://x/,y > 5% within 10s, continue as non-failed", "a:b:p5>1", "p95 of a>b>=1s for 1m 2s",
		"rc5??>=10% over 5s", "p95 of x>110% baseline", "hits<1,", "bytes of é>1.5k",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, sentence string) {
		c, diags := ParseCriterion(sentence, diag.Pos{File: "f", Line: 1, Column: 1})
		if diags.HasErrors() {
			return
		}
		again, diags := ParseCriterion("m: "+c.Text, diag.Pos{File: "f", Line: 1, Column: 1})
		if diags.HasErrors() {
			t.Fatalf("%q printed as %q: %v", sentence, c.Text, diags)
		}
		if diff := cmp.Diff(c, again, cmpopts.IgnoreFields(Criterion{}, "Message", "Pos", "LabelPos")); diff != "" {
			t.Errorf("%q printed as %q (-first +again):\n%s", sentence, c.Text, diff)
		}
	})
}
