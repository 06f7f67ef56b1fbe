package markdown

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
	"github.com/stacrun/stacrun/reporters/reporttest"
)

// testRun is a run of ten requests in two seconds, one of which failed.
func testRun() (report.Run, *report.Outcome) {
	c := metrics.NewCollector(metrics.CollectorOptions{})
	search := c.Label("e", metrics.RequestKind, "POST /search | bbox")
	item := c.Label("e", metrics.RequestKind, "item <id>")
	load := c.Load("e", false)
	for i := range int64(10) {
		s := metrics.Sample{Start: i * 200e6, Label: search, Status: 200, Exchanges: 1}
		s.Scheduled = s.Start
		s.DNS, s.Connected, s.TLS, s.Sent, s.FirstByte, s.End = s.Start, s.Start, s.Start, s.Start, s.Start+150e6, s.Start+200e6
		load.RequestStarted(0)
		if i == 9 {
			s.Label, s.Status, s.Fault, s.Flags = item, 503, metrics.FaultStatus, metrics.Failed
			c.Failure(&s, "503 `broken` | @team")
			continue
		}
		c.Record(&s)
	}
	load.Scheduled.Add(10)
	load.Started.Add(10)
	load.Finished.Add(10)
	snap := metrics.NewSnapshot()
	snap.Add(c.Swap(0))
	return report.Run{Name: "smoke_test", Seed: 7, Version: "1.0.0"}, &report.Outcome{
		Result: report.ResultFailed, ExitCode: 3, Reason: "fail>5%: observed 10%, limit <= 5%", Duration: 2 * time.Second, Snapshot: snap,
		Verdicts: []criteria.Verdict{
			{Text: "fail>5%", Result: criteria.Failed, Fails: true, Observed: "10%", Limit: "<= 5%"},
			{Text: "p95>1s for 5s", Result: criteria.Noticed, Windowed: true, Observed: "2s", Limit: "<= 1s", Since: time.Second, Held: 5 * time.Second},
			{Text: "p95(`x`) < 1s", Rule: config.Criterion{Assert: "p95(`x`) < 1s", Message: "objective"}, Limit: "p95(`x`) < 1s", Result: criteria.Passed, Observed: "200ms"},
			{Text: "p99 of nobody>1s", Result: criteria.NotEvaluated, Fails: true, Reason: "no sample", Limit: "<= 1s"},
		},
	}
}

const want = `## ❌ smoke\_test: failed

fail&gt;5%: observed 10%, limit &lt;= 5%

| requests | failed | rate | p50 | p95 | p99 | max | duration |
| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| 10 | 1 (10%) | 5.0/s | 200ms | 200ms | 200ms | 200ms | 2s |

### Criteria

|  | rule | observed | passes |  |
| --- | --- | ---: | ---: | --- |
| ❌ failed | !fail>5%! | 10% | &lt;= 5% |  |
| ⚠️ noticed | !p95>1s for 5s! | 2s | &lt;= 1s | from 00:01 on for 5s |
| ✅ passed | objective: !! p95(!x!) < 1s !! | 200ms | it holds |  |
| ❌ not evaluated | !p99 of nobody>1s! | - | &lt;= 1s | no sample |

### Labels

| label | count | failed | rate | mean | p50 | p95 | p99 | max |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| POST /search \| bbox | 9 | 0 | 4.5/s | 200ms | 200ms | 200ms | 200ms | 200ms |
| item &lt;id&gt; | 1 | 1 (100%) | 0.5/s | 200ms | 200ms | 200ms | 200ms | 200ms |
| **all requests** | 10 | 1 (10%) | 5.0/s | 200ms | 200ms | 200ms | 200ms | 200ms |

### Failures

| label | failure | count | of the label | example |
| --- | --- | ---: | ---: | --- |
| item &lt;id&gt; | status | 1 | 100% | !! 503 !broken! \| @team !! |

<sub>iterations: 10 scheduled = 10 started + 0 dropped; requests: 10 started = 10 finished + 0 interrupted; times are response times; seed 7; stacrun 1.0.0</sub>
`

func TestWrite(t *testing.T) {
	var b strings.Builder
	run, o := testRun()
	if err := Write(&b, run, o); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.ReplaceAll(want, "!", "`"), b.String()); diff != "" {
		t.Error(diff)
	}
}

func TestEscape(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"plain", "GET /collections", "GET /collections"},
		{"formatting", "*a* _b_ `c` ~d~", "\\*a\\* \\_b\\_ \\`c\\` \\~d\\~"},
		{"colon", "a: b :heart:", `a: b \:heart:`},
		{"link", "[a](http://b)", `\[a\]\(http\://b\)`},
		{"bare link", "www.example.com", `www\.example.com`},
		{"HTML", "<img src=x>&amp;", "&lt;img src=x&gt;&amp;amp;"},
		{"people and issues", "@all #1", "@\u2060all #\u20601"},
		{"table", "a|b\nc", `a\|b c`},
		{"list", "- a", `\- a`},
		{"right to left", "\u202eabc", "abc"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := escape(tt.text); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func TestReporter(t *testing.T) {
	dir := t.TempDir()
	summary := filepath.Join(dir, "step.md")
	if err := os.WriteFile(summary, []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	run, o := testRun()
	run.Dir = dir
	m := New(Options{StepSummary: summary})
	if err := m.Begin(run); err != nil {
		t.Fatal(err)
	}
	if err := m.End(o); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(filepath.Join(dir, "report.md"))
	if err != nil {
		t.Fatal(err)
	}
	appended, err := os.ReadFile(summary)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("before\n"+string(file), string(appended)); diff != "" {
		t.Errorf("the step summary differs from the file: %s", diff)
	}
	if diff := cmp.Diff([]report.Artifact{{Path: filepath.Join(dir, "report.md"), Kind: "markdown"}}, o.Files); diff != "" {
		t.Error(diff)
	}
}

func TestLongListsAreCut(t *testing.T) {
	snap := metrics.NewSnapshot()
	iv := &metrics.Interval{}
	for i := range 150 {
		row := metrics.Row{Label: strings.Repeat("x", i+1), Finished: int64(i + 1), Failed: 1}
		row.Faults[metrics.FaultTimeout] = 1
		row.Response.Record(1e6)
		row.Service = row.Response
		iv.Rows = append(iv.Rows, row)
	}
	snap.Add(iv)
	var b strings.Builder
	if err := Write(&b, report.Run{}, &report.Outcome{Result: report.ResultPassed, Snapshot: snap}); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"<details><summary>150 labels</summary>\n\n|", "The 100 busiest of 150 labels.", "The 30 most frequent of 150.", "</details>\n"} {
		if !strings.Contains(b.String(), part) {
			t.Errorf("no %q", part)
		}
	}
	if n := b.Len(); n > 65_536 {
		t.Errorf("%d characters, more than a comment holds", n)
	}
}

func TestBesideTheTimes(t *testing.T) {
	run, _, o := reporttest.Beside(t.TempDir())
	var b strings.Builder
	if err := Write(&b, run, o); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"> Note: influx: 3 of 40 batches were &lt;lost&gt;\n", "### Numbers that answers hold\n",
		"| GET /search | took | 100 | 1 | 5.5 | 5 | 10 | 10 | 10 |\n", "### Response times corrected by expected-interval (estimated, not measured)\n",
		"| label | p50 | p90 | p95 | p99 | p99.9 | max |\n", "| GET /search | 40ms | 80.1ms | 90ms | 100ms | ", "| **all requests** | ",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}
