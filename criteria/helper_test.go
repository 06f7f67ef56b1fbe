package criteria

import (
	"testing"
	"time"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/diag"
	"github.com/stacrun/stacrun/metrics"
)

// traffic is one label of one second.
type traffic struct {
	execution string
	label     string
	kind      metrics.Kind
	warmUp    bool
	times     []time.Duration // one finished sample each
	failed    int             // of them, with status 500
	faults    map[metrics.Fault]int64
	bytes     int64
	users     int64
}

func (t traffic) row() metrics.Row {
	if t.execution == "" {
		t.execution = "main"
	}
	r := metrics.Row{
		Execution: t.execution, Label: t.label, Kind: t.kind, WarmUp: t.warmUp, Finished: int64(len(t.times)),
		Failed: int64(t.failed), BytesIn: t.bytes, Codes: map[int]int64{},
	}
	unanswered := int64(0)
	for f, n := range t.faults {
		r.Faults[f] = n
		unanswered += n
	}
	r.Failed += unanswered
	r.Faults[metrics.FaultStatus] = int64(t.failed)
	r.Codes[500] = int64(t.failed)
	r.Codes[200] = r.Finished - r.Failed
	r.Codes[0] = unanswered
	for _, d := range t.times {
		r.Service.Record(int64(d))
		r.Latency.Record(int64(d / 2))
		r.Users.Add(t.users)
	}
	r.Response = r.Service
	r.LastEnd = int64(time.Second)
	return r
}

func every(d time.Duration, n int) []time.Duration {
	out := make([]time.Duration, n)
	for i := range out {
		out[i] = d
	}
	return out
}

// second makes an interval under full load.
func interval(second int64, list ...traffic) *metrics.Interval {
	iv := &metrics.Interval{Second: second, Load: []metrics.Load{{
		Execution: "main", Second: second, Planned: 10, Users: 10, UsersPeak: 10, Scheduled: 5, Started: 5, Finished: 5,
	}}}
	for _, t := range list {
		row := t.row()
		row.FirstStart, row.LastEnd = second*1e9, (second+1)*1e9
		iv.Rows = append(iv.Rows, row)
	}
	return iv
}

func plan() Labels {
	return Labels{
		Executions: []Execution{{Name: "main"}, {Name: "other"}, {Name: "open", Open: true}},
		Labels: []Label{
			{Execution: "main", Name: "search"}, {Execution: "main", Name: "item"}, {Execution: "other", Name: "search"},
			{Execution: "main", Name: "visit", Kind: metrics.TransactionKind},
			{Execution: "main", Name: "GET /items/${id}", Dynamic: true},
		},
	}
}

func sentence(t *testing.T, text string) config.Criterion {
	t.Helper()
	c, diags := config.ParseCriterion(text, diag.Pos{File: "f.yml", Line: 1, Column: 1})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return c
}

func compiled(t *testing.T, rules ...config.Criterion) *Judge {
	t.Helper()
	j, diags := Compile(rules, plan(), Options{})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return j
}

// fold feeds intervals and tells at which second each effect came.
type fold struct {
	judge *Judge
	snap  *metrics.Snapshot
	at    map[int64]Effect
}

func newFold(j *Judge) *fold {
	return &fold{judge: j, snap: metrics.NewSnapshot(), at: map[int64]Effect{}}
}

func (f *fold) feed(list ...*metrics.Interval) *fold {
	for _, iv := range list {
		f.snap.Add(iv)
		if effect, changed := f.judge.Observe(iv, f.snap); len(changed) > 0 {
			f.at[iv.Second] = effect
		}
	}
	return f
}

// triggeredAt gives the only second at which anything triggered, or -1.
func (f *fold) triggeredAt() int64 {
	for second := range f.at {
		return second
	}
	return -1
}
