package final

import (
	"strings"
	"testing"

	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/reporters/report"
	"github.com/stacrun/stacrun/reporters/reporttest"
)

func TestVerdict(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*report.Outcome)
	}{
		{"failed", func(*report.Outcome) {}},
		{"passed", func(o *report.Outcome) {
			o.Result, o.ExitCode, o.Reason, o.Verdicts = report.ResultPassed, 0, "", o.Verdicts[1:2]
		}},
		{"no_criterion", func(o *report.Outcome) { o.Result, o.ExitCode, o.Reason, o.Verdicts = report.ResultPassed, 0, "", nil }},
		{"interrupted", func(o *report.Outcome) {
			o.Result, o.ExitCode, o.Reason = report.ResultInterrupted, 2, "interrupted by SIGINT"
			o.Verdicts = []criteria.Verdict{{Text: "fail>1%", Result: criteria.NotEvaluated, Reason: "the run was interrupted"}}
		}},
		{"error", func(o *report.Outcome) {
			o.Result, o.ExitCode, o.Reason, o.Errors = report.ResultError, 1, "", []string{"write x.csv: no space left on device"}
			o.Verdicts = nil
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := reporttest.Outcome()
			o.Files = []report.Artifact{{Path: reporttest.Dir + "/summary.json"}, {Path: "elsewhere/junit.xml"}}
			tt.change(o)
			var b strings.Builder
			if err := Verdict(&b, o, VerdictOptions{Dir: reporttest.Dir}); err != nil {
				t.Fatal(err)
			}
			reporttest.Golden(t, "verdict_"+tt.name+".txt", b.String())
			lines := strings.Split(strings.TrimSpace(b.String()), "\n")
			if last := lines[len(lines)-1]; !strings.HasPrefix(last, strings.ToUpper(string(o.Result))) {
				t.Errorf("the last line is %q", last)
			}
		})
	}
}

func TestVerdictCannotMoveTheCursor(t *testing.T) {
	o := reporttest.Outcome()
	o.Verdicts[0].Text = "p95 of \x1b[2Jevil\nlabel>1"
	var b strings.Builder
	if err := Verdict(&b, o, VerdictOptions{}); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsRune(b.String(), '\x1b') || !strings.Contains(b.String(), "evil label") {
		t.Errorf("%q", b.String())
	}
}
