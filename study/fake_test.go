package study

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
)

// fakeRunner answers runs by a function, and notes them.
type fakeRunner struct {
	mu   sync.Mutex
	runs []RunOptions
	make func(file *config.File, n int) (Result, error) // n: from 0
}

func (f *fakeRunner) Run(_ context.Context, file *config.File, opts RunOptions) (Result, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.runs = append(f.runs, opts)
	return f.make(file, len(f.runs)-1)
}

// loaderOf loads a text with overrides.
func loaderOf(text string) Loader {
	return func(overrides []string) (*config.File, diag.List) {
		return config.Load(context.Background(), nil, config.Options{
			Documents: []config.Document{{Name: "test.yml", Text: []byte(text)}}, Overrides: overrides,
			Now: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC),
		})
	}
}

// second is what a made-up run did within one second.
type second struct {
	responses []int64 // ns, of label "search"
	failed    int64
	dropped   int64
	busy      bool // the generator was the limit
}

// made turns seconds into a result.
func made(seconds []second) Result {
	snapshot := metrics.NewSnapshot()
	var intervals []*metrics.Interval
	for i, s := range seconds {
		begin := int64(i) * int64(time.Second)
		row := metrics.Row{Execution: "s", Label: "search", Kind: metrics.RequestKind, FirstStart: begin, LastEnd: begin + int64(time.Second)}
		row.Finished, row.Failed, row.Codes = int64(len(s.responses)), s.failed, map[int]int64{200: int64(len(s.responses))}
		for _, ns := range s.responses {
			row.Response.Record(ns)
		}
		row.Service = row.Response
		n := int64(len(s.responses))
		load := metrics.Load{Execution: "s", Second: int64(i), Open: true, Scheduled: n + s.dropped, Started: n, Finished: n, RequestsStarted: n}
		load.Dropped[metrics.DropWaitedTooLong] = s.dropped
		iv := &metrics.Interval{Second: int64(i), Rows: []metrics.Row{row}, Load: []metrics.Load{load}, Health: metrics.Health{CPUShare: 0.2}}
		if s.busy {
			iv.Health.CPUShare = 0.99
		}
		iv.Final = i == len(seconds)-1
		intervals = append(intervals, iv)
		snapshot.Add(iv)
	}
	o := &report.Outcome{Result: report.ResultPassed, Snapshot: snapshot, Duration: time.Duration(len(seconds)) * time.Second}
	return Result{Outcome: o, Intervals: intervals}
}

// steady is a run in which every request takes the same time.
func steady(seconds, perSecond int, ns int64) Result {
	list := make([]second, seconds)
	for i := range list {
		for range perSecond {
			list[i].responses = append(list[i].responses, ns)
		}
	}
	return made(list)
}

func noRest(context.Context, time.Duration) {}

const searchDocument = `
execution: {concurrency: 3, hold-for: 10s, scenario: s}
scenarios:
  s:
    default-address: http://127.0.0.1:9
    requests: [{url: /, label: search}]
`

func mustLoad(t *testing.T, text string) Loader {
	t.Helper()
	loader := loaderOf(text)
	if _, found := loader(nil); found.HasErrors() {
		t.Fatal(found)
	}
	return loader
}
