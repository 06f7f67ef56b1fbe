package metrics

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stacrun/stacrun/internal/weigh"
)

// TestSwapLosesNothing records from many goroutines while another one swaps all the time, and counts afterwards.
func TestSwapLosesNothing(t *testing.T) {
	const users, each = 16, 5000
	c := NewCollector(CollectorOptions{})
	labels := []LabelID{c.Label("x", RequestKind, "a"), c.Label("x", RequestKind, "b")}
	load := c.Load("x", false)
	var want [users]Sum
	var recording sync.WaitGroup
	for user := range users {
		recording.Go(func() {
			r := rand.New(rand.NewPCG(uint64(user), 0))
			for range each {
				s := randomSample(r, labels)
				s.User = uint32(user)
				s.Flags &^= Interrupted | WarmUp
				load.RequestStarted(s.User)
				load.Started.Add(1)
				c.Record(&s)
				load.Finished.Add(1)
				want[user].Add(s.Service())
			}
		})
	}
	done := make(chan struct{})
	go func() { recording.Wait(); close(done) }()
	snap := NewSnapshot()
	for second := int64(0); ; second++ {
		stop := false
		select {
		case <-done:
			stop = true
		default:
		}
		iv := c.Swap(second)
		for i := range iv.Rows {
			r := &iv.Rows[i]
			if r.Service.Count != r.Finished || r.Service.Histogram.Count() != r.Finished || r.Response.Histogram.Count() != r.Finished || r.Users.Count != r.Finished {
				t.Fatalf("a sample is split between intervals: %d finished, but service has %d and %d, response %d, users %d",
					r.Finished, r.Service.Count, r.Service.Histogram.Count(), r.Response.Histogram.Count(), r.Users.Count)
			}
		}
		snap.Add(iv)
		if stop {
			break
		}
	}
	total := snap.Total()
	var sum Sum
	for i := range want {
		sum.Merge(&want[i])
	}
	if total.Finished != users*each || total.Service.Sum != sum {
		t.Errorf("got %d samples with %+v, want %d with %+v", total.Finished, total.Service.Sum, users*each, sum)
	}
	if c := snap.Requests(); c.Started != c.Finished {
		t.Errorf("requests: %+v", c)
	}
}

// What a label hands back at the end of a second serves another one in the next: two must never count in the same place.
func TestPagesHaveOneOwner(t *testing.T) {
	c := NewCollector(CollectorOptions{})
	r := random(t)
	labels := []LabelID{c.Label("x", RequestKind, "a"), c.Label("x", RequestKind, "b"), c.Label("x", RequestKind, "c")}
	for second := range int64(20) {
		want := map[string]*Series{}
		for range r.IntN(3000) {
			s := Sample{Label: labels[r.IntN(len(labels))], User: r.Uint32(), End: r.Int64N(50_000_000), Status: 200}
			s.FirstByte = s.End / 2
			c.Record(&s)
			_, name, _ := c.LabelName(s.Label)
			if want[name] == nil {
				want[name] = &Series{}
			}
			want[name].Record(s.End)
		}
		iv := c.Swap(second)
		if len(iv.Rows) != len(want) {
			t.Fatalf("second %d: %d rows, want %d", second, len(iv.Rows), len(want))
		}
		for i := range iv.Rows {
			if row := &iv.Rows[i]; !reflect.DeepEqual(&row.Service, want[row.Label]) {
				t.Fatalf("second %d, label %s: %d values, want %d, or their distributions differ", second, row.Label, row.Service.Histogram.Count(), want[row.Label].Count)
			}
		}
	}
}

func TestRecordDoesNotAllocate(t *testing.T) {
	weigh.Exact(t)
	c := NewCollector(CollectorOptions{})
	label := c.Label("x", RequestKind, "a")
	s := Sample{Label: label, Start: 1e9, Scheduled: 0, End: 1e9 + 5e6, FirstByte: 1e9 + 4e6, Sent: 1e9 + 1e6, Status: 200, Flags: HasMetric | NewConnection, Metric: 4}
	swaps := 0
	if n := weigh.Allocations(t, 1000, func() {
		s.User++
		c.Record(&s)
	}); n != 0 {
		t.Errorf("%v allocations per sample", n)
	}
	// Neither does it after a swap: pages come back to the shard that they were taken from.
	for range 4 {
		c.Swap(int64(swaps))
		for range 100 {
			s.User++
			c.Record(&s)
		}
	}
	if n := weigh.Allocations(t, 1000, func() {
		s.User++
		c.Record(&s)
	}); n != 0 {
		t.Errorf("%v allocations per sample after swaps", n)
	}
	if n := weigh.Allocations(t, 100, func() { c.Label("x", RequestKind, "a"); c.LabelBytes("x", RequestKind, []byte("a")) }); n != 0 {
		t.Errorf("%v allocations to look up a label", n)
	}
}

func TestThousandLabelsStayUnder64MB(t *testing.T) {
	weigh.Exact(t)
	c := NewCollector(CollectorOptions{})
	labels := make([]LabelID, 1000)
	for i := range labels {
		labels[i] = c.Label("x", RequestKind, fmt.Sprint("label", i))
	}
	before := weigh.Heap(t)
	r := random(t)
	for second := range int64(3) {
		for range 20_000 {
			s := randomSample(r, labels)
			c.Record(&s)
		}
		if second < 2 {
			c.Swap(second)
		}
	}
	if grown := weigh.Heap(t) - before; grown > 64<<20 {
		t.Errorf("the collector takes %d MB", grown>>20)
	}
	runtime.KeepAlive(c)
}

func TestRow(t *testing.T) {
	c := NewCollector(CollectorOptions{})
	label := c.Label("x", RequestKind, "a")
	ms := int64(1e6)
	samples := []Sample{
		{
			Label: label, Scheduled: 100 * ms, Start: 100 * ms, DNS: 101 * ms, Connected: 103 * ms, TLS: 106 * ms, Sent: 107 * ms, FirstByte: 117 * ms,
			End: 120 * ms, Status: 200, Exchanges: 2, BytesOut: 10, BytesIn: 100, Users: 3, Flags: NewConnection | HasMetric, Metric: 12, ClientWork: 5,
		},
		{
			Label: label, Scheduled: 100 * ms, Start: 100 * ms, DNS: 100 * ms, Connected: 100 * ms, TLS: 100 * ms, Sent: 100 * ms, FirstByte: 130 * ms,
			End: 130 * ms, Status: 503, Exchanges: 1, BytesOut: 10, BytesIn: 50, Users: 5, Flags: Failed, Fault: FaultStatus,
		},
		{Label: label, Scheduled: 100 * ms, Start: 100 * ms, End: 900 * ms, Exchanges: 1, Flags: Interrupted, Fault: FaultInterrupted},
	}
	for i := range samples {
		samples[i].User = uint32(i)
		c.Record(&samples[i])
	}
	iv := c.Swap(0)
	if len(iv.Rows) != 1 {
		t.Fatalf("%d rows", len(iv.Rows))
	}
	r := iv.Rows[0]
	sum := func(values ...int64) (s Sum) {
		for _, v := range values {
			s.Add(v)
		}
		return s
	}
	want := Row{
		Execution: "x", Label: "a", Finished: 2, Interrupted: 1, Failed: 1, Exchanges: 4, BytesOut: 20, BytesIn: 150,
		Codes: map[int]int64{200: 1, 503: 1}, FirstStart: 100 * ms, LastEnd: 130 * ms,
		Phases: [PhaseCount]Sum{sum(ms, 0), sum(2*ms, 0), sum(3*ms, 0), sum(ms, 0), sum(10*ms, 30*ms), sum(3*ms, 0)},
		Users:  sum(3, 5), ClientWork: sum(5, 0),
	}
	want.Faults[FaultStatus] = 1
	for _, v := range []int64{20 * ms, 30 * ms} {
		want.Service.Record(v)
	}
	want.Response = want.Service
	want.Latency.Record(17 * ms)
	want.Latency.Record(30 * ms)
	want.Connect.Record(6 * ms)
	want.Metric.Record(12_000)
	if d := diff(want, r); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	if !r.sharesTimes() {
		t.Error("in a closed model the response times are not kept twice")
	}
	if got := r.Metric.Quantile(50) / 1000; got != 12 {
		t.Errorf("metric p50 = %v", got)
	}
}

func TestOpenModelKeepsBothTimes(t *testing.T) {
	c := NewCollector(CollectorOptions{})
	label := c.Label("x", RequestKind, "a")
	for i, late := range []int64{0, 0, 50e6} {
		c.Record(&Sample{Label: label, User: uint32(i), Scheduled: 1e9 - late, Start: 1e9, End: 1e9 + 10e6})
	}
	r := c.Swap(0).Rows[0]
	if r.Service.Count != 3 || r.Service.Max != 10e6 || r.Service.Histogram.Count() != 3 {
		t.Errorf("service: %+v", r.Service.Sum)
	}
	if r.Response.Count != 3 || r.Response.Min != 10e6 || r.Response.Max != 60e6 || r.Response.Histogram.Count() != 3 {
		t.Errorf("response: %+v", r.Response.Sum)
	}
}

func TestStampsThatWereNotTaken(t *testing.T) {
	c := NewCollector(CollectorOptions{})
	label := c.Label("x", RequestKind, "a")
	c.Record(&Sample{Label: label, Scheduled: 5e9, Start: 5e9, Connected: 5e9 + 3, End: 5e9 + 10})
	r := c.Swap(0).Rows[0]
	var total int64
	for _, p := range r.Phases {
		total += p.Total
		if p.Min < 0 || p.Count != 1 {
			t.Errorf("phase %+v", p)
		}
	}
	if total != 10 || r.Phases[PhaseConnect].Total != 3 {
		t.Errorf("phases add up to %d, want the service time of 10: %+v", total, r.Phases)
	}
}

func TestLabelsOverflow(t *testing.T) {
	c := NewCollector(CollectorOptions{MaxLabels: 3})
	for i := range 10 {
		id := c.Label("x", RequestKind, fmt.Sprint("l", i))
		c.Record(&Sample{Label: id, End: 1})
	}
	again := c.LabelBytes("x", RequestKind, []byte("l1"))
	c.Record(&Sample{Label: again, End: 1})
	if !c.Overflowed() {
		t.Error("overflow is not told")
	}
	got := map[string]int64{}
	for _, r := range c.Swap(0).Rows {
		got[r.Label] = r.Finished
	}
	if d := diff(map[string]int64{"l0": 1, "l1": 2, "l2": 1, OtherLabel: 7}, got); d != "" {
		t.Error(d)
	}
	if long := c.Label("y", RequestKind, strings.Repeat("ä", 10_000)); long != c.Label("y", RequestKind, "anything") {
		t.Error("labels beyond the limit of another execution are not its (other)")
	}
}

func TestFailureTexts(t *testing.T) {
	c := NewCollector(CollectorOptions{})
	label := c.Label("x", RequestKind, "a")
	s := Sample{Label: label, End: 1, Flags: Failed, Fault: FaultStatus, Status: 500}
	for i := range 150 {
		c.Failure(&s, fmt.Sprint("text ", i))
	}
	c.Failure(&s, "text 0")
	iv := c.Swap(0)
	if got := iv.Rows[0].Failed; got != 151 {
		t.Errorf("%d failed: a failure is a sample too", got)
	}
	if len(iv.Errors) != 101 {
		t.Fatalf("%d texts, want 100 and the others", len(iv.Errors))
	}
	var total int64
	for _, e := range iv.Errors {
		total += e.Count
		switch {
		case e.Text == OtherErrors && e.Count != 50:
			t.Errorf("others: %d", e.Count)
		case e.Text == "text 0" && (e.Count != 2 || e.Label != "a" || e.Execution != "x" || e.Code != 500 || e.Fault != FaultStatus):
			t.Errorf("text 0: %+v", e)
		}
	}
	if total != 151 {
		t.Errorf("%d counted", total)
	}
	c.Failure(&s, strings.Repeat("€", 1000)+"\xff")
	if got := c.Swap(1).Errors[0].Text; got != strings.Repeat("€", 66) {
		t.Errorf("cut to %q", got)
	}
}

func TestLoadCounters(t *testing.T) {
	c := NewCollector(CollectorOptions{Source: "agent"})
	l := c.Load("x", true)
	if c.Load("x", true) != l {
		t.Error("an execution has two sets of counters")
	}
	for range 5 {
		l.UserStarted()
	}
	l.UserStopped()
	l.UserStopped()
	l.SetPlanned(2.5)
	l.Scheduled.Add(7)
	l.Started.Add(5)
	l.Dropped[DropWaitedTooLong].Add(2)
	l.RequestStarted(1)
	l.RequestStarted(9)
	c.Event(Event{At: 1, Kind: "stage"})
	first := c.Swap(4)
	want := Load{
		Execution: "x", Second: 4, Planned: 2.5, Open: true, Users: 3, UsersPeak: 5, Scheduled: 7, Started: 5,
		Dropped: [DropCount]int64{2, 0}, RequestsStarted: 2,
	}
	if d := diff([]Load{want}, first.Load); d != "" {
		t.Error(d)
	}
	if first.Source != "agent" || first.Sequence != 1 || len(first.Events) != 1 {
		t.Errorf("interval: %+v", first)
	}
	second := c.Swap(5)
	want = Load{Execution: "x", Second: 5, Planned: 2.5, Open: true, Users: 3, UsersPeak: 3}
	if d := diff([]Load{want}, second.Load); d != "" {
		t.Error(d)
	}
	if second.Sequence != 2 || len(second.Events) != 0 {
		t.Errorf("interval: %+v", second)
	}
}

func TestLateness(t *testing.T) {
	var l Lateness
	if l.TakeP99() != 0 {
		t.Error("nothing was late")
	}
	for i := range int64(1000) {
		l.Record(i * 1000)
	}
	if got := l.TakeP99(); got < 989_000 || got > 1_060_000 {
		t.Errorf("p99 = %d, want about 990,000", got)
	}
	l.Record(-5)
	if got := l.TakeP99(); got != 0 {
		t.Errorf("p99 = %d after one that was not late", got)
	}
	l.Record(1<<63 - 1)
	if got := l.TakeP99(); got <= 0 {
		t.Errorf("p99 = %d of the longest", got)
	}
}

func BenchmarkRecord_closedModel(b *testing.B) {
	c := NewCollector(CollectorOptions{})
	label := c.Label("x", RequestKind, "a")
	s := Sample{Label: label, Start: 1e9, Scheduled: 1e9, DNS: 1e9, Connected: 1e9, TLS: 1e9, Sent: 1e9 + 1e4, FirstByte: 1e9 + 4e6, End: 1e9 + 5e6, Status: 200, Exchanges: 1, BytesIn: 1000, BytesOut: 100, Users: 10}
	b.ReportAllocs()
	for b.Loop() {
		c.Record(&s)
	}
}

func BenchmarkRecord_parallel(b *testing.B) {
	c := NewCollector(CollectorOptions{})
	label := c.Label("x", RequestKind, "a")
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		s := Sample{Label: label, User: rand.Uint32(), Start: 1e9, Scheduled: 1e9, Sent: 1e9 + 1e4, FirstByte: 1e9 + 4e6, End: 1e9 + 5e6, Status: 200, Exchanges: 1}
		for pb.Next() {
			c.Record(&s)
		}
	})
}

func BenchmarkSwap_thousandLabels(b *testing.B) {
	c := NewCollector(CollectorOptions{})
	labels := make([]LabelID, 1000)
	for i := range labels {
		labels[i] = c.Label("x", RequestKind, fmt.Sprint("label", i))
	}
	r := random(b)
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		for range 10_000 {
			s := randomSample(r, labels)
			c.Record(&s)
		}
		b.StartTimer()
		c.Swap(0)
	}
}

func TestUnsentHasNoTimes(t *testing.T) {
	c := NewCollector(CollectorOptions{})
	label := c.Label("x", RequestKind, "a")
	sent := Sample{Label: label, Start: 1e9, Scheduled: 1e9, DNS: 1e9, Connected: 1e9, TLS: 1e9, Sent: 1e9, FirstByte: 1e9 + 4e6, End: 1e9 + 5e6, Status: 200, Users: 1}
	unsent := Sample{Label: label, Start: 2e9, Scheduled: 2e9, DNS: 2e9, Connected: 2e9, TLS: 2e9, Sent: 2e9, FirstByte: 2e9, End: 2e9, Users: 1, Fault: FaultTemplate, Flags: Failed | Unsent}
	late := unsent
	late.Scheduled = 1e9
	for _, s := range []Sample{sent, unsent, late} {
		c.Record(&s)
	}
	r := c.Swap(0).Rows[0]
	if r.Finished != 3 || r.Failed != 2 || r.Faults[FaultTemplate] != 2 || r.Codes[0] != 2 || r.Users.Count != 3 {
		t.Errorf("counts: %+v", r)
	}
	if r.Service.Count != 1 || r.Service.Min != 5e6 || r.Response.Count != 1 || r.Phases[PhaseWait].Count != 1 || r.Phases[PhaseDNS].Count != 1 || r.ClientWork.Count != 1 {
		t.Errorf("times: service %+v, response %+v, wait %+v, client %+v", r.Service.Sum, r.Response.Sum, r.Phases[PhaseWait], r.ClientWork)
	}
}

// Counters are taken while users count: at no moment has more begun than fell due, or ended than begun.
func TestLoadsAreTakenInOrder(t *testing.T) {
	c := NewCollector(CollectorOptions{})
	l := c.Load("x", true)
	stop := make(chan struct{})
	var users sync.WaitGroup
	for _, warmUp := range []bool{false, true} {
		users.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				part := l.Part(warmUp)
				part.Scheduled.Add(1)
				if n%2 == 0 {
					part.Dropped[DropEnded].Add(1)
					continue
				}
				part.Started.Add(1)
				part.Finished.Add(1)
			}
		})
	}
	var sum Load
	for second := range int64(20_000) {
		taken := c.Swap(second).Load[0]
		sum.Merge(&taken)
		warm, measured := sum.Part(true), sum.Part(false)
		for _, p := range []LoadPart{warm, measured} {
			if p.Started+p.Dropped[DropEnded] > p.Scheduled || p.Finished > p.Started {
				t.Errorf("second %d: %+v", second, p)
			}
		}
		if t.Failed() {
			break
		}
	}
	close(stop)
	users.Wait()
}
