package metrics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// view is everything that a snapshot says.
func view(s *Snapshot) map[string]any {
	start, end, ok := s.Window()
	first, last, _ := s.Seconds()
	health := s.Health()
	health.CPUShareMean = math.Round(health.CPUShareMean*1e9) / 1e9
	return map[string]any{
		"rows": s.Rows(), "execution rows": s.ExecutionRows(), "warm-up": s.WarmUpRows(), "total": s.Total(), "loads": s.Loads(),
		"errors": s.Errors(), "window": []any{start, end, ok}, "seconds": []int64{first, last}, "health": health, "final": s.Final(),
		"iterations": s.Iterations(), "requests": s.Requests(), "recent": s.Recent(3, false), "executions": s.Executions(),
	}
}

func TestSnapshotTakesIntervalsInAnyOrder(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 11))
		intervals := make([]*Interval, 6)
		for i := range intervals {
			intervals[i] = randomInterval(r)
			intervals[i].Health.CPUShare = float64(r.IntN(10)) / 10
			intervals[i].Errors = intervals[i].Errors[:min(len(intervals[i].Errors), 10)] // which texts fit under the limit may depend on the order
		}
		want := NewSnapshot()
		for _, iv := range intervals {
			want.Add(iv)
		}
		r.Shuffle(len(intervals), func(i, j int) { intervals[i], intervals[j] = intervals[j], intervals[i] })
		got := NewSnapshot()
		for _, iv := range intervals {
			got.Add(iv)
		}
		if d := diff(view(want), view(got)); d != "" {
			t.Fatalf("seed %d: the order matters\n%s", seed, d)
		}
	}
}

// row returns a row of n samples of 10 ms that were scheduled 0.1 s apart from start on.
func row(execution, label string, n int, start time.Duration) Row {
	r := Row{Execution: execution, Label: label, Finished: int64(n), FirstStart: int64(start)}
	for range n {
		r.Service.Record(10e6)
	}
	r.LastEnd = int64(start) + int64(n-1)*100e6 + 10e6
	r.Response = r.Service
	return r
}

func TestSnapshotRows(t *testing.T) {
	warm := row("x", "a", 5, 0)
	warm.WarmUp = true
	transaction := row("x", "t", 3, time.Second)
	transaction.Kind = TransactionKind
	sameName := row("x", "a", 2, time.Second)
	sameName.Kind = TransactionKind
	s := NewSnapshot()
	s.Add(&Interval{Rows: []Row{warm, row("x", "a", 10, time.Second), row("y", "a", 20, 2*time.Second), row("y", "b", 30, 2*time.Second), transaction, sameName}})
	s.Add(&Interval{Second: 1, Rows: []Row{row("x", "a", 1, 3*time.Second)}})

	if got := s.Total().Finished; got != 61 {
		t.Errorf("total = %d, want measured requests only", got)
	}
	if got := s.ExecutionTotal("x").Finished; got != 11 {
		t.Errorf("total of x = %d", got)
	}
	if got := s.ExecutionTotal("z"); got.Finished != 0 || got.Execution != "z" {
		t.Errorf("total of an unknown execution: %+v", got)
	}
	var rows []string
	for _, r := range s.Rows() {
		rows = append(rows, fmt.Sprintf("%q %d %s %d", r.Execution, r.Kind, r.Label, r.Finished))
	}
	if d := diff([]string{`"" 0 a 31`, `"" 0 b 30`, `"" 1 a 2`, `"" 1 t 3`}, rows); d != "" {
		t.Error(d)
	}
	if n := len(s.RequestRows()); n != 2 {
		t.Errorf("%d request rows", n)
	}
	if n := len(s.ExecutionRows()); n != 5 {
		t.Errorf("%d rows per execution", n)
	}
	for _, test := range []struct {
		name             string
		execution, label string
		want             int64
	}{
		{"over executions", "", "a", 31},
		{"in one", "y", "a", 20},
		{"a request goes before a transaction", "x", "a", 11},
		{"transaction", "", "t", 3},
		{"unknown", "", "c", 0},
		{"not in that execution", "x", "b", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := s.Label(test.execution, test.label)
			if r == nil {
				r = &Row{}
			}
			if r.Finished != test.want {
				t.Errorf("got %d, want %d", r.Finished, test.want)
			}
		})
	}
	if w := s.WarmUpRows(); len(w) != 1 || w[0].Finished != 5 || s.WarmUp("x", RequestKind, "a").Finished != 5 {
		t.Errorf("warm-up: %+v", w)
	}
	if d := diff([]string{"x", "y"}, s.Executions()); d != "" {
		t.Error(d)
	}
}

func TestWindowAndRate(t *testing.T) {
	warm := row("x", "a", 100, 0)
	warm.WarmUp = true
	slow := row("x", "a", 1, 9*time.Second)
	slow.LastEnd = int64(19 * time.Second)
	tests := []struct {
		name       string
		rows       []Row
		drain      time.Duration
		running    bool
		start, end time.Duration
		rate       float64
	}{
		{name: "nothing"},
		{name: "warm-up only", rows: []Row{warm}},
		{name: "plain", rows: []Row{row("x", "a", 100, time.Second)}, start: time.Second, end: 10910 * time.Millisecond, rate: 100 / 9.91},
		{name: "warm-up is outside", rows: []Row{warm, row("x", "a", 100, 5*time.Second)}, start: 5 * time.Second, end: 14910 * time.Millisecond, rate: 100 / 9.91},
		{name: "drain is outside", rows: []Row{row("x", "a", 99, 0), slow}, drain: 10 * time.Second, end: 10 * time.Second, rate: 10},
		{name: "without a mark the last end counts", rows: []Row{row("x", "a", 99, 0), slow}, end: 19 * time.Second, rate: 100 / 19.0},
		{name: "an end without answers", rows: []Row{row("x", "a", 100, 0)}, drain: 40 * time.Second, end: 40 * time.Second, rate: 100 / 40.0},
		{name: "what was begun and never answered", rows: []Row{{Execution: "x", Label: "b", Interrupted: 2, FirstStart: 1e9}, row("x", "a", 50, 5*time.Second)}, drain: 11 * time.Second, start: time.Second, end: 11 * time.Second, rate: 5},
		{name: "a pause behind the last request", rows: []Row{row("x", "a", 100, 0), {Execution: "x", Kind: IterationKind, Finished: 1, LastEnd: 20e9}}, end: 20 * time.Second, rate: 5},
		{name: "while it runs to the last second", rows: []Row{row("x", "a", 10, 0)}, running: true, end: 5 * time.Second, rate: 2},
		{name: "of two executions", rows: []Row{row("x", "a", 10, time.Second), row("y", "a", 10, 9010*time.Millisecond)}, start: time.Second, end: 9920 * time.Millisecond, rate: 20 / 8.92},
		{name: "too short to tell", rows: []Row{row("x", "a", 1, time.Second)}, start: time.Second, end: 1010 * time.Millisecond},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := NewSnapshot()
			s.Add(&Interval{Second: 4, Final: !test.running, Rows: test.rows, Load: []Load{{Execution: "x", DrainFrom: int64(test.drain)}}})
			start, end, _ := s.Window()
			if time.Duration(start) != test.start || time.Duration(end) != test.end {
				t.Errorf("window %v … %v, want %v … %v", time.Duration(start), time.Duration(end), test.start, test.end)
			}
			rate, ok := s.Rate(s.Total())
			if ok != (test.rate > 0) || math.Abs(rate-test.rate) > 1e-9 {
				t.Errorf("rate %v, %v, want %v", rate, ok, test.rate)
			}
		})
	}
}

// Two executions side by side of which one is measured later: neither pays for the other's time.
func TestRateOfAnExecutionIsOverItsOwnWindow(t *testing.T) {
	late := row("late", "b", 100, 30*time.Second) // to 39.91 s
	iteration := row("late", "i", 50, 30*time.Second)
	iteration.Kind = IterationKind
	unseen := row("unseen", "i", 20, 0) // its requests have labels that are ignored
	unseen.Kind = IterationKind
	s := NewSnapshot()
	s.Add(&Interval{
		Second: 39, Final: true,
		Rows: []Row{row("early", "a", 100, 0), late, row("early", "both", 100, 0), row("late", "both", 100, 30*time.Second), iteration, unseen, row("short", "c", 1, time.Second)},
		Load: []Load{{Execution: "early", DrainFrom: 20e9}, {Execution: "late", DrainFrom: 40e9}, {Execution: "unseen", DrainFrom: 5e9}},
	})
	tests := []struct {
		name string
		row  *Row
		want float64
	}{
		{"a label of the first", s.Label("", "a"), 100 / 20.0},
		{"a label of the second", s.Label("", "b"), 100 / 10.0},
		{"the second's iterations", s.Label("late", "i"), 50 / 10.0},
		{"iterations of which no request is counted", s.Label("unseen", "i"), 20 / 5.0},
		{"iterations of both", s.Label("", "i"), 70 / 40.0},
		{"a label of both, from the first to the last", s.Label("", "both"), 200 / 40.0},
		{"its part in one", s.Label("late", "both"), 100 / 10.0},
		{"all of one execution", s.ExecutionTotal("late"), 200 / 10.0},
		{"the total", s.Total(), 401 / 40.0},
		{"an execution too short to tell", s.Label("", "c"), 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			rate, ok := s.Rate(test.row)
			if ok != (test.want > 0) || math.Abs(rate-test.want) > 1e-9 {
				t.Errorf("rate %v, %v, want %v", rate, ok, test.want)
			}
		})
	}
	only := NewSnapshot()
	only.Add(&Interval{Second: 9, Final: true, Rows: []Row{unseen}, Load: []Load{{Execution: "unseen", DrainFrom: 5e9}}})
	if rate, ok := only.Rate(only.Label("unseen", "i")); rate != 20/5.0 || !ok {
		t.Errorf("iterations of a run of which no request is counted: %v, %v", rate, ok)
	}
	if rate, ok := s.PerSecond(40, "nothing was measured of it"); rate != 1 || !ok {
		t.Errorf("of an execution without a window: %v, %v, want the whole run's", rate, ok)
	}
}

func TestRecent(t *testing.T) {
	s := NewSnapshot()
	for second := range int64(200) {
		s.Add(&Interval{Second: second, Source: "a", Rows: []Row{row("x", "a", 10, 0)}})
		s.Add(&Interval{Second: second, Source: "b", Rows: []Row{row("x", "a", 5, 0), row("y", "b", 1, 0)}})
	}
	got := s.Recent(5, false)
	if got.Seconds != 5 || got.Total.Finished != 80 || got.Rate(got.Total) != 16 || len(got.Rows) != 2 {
		t.Errorf("last five: %d s, %d samples, %v per second, %d rows", got.Seconds, got.Total.Finished, got.Rate(got.Total), len(got.Rows))
	}
	if got := s.Recent(1000, false); got.Seconds != RecentSeconds {
		t.Errorf("covers %d s", got.Seconds)
	}
	if n := len(s.recent); n != RecentSeconds {
		t.Errorf("keeps %d seconds", n)
	}
	if iv := s.Second(199); iv == nil || iv.Total("").Finished != 16 {
		t.Errorf("last second: %+v", iv)
	}
	if s.Second(0) != nil {
		t.Error("a second of long ago is still there")
	}
	young := NewSnapshot()
	if got := young.Recent(5, false); got.Total.Finished != 0 || got.Rate(got.Total) != 0 {
		t.Errorf("before the first second: %+v", got)
	}
	young.Add(&Interval{Second: 3, Rows: []Row{row("x", "a", 10, 0)}})
	if got := young.Recent(5, false); got.Seconds != 1 {
		t.Errorf("a run of one second covers %d", got.Seconds)
	}
}

func TestReconcile(t *testing.T) {
	load := Load{Execution: "x", Scheduled: 12, Started: 10, Finished: 9, Interrupted: 1, Dropped: [DropCount]int64{1, 1}, RequestsStarted: 30}
	requests := Row{Execution: "x", Label: "a", Finished: 20, Interrupted: 2}
	warm := Row{Execution: "x", Label: "a", WarmUp: true, Finished: 8}
	others := Row{Execution: "x", Kind: IterationKind, Finished: 9}
	tests := []struct {
		name string
		with func(*Load)
		want string
	}{
		{"all add up", func(*Load) {}, ""},
		{"an arrival is lost", func(l *Load) { l.Scheduled++ }, "iterations do not add up: 13 scheduled, but 10 started + 2 dropped"},
		{"an iteration is lost", func(l *Load) { l.Finished-- }, "iterations do not add up: 10 started, but 8 finished + 1 interrupted"},
		{"a request is lost", func(l *Load) { l.RequestsStarted++ }, "requests do not add up: 31 started, but 28 finished + 2 interrupted"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l := load
			test.with(&l)
			s := NewSnapshot()
			s.Add(&Interval{Load: []Load{l}, Rows: []Row{requests, warm, others}})
			got := ""
			if err := s.Reconcile(); err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestSnapshotErrors(t *testing.T) {
	s := NewSnapshot()
	for i := range 150 {
		s.Add(&Interval{Errors: []ErrorText{{Label: "a", Text: fmt.Sprint("text ", i), Count: 1}, {Label: "a", Text: "often", Count: 2}, {Text: OtherErrors, Count: 1}}})
	}
	got := s.Errors()
	if len(got) != 101 || got[0].Text != "often" || got[0].Count != 300 {
		t.Fatalf("%d texts, first %+v", len(got), got[0])
	}
	if last := got[100]; last.Text != OtherErrors || last.Count != 150+51 {
		t.Errorf("others: %+v", last)
	}
}

func TestUsersPeakOverSources(t *testing.T) {
	s := NewSnapshot()
	add := func(source string, second, peak int64) {
		s.Add(&Interval{Second: second, Source: source, Load: []Load{{Execution: "x", Second: second, Users: peak - 1, UsersPeak: peak}}})
	}
	add("a", 1, 10)
	add("a", 2, 4)
	add("b", 1, 10) // late
	add("b", 2, 4)
	l := s.Loads()[0]
	if l.UsersPeak != 20 || l.Users != 6 {
		t.Errorf("peak %d, users %d; want 20 in second 1, and 6 in the last", l.UsersPeak, l.Users)
	}
}

func TestBottleneck(t *testing.T) {
	ms := int64(time.Millisecond)
	good := Health{CPUShare: 0.3, CPUSeconds: 0.6, Goroutines: 10}
	tests := []struct {
		name   string
		bad    Health
		times  int // of 20 seconds
		reason string
	}{
		{"healthy", good, 0, ""},
		{"one busy second of twenty", Health{CPUShare: 0.9}, 1, ""},
		{"two of twenty", Health{CPUShare: 0.9}, 2, "the generator used at least 85 % of its processors in 2 of 20 seconds (36 % on average)"},
		{"busy", Health{CPUShare: 0.9}, 10, "the generator used at least 85 % of its processors in 10 of 20 seconds (60 % on average)"},
		{"scheduler lag", Health{SchedulerLagP99: 12 * ms}, 2, "users that were ready waited for a processor at p99 up to 12ms, 10ms or longer in 2 of 20 seconds"},
		{"pacer", Health{PacerLateP99: 31 * ms}, 4, "the pacer was late at p99 by up to 31ms, 10ms or more in 4 of 20 seconds"},
		{"collector", Health{CollectorLag: 300 * ms}, 4, "seconds were closed late by up to 300ms, 200ms or more in 4 of 20 seconds"},
		{"descriptors", Health{Descriptors: 1000, DescriptorLimit: 1024}, 1, "the generator had 1000 of the 1024 file descriptors open that it may have"},
		{"no descriptor", Health{NoDescriptor: 7, DescriptorLimit: 64}, 3, "the generator could not make 21 connections: it had used up the 64 file descriptors that it may have"},
		{"no port", Health{NoPort: 1}, 1, "the generator could not make 1 connection: this machine had no local port left for the target"},
		{"standing still for too short a time to matter", Health{Stall: 150 * ms}, 1, ""},
		{"standing still", Health{Stall: 1200 * ms}, 1, "the generator stood still for 1.2s at a stretch, and for 1.2s of the run in all"},
		{"standing still again and again", Health{Stall: 120 * ms}, 2, "the generator stood still for 120ms at a stretch, and for 240ms of the run in all"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := NewSnapshot()
			for i := range 20 {
				h := good
				if i < test.times {
					h = test.bad
				}
				s.Add(&Interval{Second: int64(i), Health: h})
			}
			got := s.Health()
			if got.Reason != test.reason || got.Bottleneck != (test.reason != "") || got.Seconds != 20 {
				t.Errorf("got %+v, want %q", got, test.reason)
			}
			if want := max(test.bad.Stall, 0); got.StallMax != want {
				t.Errorf("stood still for %d at most, want %d", got.StallMax, want)
			}
			if strings.HasSuffix(got.Reason, ".") {
				t.Error("full stop")
			}
		})
	}
}

func TestHealthProbe(t *testing.T) {
	if h := NewHealthProbe().Read(); h.CPUShare != 0 {
		t.Errorf("a share of %v of no time", h.CPUShare)
	}
	p := NewHealthProbe()
	x := 0
	for start := time.Now(); time.Since(start) < 30*time.Millisecond; {
		x++
	}
	h := p.Read()
	if h.CPUSeconds <= 0 || h.CPUShare <= 0 || h.CPUShare > 1 || h.Goroutines < 1 || h.MemoryBytes <= 0 {
		t.Errorf("after work: %+v (%d)", h, x)
	}
	for name, v := range map[string]int64{"lag": h.SchedulerLagP99, "pause": h.GCPauseMax, "descriptors": h.Descriptors, "limit": h.DescriptorLimit} {
		if v < 0 {
			t.Errorf("%s = %d", name, v)
		}
	}
}
