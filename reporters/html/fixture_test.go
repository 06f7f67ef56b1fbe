package html

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stacrun/stacrun/config"
	"github.com/stacrun/stacrun/criteria"
	"github.com/stacrun/stacrun/metrics"
	"github.com/stacrun/stacrun/reporters/report"
)

// madeRun is a run as a generator might have made it.
type madeRun struct {
	name     string
	seconds  int
	labels   []string
	rate     int // requests per second
	open     bool
	warmUp   int // seconds
	slowness float64
	seed     uint64
}

// intervals makes the run second by second.
func (m madeRun) intervals(observe func(*metrics.Interval)) {
	r := rand.New(rand.NewPCG(m.seed, 7))
	c := metrics.NewCollector(metrics.CollectorOptions{})
	ids := make([]metrics.LabelID, len(m.labels))
	for i, label := range m.labels {
		ids[i] = c.Label("main", metrics.RequestKind, label)
	}
	walk := c.Label("main", metrics.IterationKind, "main")
	load := c.Load("main", m.open)
	alive := 0
	for second := range m.seconds {
		planned := 20.0
		if ramp := float64(m.seconds) / 5; float64(second) < ramp {
			planned = math.Ceil(20 * (float64(second) + 1) / ramp)
		}
		for ; alive < int(planned); alive++ {
			load.UserStarted()
		}
		load.SetPlanned(planned)
		if m.open {
			load.SetPlanned(float64(m.rate) * planned / 20 / float64(len(ids)))
		}
		slow := 1.0
		if second > m.seconds/2 && second < m.seconds/2+max(m.seconds/20, 2) {
			slow = 6
			if second%max(m.seconds/20, 1) == 1 {
				c.Event(metrics.Event{At: int64(second) * 1e9, Kind: "criterion", Text: "p95>250ms for 10s, continue as failed"})
			}
		}
		n := int(float64(m.rate) * planned / 20 * (0.9 + 0.2*r.Float64()))
		for i := range n {
			at := int64(second)*1e9 + int64(i)*1e9/int64(n)
			k := i % len(ids)
			service := int64(m.slowness * slow * (4e6 + 3e6*float64(k%9)) * math.Exp(0.5*r.NormFloat64()))
			s := metrics.Sample{
				Scheduled: max(at-service, 0), Start: max(at-service, 0), Label: ids[k], Status: 200, Exchanges: 1, BytesOut: 400, BytesIn: 9000 + r.Int64N(4000),
				Users: uint32(alive), User: uint32(i % alive), ClientWork: 40_000,
			}
			if m.open && slow > 1 {
				s.Scheduled = max(s.Scheduled-3*service, 0)
			}
			s.DNS, s.Connected, s.TLS = s.Start, s.Start, s.Start
			if r.IntN(50) == 0 {
				s.DNS, s.Connected = s.Start+100_000, s.Start+600_000
				s.TLS = s.Connected
				s.Flags |= metrics.NewConnection
			}
			s.Sent = s.TLS + 50_000
			s.End = max(at, s.Sent)
			s.FirstByte = s.Start + (s.End-s.Start)*8/10
			if s.FirstByte < s.Sent {
				s.FirstByte = s.Sent
			}
			if second < m.warmUp {
				s.Flags |= metrics.WarmUp
			}
			load.RequestStarted(s.User)
			switch {
			case r.IntN(400) == 0 || slow > 1 && r.IntN(20) == 0:
				s.Status, s.Fault = 503, metrics.FaultStatus
				s.Flags |= metrics.Failed
				c.Failure(&s, "503 Service Unavailable")
			case r.IntN(3000) == 0:
				s.Status, s.Fault = 0, metrics.FaultReset
				s.Flags |= metrics.Failed
				c.Failure(&s, "read tcp 127.0.0.1:43210->127.0.0.1:8080: connection reset by peer")
			default:
				c.Record(&s)
			}
			if k == len(ids)-1 {
				load.Scheduled.Add(1)
				load.Started.Add(1)
				load.Finished.Add(1)
				whole := s
				whole.Label, whole.Kind, whole.Flags, whole.Fault = walk, metrics.IterationKind, s.Flags&metrics.WarmUp, metrics.NoFault
				c.Record(&whole)
			}
		}
		if m.open && slow > 1 {
			load.Scheduled.Add(3)
			load.Dropped[metrics.DropWaitedTooLong].Add(3)
		}
		if second == m.seconds/5 {
			c.Event(metrics.Event{At: int64(second) * 1e9, Kind: "stage", Text: "ramp-up is over: 20 users"})
		}
		iv := c.Swap(int64(second))
		iv.Health = metrics.Health{
			CPUShare: 0.2 + 0.1*math.Sin(float64(second)/9) + 0.05*r.Float64(), CPUSeconds: 0.5, SchedulerLagP99: int64(2e5 + 4e5*r.Float64()),
			GCPauseMax: int64(1e5 * r.Float64()), PacerLateP99: int64(3e5 * r.Float64()), MemoryBytes: 90 << 20, Descriptors: 64, DescriptorLimit: 1024,
		}
		observe(iv)
	}
}

// run gives the page's data of the run.
func (m madeRun) run(tb testing.TB) *Data {
	tb.Helper()
	started := time.Date(2026, 3, 14, 9, 26, 53, 0, time.UTC)
	d := NewData(report.Run{
		Name: m.name, Files: []string{"scenarios/search.yml"}, Started: started, Dir: "2026-03-14_09-26-53.1", Seed: 4711, Version: "1.0.0",
		Ends: "after the hold-for of 2m", Executions: []report.Execution{{Name: "main", Scenario: "search", Open: m.open, Ends: "after the hold-for of 2m"}},
	})
	d.Run.Machines = []report.Machine{{Host: "here", OS: "linux", Arch: "amd64", Go: "go1.26", Processors: 2, Used: 2, MemoryBytes: 8 << 30, Descriptors: 65536}}
	snap := metrics.NewSnapshot()
	m.intervals(func(iv *metrics.Interval) {
		snap.Add(iv)
		d.Add(iv)
	})
	d.Outcome = &report.Outcome{
		Result: report.ResultFailed, ExitCode: 3, Reason: "p95 of search>250ms for 10s, continue as failed: observed 312ms, limit <= 250ms",
		Ended: started.Add(time.Duration(m.seconds) * time.Second), Duration: time.Duration(m.seconds) * time.Second, Snapshot: snap,
		Verdicts: []criteria.Verdict{
			{Text: "p95 of search>250ms for 10s, continue as failed", Result: criteria.Failed, Fails: true, Observed: "312ms", Limit: "<= 250ms", Windowed: true, Since: 63 * time.Second, Held: 10 * time.Second},
			{Text: "fail>5%", Result: criteria.Passed, Observed: "0.44%", Limit: "<= 5%"},
			{Text: `p95("search") <= 400ms`, Rule: config.Criterion{Assert: `p95("search") <= 400ms`, Message: "objective of the search team"}, Result: criteria.Passed, Observed: "312ms", Limit: "<= 400ms"},
			{Text: "p99 of nobody>1s", Result: criteria.NotEvaluated, Fails: true, Reason: `no sample of "nobody" in the measured window`, Limit: "<= 1s"},
		},
	}
	return d
}

func labelsNamed(n int) []string {
	names := []string{"search", "GET /collections", "GET /collections/{id}/items", "item by id", "POST /search with a bbox over land", "landing page"}
	for i := len(names); i < n; i++ {
		names = append(names, fmt.Sprintf("GET /collections/sentinel-2-l2a/items/%03d?fields=id,geometry", i))
	}
	return names[:n]
}
