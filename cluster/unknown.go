package cluster

import (
	"maps"
	"slices"

	"github.com/stacrun/stacrun/metrics"
)

// LostLabel is the label of requests that were under way when their agent was lost: which ones they were is not known.
const LostLabel = "(lost with their agent)"

// underWay is what an agent has begun in one execution and not yet told the end of.
type underWay struct {
	waiting    int64 // arrivals that nobody has taken
	iterations int64
	requests   int64
}

// portion is an execution, or its warm-up, which is told apart.
type portion struct {
	execution string
	warmUp    bool
}

// follow brings what is under way at an agent up to date with one of its intervals.
func (m *member) follow(iv *metrics.Interval) {
	if m.begun == nil {
		m.begun = map[portion]*underWay{}
	}
	of := func(execution string, warmUp bool) *underWay {
		s := portion{execution, warmUp}
		if m.begun[s] == nil {
			m.begun[s] = &underWay{}
		}
		return m.begun[s]
	}
	for i := range iv.Load {
		l := &iv.Load[i]
		for _, warmUp := range [...]bool{false, true} {
			u, p := of(l.Execution, warmUp), l.Part(warmUp)
			u.waiting += p.Scheduled - p.Started
			for _, n := range p.Dropped {
				u.waiting -= n
			}
			u.iterations += p.Started - p.Finished - p.Interrupted
			u.requests += p.RequestsStarted
		}
	}
	for i := range iv.Rows {
		if r := &iv.Rows[i]; r.Kind == metrics.RequestKind {
			of(r.Execution, r.WarmUp).requests -= r.Finished + r.Interrupted
		}
	}
}

// settle counts as interrupted, or dropped, what a lost agent had under way, so that the counts of the run add up. at is the end of the run in ns.
func (m *member) settle(second, at int64) *metrics.Interval {
	iv := &metrics.Interval{Second: second}
	loads := map[string]*metrics.Load{}
	for s, u := range m.begun {
		l := loads[s.execution]
		if l == nil {
			l = &metrics.Load{Execution: s.execution, Second: -1}
			loads[s.execution] = l
		}
		l.Interrupted += u.iterations
		l.Dropped[metrics.DropEnded] += u.waiting
		if s.warmUp {
			l.WarmUp.Interrupted = u.iterations
			l.WarmUp.Dropped[metrics.DropEnded] = u.waiting
		}
		if u.requests > 0 {
			iv.Rows = append(iv.Rows, metrics.Row{
				Execution: s.execution, Label: LostLabel, Kind: metrics.RequestKind, WarmUp: s.warmUp, Interrupted: u.requests, FirstStart: at,
			})
		}
	}
	for _, execution := range slices.Sorted(maps.Keys(loads)) {
		iv.Load = append(iv.Load, *loads[execution])
	}
	iv.Sort()
	return iv
}
