// Package reporttest has a made-up run for the tests of reporters: its figures are simple enough
// to be checked by hand, and it has one of everything that a report can show.
package reporttest

import (
	"time"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
)

// Dir stands for the artifacts folder where nothing is written.
const Dir = "stacrun-artifacts"

const ms = int64(time.Millisecond)

// Run is what the reporters are told before it; it runs for 20 s and was started on a fixed date.
func Run(dir string) report.Run {
	return report.Run{
		Name: "search", Files: []string{"scenarios/search.yml"}, Dir: dir, Seed: 42, Version: "1.2.3",
		Started: time.Date(2026, 11, 30, 12, 0, 0, 250e6, time.UTC), Duration: 20 * time.Second, Ends: "after 20s",
		Executions: []report.Execution{{Name: "browse", Scenario: "browse", Ends: "after 20s"}},
		Labels:     []string{"GET /search", "landing, \"root\"", "検索 über"},
	}
}

// Intervals are ten seconds. Each has 10 samples of "GET /search" of 10, 20, … 100 ms, one of which
// is reset in every second one; two of the label with a comma, one with status 404; and one with wide
// characters. The first second has a request and two iterations of the warm-up as well, of which one was dropped. Two requests are interrupted at the end.
func Intervals() []*metrics.Interval {
	var list []*metrics.Interval
	for second := int64(0); second < 10; second++ {
		list = append(list, interval(second))
	}
	return list
}

func interval(second int64) *metrics.Interval {
	search := row("GET /search", second)
	for i := int64(1); i <= 10; i++ {
		add(&search, i*10*ms, 200)
	}
	landing := row("landing, \"root\"", second)
	add(&landing, 5*ms, 200)
	add(&landing, 7*ms, 404)
	wide := row("検索 über", second)
	add(&wide, 1500*ms, 200)
	iv := &metrics.Interval{
		Second: second, Sequence: uint64(second + 1), Final: second == 9,
		Load: []metrics.Load{{
			Execution: "browse", Second: second, Planned: 4, Users: 4, UsersPeak: 4,
			Scheduled: 3, Started: 3, Finished: 3, RequestsStarted: 13,
		}},
		Health: metrics.Health{CPUShare: 0.25, CPUSeconds: 0.5, SchedulerLagP99: ms / 2, GCPauseMax: ms / 5, MemoryBytes: 50 << 20},
	}
	failed := metrics.ErrorText{Execution: "browse", Label: "landing, \"root\"", Fault: metrics.FaultStatus, Code: 404, Text: "status 404 Not Found", Count: 1}
	iv.Errors = append(iv.Errors, failed)
	if second%2 == 1 {
		fail(&search, metrics.FaultReset)
		iv.Errors = append(iv.Errors, metrics.ErrorText{
			Execution: "browse", Label: "GET /search", Fault: metrics.FaultReset, Text: "read tcp 127.0.0.1:8085: connection reset by peer", Count: 1,
		})
	}
	fail(&landing, metrics.FaultStatus)
	if second == 9 {
		search.Interrupted = 2
		iv.Load[0].RequestsStarted += 2
		iv.Load[0].Finished, iv.Load[0].Interrupted = 1, 2
	}
	iv.Rows = []metrics.Row{search, landing, wide}
	if second == 0 {
		warm := row("GET /search", second)
		warm.WarmUp = true
		add(&warm, 900*ms, 200)
		iv.Rows = append(iv.Rows, warm)
		l := &iv.Load[0]
		l.RequestsStarted++
		l.Scheduled += 2
		l.Dropped[metrics.DropWaitedTooLong]++
		l.Started, l.Finished = l.Started+1, l.Finished+1
		l.WarmUp = metrics.LoadPart{Scheduled: 2, Started: 1, Finished: 1, Dropped: l.Dropped, RequestsStarted: 1}
	}
	visit := row("visit", second)
	visit.Kind = metrics.TransactionKind
	add(&visit, 1600*ms, 0)
	visit.Codes = nil
	iv.Rows = append(iv.Rows, visit)
	return iv
}

func row(label string, second int64) metrics.Row {
	return metrics.Row{
		Execution: "browse", Label: label, Codes: map[int]int64{}, FirstStart: second * int64(time.Second),
		LastEnd: (second + 1) * int64(time.Second),
	}
}

func add(r *metrics.Row, ns int64, status int) {
	r.Finished++
	r.Exchanges++
	r.BytesOut += 100
	r.BytesIn += 1000
	r.Codes[status]++
	r.Service.Record(ns)
	r.Response = r.Service
	r.Latency.Record(ns / 2)
	r.Users.Add(4)
	if r.Finished == 1 {
		r.Connect.Record(ms)
	}
}

// fail turns one answered sample into a failed one; a transport fault takes its answer away.
func fail(r *metrics.Row, f metrics.Fault) {
	r.Failed++
	r.Faults[f]++
	if f != metrics.FaultStatus {
		r.Codes[200]--
		r.Codes[0]++
	}
}

// Verdicts are one of each result.
func Verdicts() []criteria.Verdict {
	return []criteria.Verdict{
		{
			Rule: config.Criterion{Subject: "p95", Label: "GET /search", Condition: ">", Threshold: 0.05, Logic: "for", Timeframe: 3 * time.Second, Fail: true},
			Text: "p95 of GET /search>50ms for 3s", Result: criteria.Failed, Fails: true, Observed: "100ms", Limit: "<= 50ms",
			Since: 2 * time.Second, Held: 3 * time.Second, Windowed: true,
		},
		{
			Rule: config.Criterion{Subject: "fail", Message: "too many failures"}, Text: "fail>50%",
			Result: criteria.Passed, Observed: "11.5%", Limit: "<= 50%",
		},
		{
			Rule: config.Criterion{Subject: "hits", Label: "checkout"}, Text: "hits of checkout<1", Result: criteria.NotEvaluated, Fails: true,
			Limit: ">= 1", Reason: `no data: no sample of "checkout" finished in the measured time`,
		},
		{
			Rule: config.Criterion{Subject: "avg-rt"}, Text: "avg-rt>1ms, continue as non-failed", Result: criteria.Noticed,
			Observed: "158ms", Limit: "<= 1ms",
		},
		{
			Rule: config.Criterion{Assert: "hits() > 5", Text: "hits() > 5"}, Text: "hits() > 5", Result: criteria.Passed, Observed: "130", Limit: "> 5",
		},
	}
}

// Snapshot sums the intervals up.
func Snapshot(intervals []*metrics.Interval) *metrics.Snapshot {
	snap := metrics.NewSnapshot()
	for _, iv := range intervals {
		snap.Add(iv)
	}
	return snap
}

// Outcome is the failed end of the run.
func Outcome() *report.Outcome {
	return &report.Outcome{
		Result: report.ResultFailed, ExitCode: 3, Reason: "a criterion failed",
		Ended: time.Date(2026, 11, 30, 12, 0, 10, 0, time.UTC), Duration: 10 * time.Second,
		Verdicts: Verdicts(), Snapshot: Snapshot(Intervals()),
	}
}

// Feed runs a reporter through the whole run.
func Feed(r report.Reporter, run report.Run, o *report.Outcome) error {
	if err := r.Begin(run); err != nil {
		return err
	}
	snap := metrics.NewSnapshot()
	for _, iv := range Intervals() {
		snap.Add(iv)
		if err := r.Observe(iv, snap, o.Verdicts[:min(2, len(o.Verdicts))]); err != nil {
			return err
		}
	}
	return r.End(o)
}
