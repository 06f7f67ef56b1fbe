package metrics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// diff compares anything that holds histograms; nil and empty are the same.
func diff(want, got any) string {
	return cmp.Diff(want, got, cmp.AllowUnexported(Histogram{}), cmpopts.EquateEmpty())
}

// randomTime is log-uniform from about 1 µs to 100 s, in ns.
func randomTime(r *rand.Rand) int64 {
	return int64(math.Exp(r.Float64()*18.4)) * (1 + r.Int64N(999))
}

func randomSample(r *rand.Rand, labels []LabelID) Sample {
	start := r.Int64N(100e9)
	s := Sample{
		Scheduled: start, Start: start, Label: labels[r.IntN(len(labels))], Status: uint16(200 + 100*r.IntN(4)), Exchanges: uint16(r.IntN(3)),
		User: r.Uint32N(50), Users: 1 + r.Uint32N(50), BytesOut: r.Int64N(1000), BytesIn: r.Int64N(100_000),
	}
	if r.IntN(3) == 0 {
		s.Scheduled -= r.Int64N(start + 1)
	}
	at := start
	for _, stamp := range []*int64{&s.DNS, &s.Connected, &s.TLS, &s.Sent, &s.FirstByte, &s.End} {
		if r.IntN(3) > 0 {
			at += randomTime(r) / 6
		}
		*stamp = at
	}
	if r.IntN(5) == 0 {
		s.Flags |= Failed
		s.Fault = Fault(1 + r.IntN(int(FaultCount)-1))
		if r.IntN(2) == 0 {
			s.Status = 0
		}
	}
	for _, flag := range []Flags{WarmUp, HasMetric, NewConnection, Interrupted} {
		if r.IntN(6) == 0 {
			s.Flags |= flag
		}
	}
	s.Metric = r.Int64N(5000)
	s.ClientWork = r.Int64N(2) * r.Int64N(1e6)
	return s
}

// randomInterval is what a collector made of random samples, with everything else set at random. Sums of floating
// point are drawn from whole numbers so that they are exact in any order.
func randomInterval(r *rand.Rand) *Interval {
	source := []string{"", "a", "b"}[r.IntN(3)]
	c := NewCollector(CollectorOptions{Source: source})
	var labels []LabelID
	for i := range 4 {
		labels = append(labels, c.Label(fmt.Sprint("execution", i%2), Kind(r.IntN(4)), fmt.Sprint("label", r.IntN(3))))
	}
	for range r.IntN(200) {
		s := randomSample(r, labels)
		_, _, s.Kind = c.LabelName(s.Label)
		if s.Flags&Failed != 0 {
			c.Failure(&s, fmt.Sprint("text ", r.IntN(5)))
			continue
		}
		c.Record(&s)
	}
	for i := range r.IntN(3) {
		l := c.Load(fmt.Sprint("execution", i), i == 1)
		for range r.IntN(10) {
			l.UserStarted()
		}
		l.SetPlanned(float64(r.IntN(100)))
		l.Scheduled.Add(r.Int64N(100))
		l.Started.Add(r.Int64N(100))
		l.Finished.Add(r.Int64N(100))
		l.Interrupted.Add(r.Int64N(100))
		l.Dropped[DropEnded].Add(r.Int64N(100))
		l.Throttled.Add(r.Int64N(1e9))
		if r.IntN(2) == 0 {
			l.RequestsAdmitted.Add(r.Int64N(100))
			l.RequestsPlanned.Add(r.Int64N(100))
		}
		if r.IntN(2) == 0 {
			l.WarmUp.Scheduled.Add(r.Int64N(100))
			l.WarmUp.Started.Add(r.Int64N(100))
			l.WarmUp.Finished.Add(r.Int64N(100))
			l.WarmUp.Interrupted.Add(r.Int64N(100))
			l.WarmUp.Throttled.Add(r.Int64N(1e9))
			l.WarmUp.RequestStarted(r.Uint32())
			l.WarmUp.Dropped[DropWaitedTooLong].Add(r.Int64N(100))
			l.WarmUp.RequestsAdmitted.Add(r.Int64N(100))
			l.WarmUp.RequestsPlanned.Add(r.Int64N(100))
			l.SetWarmingUp(r.IntN(2) == 0)
		}
		for range r.IntN(20) {
			l.RequestStarted(r.Uint32())
		}
		l.SetDrainFrom(r.Int64N(2) * r.Int64N(1e12))
	}
	for range r.IntN(3) {
		c.Event(Event{At: r.Int64N(5), Kind: "stage", Text: strconv.Itoa(r.IntN(3))})
	}
	iv := c.Swap(r.Int64N(4))
	iv.Sequence = r.Uint64N(1000)
	iv.Final = r.IntN(4) == 0
	for _, name := range []string{"a", "b"} {
		if r.IntN(3) == 0 {
			iv.Agents = append(iv.Agents, Agent{
				Name: name, Host: "host", Second: iv.Second, State: AgentState(r.IntN(int(agentStates))), Share: r.Float64(), Finished: r.Int64N(100),
				Failed: r.Int64N(10), Users: r.Int64N(9), CPUShare: r.Float64(), SchedulerLagP99: randomTime(r),
			})
		}
	}
	iv.Health = Health{
		CPUShare: r.Float64(), CPUSeconds: float64(r.IntN(10)), GCShare: r.Float64(), SchedulerLagP99: randomTime(r), GCPauseMax: randomTime(r),
		PacerLateP99: randomTime(r), CollectorLag: randomTime(r), Goroutines: r.Int64N(1000), Descriptors: r.Int64N(1000),
		DescriptorLimit: 1024, MemoryBytes: r.Int64N(1e9), NoDescriptor: r.Int64N(3), NoPort: r.Int64N(3),
		Stall: r.Int64N(2) * r.Int64N(5e9),
	}
	return iv
}

func random(t testing.TB) *rand.Rand {
	t.Helper()
	return rand.New(rand.NewPCG(1, 2))
}
