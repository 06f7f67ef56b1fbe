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

// follow brings what is under way at an agent up to date with one of its intervals.
func (m *member) follow(iv *metrics.Interval) {
	if m.begun == nil {
		m.begun = map[string]*underWay{}
	}
	of := func(execution string) *underWay {
		if m.begun[execution] == nil {
			m.begun[execution] = &underWay{}
		}
		return m.begun[execution]
	}
	for i := range iv.Load {
		l := &iv.Load[i]
		u := of(l.Execution)
		u.waiting += l.Scheduled - l.Started
		for _, n := range l.Dropped {
			u.waiting -= n
		}
		u.iterations += l.Started - l.Finished - l.Interrupted
		u.requests += l.RequestsStarted
	}
	for i := range iv.Rows {
		if r := &iv.Rows[i]; r.Kind == metrics.RequestKind {
			of(r.Execution).requests -= r.Finished + r.Interrupted
		}
	}
}

// settle counts as interrupted, or dropped, what a lost agent had under way, so that the counts of the run add up. at is the end of the run in ns.
func (m *member) settle(second, at int64) *metrics.Interval {
	iv := &metrics.Interval{Second: second}
	for _, execution := range slices.Sorted(maps.Keys(m.begun)) {
		u := m.begun[execution]
		load := metrics.Load{Execution: execution, Second: -1, Interrupted: u.iterations}
		load.Dropped[metrics.DropEnded] = u.waiting
		iv.Load = append(iv.Load, load)
		if u.requests > 0 {
			iv.Rows = append(iv.Rows, metrics.Row{Execution: execution, Label: LostLabel, Kind: metrics.RequestKind, Interrupted: u.requests, FirstStart: at})
		}
	}
	return iv
}
