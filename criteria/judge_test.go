package criteria

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/metrics"
)

const ms = time.Millisecond

// TestWindows goes through the rules of the section on evaluation: each second has one sample, whose
// response time in ms stands in seconds; -1 is a second without any sample.
func TestWindows(t *testing.T) {
	for _, tt := range []struct {
		name     string
		sentence string
		seconds  []int
		want     int64 // second at which it triggers, or -1
		since    time.Duration
	}{
		{"for: T seconds in a row", "avg-rt>100ms for 3s", []int{200, 200, 200, 200}, 2, 0},
		{"for: the first second counts when T is one", "avg-rt>100ms for 1s", []int{50, 200}, 1, time.Second},
		{"for: a part of a second is a second", "avg-rt>100ms for 1500ms", []int{200, 50, 200, 200}, 3, 2 * time.Second},
		{"for: a second that does not satisfy resets", "avg-rt>100ms for 3s", []int{200, 200, 50, 200, 200, 50}, -1, 0},
		{"for: since is the first second of the streak", "avg-rt>100ms for 2s", []int{50, 50, 200, 200}, 3, 2 * time.Second},
		{"for: a gap neither satisfies nor resets, and counts", "avg-rt>100ms for 4s", []int{200, -1, -1, 200}, 3, 0},
		{"for: a gap alone does not trigger", "avg-rt>100ms for 3s", []int{200, -1, -1, -1}, -1, 0},
		{"for: equality", "hits=1 for 2s", []int{10, 10}, 1, 0},
		{"for: less than", "avg-rt<100ms for 2s", []int{200, 50, 50}, 2, time.Second},
		{"within: before T seconds have passed", "avg-rt>100ms within 10s", []int{50, 200}, 1, 0},
		{"within: mean of the seconds", "avg-rt>100ms within 2s", []int{10, 150, 160}, 2, time.Second},
		{"within: with < at the very first second", "hits<1000 within 10s", []int{10}, 0, 0},
		{"within: counts add up", "hits>=3 within 3s", []int{10, 10, 10}, 2, 0},
		{"within: old seconds leave", "hits>=3 within 2s", []int{10, 10, 10, 10}, -1, 0},
		{"over: not before T seconds have passed", "hits<1000 over 3s", []int{10, 10, 10}, 2, 0},
		{"over: mean of the seconds' percentiles", "p95>100ms over 3s", []int{50, 50, 50, 250}, 3, time.Second},
		{"over: a gap passes time", "avg-rt>100ms over 3s", []int{200, -1, 200}, 2, 0},
		{"longer than the run", "avg-rt>100ms for 1m", []int{200, 200}, -1, 0},
		{"empty seconds are 0 hits after the first traffic", "hits<1 for 3s", []int{-1, -1, -1, -1, 10, -1, -1, -1}, 7, 5 * time.Second},
		{"empty seconds are 0 to within", "hits<2 within 2s", []int{10, -1}, 0, 0},
		{"empty seconds are 0 to over", "hits<2 over 3s", []int{10, 10, -1, -1}, 3, time.Second},
		{"empty seconds say nothing about a share", "succ<50% for 2s", []int{10, -1, -1, -1}, -1, 0},
		{"level that Taurus does not track", "p75>100ms for 1s", []int{50, 200}, 1, time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFold(compiled(t, sentence(t, tt.sentence)))
			for i, n := range tt.seconds {
				if n < 0 {
					f.feed(interval(int64(i)))
					continue
				}
				f.feed(interval(int64(i), traffic{label: "search", times: every(time.Duration(n)*ms, 1)}))
			}
			if got := f.triggeredAt(); got != tt.want {
				t.Fatalf("triggered at %d, want %d", got, tt.want)
			}
			v := f.judge.End(f.snap, false)[0]
			want := Passed
			if tt.want >= 0 {
				want = Failed
			}
			if v.Result != want || v.Fails != (want == Failed) || v.Since != tt.since || !v.Windowed {
				t.Errorf("verdict %+v, want %s since %s", v, want, tt.since)
			}
		})
	}
}

func TestMissingIntervalsAreEmptySeconds(t *testing.T) {
	f := newFold(compiled(t, sentence(t, "hits<1 for 3s")))
	one := traffic{label: "search", times: every(10*ms, 1)}
	f.feed(interval(0, one), interval(4, one))
	if v := f.judge.State()[0]; v.Result != Failed || v.Since != time.Second || v.Held != 3*time.Second {
		t.Errorf("three missing seconds: %+v", v)
	}
}

func TestDrainIsNotAnOutage(t *testing.T) {
	f := newFold(compiled(t, sentence(t, "hits<1 for 2s")))
	f.feed(interval(0, traffic{label: "search", times: every(10*ms, 1)}))
	for second := int64(1); second < 5; second++ {
		iv := interval(second)
		iv.Load[0].Planned, iv.Load[0].Users = 0, 1 // the plan is over, one answer is still awaited
		f.feed(iv)
	}
	if got := f.triggeredAt(); got >= 0 {
		t.Errorf("triggered at %d while the run drained", got)
	}
}

func TestTriggeredStaysTriggered(t *testing.T) {
	f := newFold(compiled(t, sentence(t, "avg-rt>100ms for 1s")))
	f.feed(interval(0, traffic{label: "search", times: every(200*ms, 1)}))
	for second := int64(1); second < 5; second++ {
		f.feed(interval(second, traffic{label: "search", times: every(10*ms, 1)}))
	}
	v := f.judge.End(f.snap, false)[0]
	if v.Result != Failed || v.Observed != "200ms" || v.Limit != "<= 100ms" || len(f.at) != 1 {
		t.Errorf("%+v, effects %v", v, f.at)
	}
}

func TestEffects(t *testing.T) {
	for _, tt := range []struct {
		sentence string
		want     Effect
		result   Result
		fails    bool
	}{
		{"fail>0 for 1s", Effect{Stop: true, Fail: true}, Failed, true},
		{"fail>0 for 1s, stop as non-failed", Effect{Stop: true}, Noticed, false},
		{"fail>0 for 1s, continue as failed", Effect{Fail: true}, Failed, true},
		{"fail>0 for 1s, continue as non-failed", Effect{}, Noticed, false},
	} {
		t.Run(tt.sentence, func(t *testing.T) {
			f := newFold(compiled(t, sentence(t, tt.sentence)))
			f.feed(interval(0, traffic{label: "search", times: every(ms, 3), failed: 1}))
			if got, ok := f.at[0]; !ok || got != tt.want {
				t.Errorf("effect %+v, want %+v", got, tt.want)
			}
			if v := f.judge.End(f.snap, false)[0]; v.Result != tt.result || v.Fails != tt.fails {
				t.Errorf("verdict %+v", v)
			}
		})
	}
}

// TestCumulative judges the totals of two seconds: search 10, 20, 30, 40 ms with one failure, item 5 ms.
func TestCumulative(t *testing.T) {
	run := []*metrics.Interval{
		interval(0,
			traffic{label: "search", times: []time.Duration{10 * ms, 20 * ms}, bytes: 1000, users: 3},
			traffic{label: "item", times: every(5*ms, 2), faults: map[metrics.Fault]int64{metrics.FaultTimeout: 1}},
			traffic{label: "visit", kind: metrics.TransactionKind, times: every(100*ms, 1)}),
		interval(1,
			traffic{label: "search", times: []time.Duration{30 * ms, 40 * ms}, failed: 1, bytes: 24, users: 4},
			traffic{execution: "other", label: "search", times: every(500*ms, 1)},
			traffic{label: "search", warmUp: true, times: every(9*time.Second, 5), failed: 5}),
	}
	for _, tt := range []struct {
		rule      string
		execution string
		result    Result
		observed  string
		limit     string
	}{
		{"avg-rt of item>5ms", "", Passed, "5ms", "<= 5ms"},
		{"avg-rt of item>=5ms", "", Failed, "5ms", "< 5ms"},
		{"avg-rt of search>24ms", "main", Failed, "25ms", "<= 24ms"},
		{"avg-lt of search>24ms", "main", Passed, "12.5ms", "<= 24ms"},
		{"avg-ct of search>1ms", "main", Passed, "0ms", "<= 1ms"},
		{"stdev-rt of search>11ms", "main", Failed, "11.2ms", "<= 11ms"},
		{"p100 of search>1s", "", Passed, "500ms", "<= 1s"},
		{"p0 of search<10ms", "", Passed, "10ms", ">= 10ms"},
		{"hits>6", "", Failed, "7", "<= 6"},
		{"hits<7", "", Passed, "7", ">= 7"},
		{"hits of search>4", "", Failed, "5", "<= 4"},
		{"hits of search>4", "main", Passed, "4", "<= 4"},
		{"hits of search=1", "other", Failed, "1", "!= 1"},
		{"fail>1", "", Failed, "2", "<= 1"},
		{"fail of search>20%", "", Passed, "20%", "<= 20%"},
		{"success<80%", "", Failed, "71.4%", ">= 80%"},
		{"rc500>0", "", Failed, "1", "<= 0"},
		{"rc5??>0", "", Failed, "1", "<= 0"},
		{"rc4??>0", "", Passed, "0", "<= 0"},
		{"rc*>100%", "", Passed, "100%", "<= 100%"},
		{"rcSocketTimeoutException>0", "", Failed, "1", "<= 0"},
		{"rc*Exception>50%", "", Passed, "14.3%", "<= 50%"},
		{"rcUnknownHost*>0", "", Passed, "0", "<= 0"},
		{"rctimeout>0", "", Failed, "1", "<= 0"},
		{"bytes of search>1k", "", Passed, "1KiB", "<= 1KiB"},
		{"concurrency>9", "", Failed, "10", "<= 9"},
		{"concurrency of search>3", "main", Failed, "4", "<= 3"},
		{"avg-rt of visit>99ms", "", Failed, "100ms", "<= 99ms"},
	} {
		t.Run(tt.rule+" "+tt.execution, func(t *testing.T) {
			c := sentence(t, tt.rule)
			c.Execution = tt.execution
			f := newFold(compiled(t, c)).feed(run...)
			if len(f.at) > 0 {
				t.Error("a cumulative rule triggered before the end")
			}
			v := f.judge.End(f.snap, false)[0]
			if v.Result != tt.result || v.Observed != tt.observed || v.Limit != tt.limit || v.Windowed || v.Since != 0 {
				t.Errorf("%s, observed %q, limit %q; want %s, %q, %q", v.Result, v.Observed, v.Limit, tt.result, tt.observed, tt.limit)
			}
		})
	}
}

func TestCumulativeStateIsAPreview(t *testing.T) {
	f := newFold(compiled(t, sentence(t, "fail>0")))
	f.feed(interval(0, traffic{label: "search", times: every(ms, 2), failed: 1}))
	if v := f.judge.State()[0]; v.Result != Passed || v.Progress != 1 || v.Observed != "1" {
		t.Errorf("%+v", v)
	}
}

func TestWindowShowsItsProgress(t *testing.T) {
	f := newFold(compiled(t, sentence(t, "fail>0 for 4s")))
	f.feed(interval(0, traffic{label: "search", times: every(ms, 2), failed: 1}))
	if v := f.judge.State()[0]; v.Progress != 0.25 || v.Observed != "1" {
		t.Errorf("%+v", v)
	}
}

func TestNoData(t *testing.T) {
	run := interval(0, traffic{label: "item", times: every(ms, 2)})
	for _, tt := range []struct {
		name     string
		sentence string
		ifNoData string
		fails    bool
	}{
		{"cumulative", "p95 of search>1s", "", true},
		{"a count of nothing is no data", "hits of search<1", "", true},
		{"windowed", "p95 of search>1s for 10s", "", true},
		{"if-no-data: pass", "p95 of search>1s", "pass", false},
		{"if-no-data: fail", "p95 of search>1s", "fail", true},
		{"non-failed only warns", "p95 of search>1s, continue as non-failed", "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := sentence(t, tt.sentence)
			c.IfNoData = tt.ifNoData
			f := newFold(compiled(t, c)).feed(run)
			v := f.judge.End(f.snap, false)[0]
			want := `no data: no sample of "search" finished in the measured time`
			if v.Result != NotEvaluated || v.Fails != tt.fails || v.Reason != want || v.Observed != "" {
				t.Errorf("%+v", v)
			}
		})
	}
	t.Run("finished, but without a time", func(t *testing.T) {
		iv := interval(0, traffic{label: "search", times: every(ms, 2)})
		iv.Rows[0].Service, iv.Rows[0].Response = metrics.Series{}, metrics.Series{}
		f := newFold(compiled(t, sentence(t, "p95 of search>1s"), sentence(t, "avg-ct of search>1s for 3s"), sentence(t, "hits of search<1"))).feed(iv)
		got := f.judge.End(f.snap, false)
		want := "no data: of the 2 that finished none was sent and answered, so that none has such a time"
		if got[0].Reason != want || got[1].Reason != want || got[2].Result != Passed {
			t.Errorf("%+v", got)
		}
	})
	t.Run("no interval at all", func(t *testing.T) {
		j := compiled(t, sentence(t, "fail>0"))
		if v := j.End(metrics.NewSnapshot(), false)[0]; v.Result != NotEvaluated || !v.Fails {
			t.Errorf("%+v", v)
		}
	})
	t.Run("warm-up is no data", func(t *testing.T) {
		f := newFold(compiled(t, sentence(t, "p95 of search>1s for 1s")))
		f.feed(interval(0, traffic{label: "search", warmUp: true, times: every(5*time.Second, 1)}))
		if v := f.judge.End(f.snap, false)[0]; v.Result != NotEvaluated {
			t.Errorf("%+v", v)
		}
	})
}

func TestInterrupted(t *testing.T) {
	f := newFold(compiled(t,
		sentence(t, "hits of search<1000000"),
		sentence(t, "fail>0 for 1s"),
		sentence(t, "avg-rt of item>1s for 5s"),
		config.Criterion{Text: "hits() > 5", Assert: "hits() > 5", Fail: true},
	))
	f.feed(interval(0, traffic{label: "search", times: every(ms, 2), failed: 1}))
	got := f.judge.End(f.snap, true)
	for i, want := range []struct {
		result Result
		fails  bool
	}{{NotEvaluated, false}, {Failed, true}, {NotEvaluated, false}, {NotEvaluated, false}} {
		if got[i].Result != want.result || got[i].Fails != want.fails {
			t.Errorf("rule %d: %+v, want %+v", i, got[i], want)
		}
	}
}

// TestAchievedOfAThroughput judges requests under a cap as it judges arrivals.
func TestAchievedOfAThroughput(t *testing.T) {
	capped := func(second, planned, admitted int64) *metrics.Interval {
		iv := interval(second, traffic{execution: "capped", label: "x", times: every(ms, 1)})
		iv.Load = []metrics.Load{
			{Execution: "capped", Second: second, RequestsPlanned: planned, RequestsAdmitted: admitted, RequestsStarted: admitted, Started: 1, Scheduled: 1},
			{Execution: "free", Second: second, RequestsStarted: 1000, Started: 1000, Scheduled: 1000},
		}
		return iv
	}
	labels := Labels{Executions: []Execution{{Name: "capped", Capped: true}, {Name: "free"}}}
	for _, tt := range []struct {
		name      string
		criterion config.Criterion
		result    Result
		observed  string
	}{
		{"missed", config.Criterion{Subject: "achieved", Condition: "<", Threshold: 95}, Failed, "80%"},
		{"of its execution", config.Criterion{Subject: "achieved", Execution: "capped", Condition: "<", Threshold: 70}, Passed, "80%"},
		{"in a second", config.Criterion{Subject: "achieved", Condition: "<", Threshold: 65, Logic: "for", Timeframe: time.Second}, Failed, "60%"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.criterion.Fail = true
			judge, diags := Compile([]config.Criterion{tt.criterion}, labels, Options{})
			if len(diags) > 0 {
				t.Fatal(diags)
			}
			f := newFold(judge).feed(capped(0, 10, 10), capped(1, 10, 6))
			if v := f.judge.End(f.snap, false)[0]; v.Result != tt.result || v.Observed != tt.observed {
				t.Errorf("%s, observed %q; want %s, %q", v.Result, v.Observed, tt.result, tt.observed)
			}
		})
	}
}

func TestLoadSubjects(t *testing.T) {
	open := func(second, scheduled, started, dropped int64) *metrics.Interval {
		iv := interval(second, traffic{execution: "open", label: "x", times: every(ms, 1)})
		iv.Load = []metrics.Load{{
			Execution: "open", Second: second, Open: true, Planned: 10, Scheduled: scheduled, Started: started,
			Dropped: [metrics.DropCount]int64{dropped},
		}}
		iv.Health = metrics.Health{CPUShare: 0.5, MemoryBytes: 64 << 20}
		if dropped > 0 {
			iv.Health.CPUShare = 0.99
		}
		return iv
	}
	for _, tt := range []struct {
		name      string
		criterion config.Criterion
		result    Result
		observed  string
	}{
		{"dropped", config.Criterion{Subject: "dropped", Condition: ">", Threshold: 0}, Failed, "5"},
		{"dropped within", config.Criterion{Subject: "dropped", Condition: ">", Threshold: 4, Logic: "within", Timeframe: 2 * time.Second}, Failed, "5"},
		{"achieved", config.Criterion{Subject: "achieved", Condition: "<", Threshold: 95}, Failed, "75%"},
		{"achieved of a window is a ratio of sums", config.Criterion{Subject: "achieved", Condition: "<", Threshold: 60, Logic: "over", Timeframe: 2 * time.Second}, Passed, "at least 75%"},
		{"achieved for", config.Criterion{Subject: "achieved", Condition: "<=", Threshold: 50, Logic: "for", Timeframe: time.Second}, Failed, "50%"},
		{"generator", config.Criterion{Subject: "generator", Condition: ">", Threshold: 0}, Failed, "1"},
		{"generator share", config.Criterion{Subject: "generator", Condition: ">", Threshold: 50, Percent: true}, Passed, "50%"},
		{"local/cpu", config.Criterion{Subject: "local/cpu", Class: config.MonitoringClass, Condition: ">", Threshold: 70, Percent: true}, Failed, "74.5%"},
		{"local/mem", config.Criterion{Subject: "local/mem", Class: config.MonitoringClass, Condition: ">", Threshold: 1 << 20}, Failed, "64MiB"},
		{"local/cpu in a window", config.Criterion{Subject: "local/cpu", Class: config.MonitoringClass, Condition: ">", Threshold: 98, Logic: "for", Timeframe: time.Second}, Failed, "99%"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.criterion.Fail = true
			f := newFold(compiled(t, tt.criterion)).feed(open(0, 10, 10, 0), open(1, 10, 5, 5))
			v := f.judge.End(f.snap, false)[0]
			if v.Result != tt.result || v.Observed != tt.observed {
				t.Errorf("%s, observed %q; want %s, %q", v.Result, v.Observed, tt.result, tt.observed)
			}
		})
	}
}

// TestWarmUpOfTheGeneratorIsNotJudged has a generator that is the bottleneck, and large, for as long as an execution warms up.
func TestWarmUpOfTheGeneratorIsNotJudged(t *testing.T) {
	second := func(n int64, health metrics.Health, loads ...metrics.Load) *metrics.Interval {
		return &metrics.Interval{Second: n, Health: health, Load: loads}
	}
	warming := metrics.Load{Execution: "main", Planned: 10, Users: 10, UsersPeak: 10, WarmingUp: true}
	behind := metrics.Load{Execution: "main", Planned: 10, Users: 10, UsersPeak: 10}
	other := metrics.Load{Execution: "other", Planned: 1, Users: 1, UsersPeak: 1}
	later := metrics.Load{Execution: "other"}
	at := func(n int64, l metrics.Load) metrics.Load {
		l.Second = n
		return l
	}
	busy := metrics.Health{CPUShare: 0.99, MemoryBytes: 2 << 20}
	calm := metrics.Health{CPUShare: 0.1, MemoryBytes: 1 << 20}
	apart := []*metrics.Interval{second(0, busy, at(0, warming), at(0, later)), second(1, calm, at(1, behind), at(1, later))}
	beside := []*metrics.Interval{second(0, busy, at(0, warming), at(0, other)), second(1, calm, at(1, behind), at(1, other))}
	local := func(subject string, limit float64) config.Criterion {
		return config.Criterion{Subject: subject, Class: config.MonitoringClass, Condition: ">", Threshold: limit}
	}
	window := func(c config.Criterion) config.Criterion {
		c.Logic, c.Timeframe = "for", time.Second
		return c
	}
	generator := config.Criterion{Subject: "generator", Condition: ">", Threshold: 0}
	for _, tt := range []struct {
		name          string
		criterion     config.Criterion
		apart, beside string // what is seen: in the first case it passes, in the second it fails
	}{
		{"generator", generator, "0", "1"},
		{"generator in a second", window(generator), "at most 0", "1"},
		{"generator in an assert", config.Criterion{Assert: "generator() <= 0"}, "0%", "50%"},
		{"processor", local("local/cpu", 20), "10%", "54.5%"},
		{"processor in a second", window(local("local/cpu", 20)), "at most 10%", "99%"},
		{"memory", local("local/mem", 1<<20), "1MiB", "2MiB"},
		{"memory in a second", window(local("local/mem", 1<<20)), "at most 1MiB", "2MiB"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.criterion.Fail = true
			f := newFold(compiled(t, tt.criterion)).feed(apart...)
			if v := f.judge.End(f.snap, false)[0]; v.Result != Passed || !strings.HasSuffix(v.Observed, tt.apart) {
				t.Errorf("%s, observed %q; want it passed, %q", v.Result, v.Observed, tt.apart)
			}
			f = newFold(compiled(t, tt.criterion)).feed(beside...)
			if v := f.judge.End(f.snap, false)[0]; v.Result != Failed || v.Observed != tt.beside {
				t.Errorf("beside one that is measured: %s, observed %q; want it failed, %q", v.Result, v.Observed, tt.beside)
			}
		})
	}
	f := newFold(compiled(t, generator)).feed(apart[0])
	if v := f.judge.End(f.snap, false)[0]; v.Result != NotEvaluated {
		t.Errorf("nothing but warm-up: %s", v.Result)
	}
}

// TestWarmUpOfTheLoadIsNotJudged has a warm-up in which arrivals were dropped and more users lived than later.
func TestWarmUpOfTheLoadIsNotJudged(t *testing.T) {
	part := metrics.LoadPart{Scheduled: 10, Started: 3, Dropped: [metrics.DropCount]int64{7}}
	warming := interval(0, traffic{execution: "open", label: "x", warmUp: true, times: every(ms, 1)})
	warming.Load = []metrics.Load{{
		Execution: "open", Open: true, Planned: 10, Users: 90, UsersPeak: 90, WarmingUp: true,
		Scheduled: part.Scheduled, Started: part.Started, Dropped: part.Dropped, WarmUp: part,
	}}
	// What fell due in the warm-up may be dropped behind it.
	measured := interval(1, traffic{execution: "open", label: "x", times: every(ms, 1), users: 5})
	measured.Load = []metrics.Load{{
		Execution: "open", Open: true, Second: 1, Planned: 10, Users: 5, UsersPeak: 5,
		Scheduled: 10, Started: 9, Dropped: [metrics.DropCount]int64{3}, WarmUp: metrics.LoadPart{Dropped: [metrics.DropCount]int64{2}},
	}}
	window := func(c config.Criterion) config.Criterion {
		c.Logic, c.Timeframe = "for", time.Second
		return c
	}
	dropped := config.Criterion{Subject: "dropped", Condition: ">", Threshold: 1}
	achieved := config.Criterion{Subject: "achieved", Condition: "<", Threshold: 90}
	users := config.Criterion{Subject: "concurrency", Condition: ">", Threshold: 50}
	for _, tt := range []struct {
		name      string
		criterion config.Criterion
		observed  string
	}{
		{"dropped", dropped, "1"},
		{"dropped in a second", window(dropped), "at most 1"},
		{"achieved", achieved, "90%"},
		{"achieved in a second", window(achieved), "at least 90%"},
		{"users", users, "5"},
		{"users in a second", window(users), "at most 5"},
		{"few are dropped only where it counts", window(config.Criterion{Subject: "dropped", Condition: "<", Threshold: 1}), "at least 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.criterion.Fail = true
			f := newFold(compiled(t, tt.criterion)).feed(warming, measured)
			if v := f.judge.End(f.snap, false)[0]; v.Result != Passed || v.Observed != tt.observed {
				t.Errorf("%s, observed %q; want it passed, %q", v.Result, v.Observed, tt.observed)
			}
		})
	}
}

func TestDefaultGate(t *testing.T) {
	feed := func(list ...traffic) *metrics.Snapshot {
		snap := metrics.NewSnapshot()
		snap.Add(interval(0, list...))
		return snap
	}
	if v, fails := DefaultGate(feed(traffic{label: "a", times: every(ms, 2), failed: 2})); !fails || !v.Fails || v.Observed != "100% (2 of 2)" {
		t.Errorf("all failed: %+v %v", v, fails)
	}
	if _, fails := DefaultGate(feed(traffic{label: "a", times: every(ms, 2), failed: 1})); fails {
		t.Error("one of two failed")
	}
	if _, fails := DefaultGate(feed()); fails {
		t.Error("nothing finished")
	}
}

// BenchmarkObserve_1000Labels is the cost of a second of a large plan under twenty rules.
func BenchmarkObserve_1000Labels(b *testing.B) {
	iv := interval(0)
	for i := range 1000 {
		iv.Rows = append(iv.Rows, traffic{label: "label " + strconv.Itoa(i), times: every(time.Duration(i)*ms, 20)}.row())
	}
	var rules []config.Criterion
	for range 10 {
		rules = append(rules,
			config.Criterion{Subject: "p95", Condition: ">", Threshold: 100, Logic: "for", Timeframe: 10 * time.Second},
			config.Criterion{Assert: `p95() < 1h && fail_ratio() < 1%`})
	}
	j, _ := Compile(rules, plan(), Options{})
	snap := metrics.NewSnapshot()
	snap.Add(iv)
	b.ReportAllocs()
	for b.Loop() {
		iv.Second++
		j.Observe(iv, snap)
	}
}
