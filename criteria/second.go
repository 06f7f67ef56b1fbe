package criteria

import "github.com/stacrun/stacrun/metrics"

// scope is what a rule looks at: the rows of one label or of all requests, of one execution or of all.
type scope struct {
	execution string // "": all
	label     string // "": all requests
	kind      metrics.Kind
}

func (s scope) holds(r *metrics.Row) bool {
	if r.WarmUp || s.execution != "" && r.Execution != s.execution {
		return false
	}
	if s.label == "" {
		return r.Kind == metrics.RequestKind
	}
	return r.Kind == s.kind && r.Label == s.label
}

// merged sums up the rows in scope; nil when there is none. A single row is not copied.
func (s scope) merged(rows func(yield func(*metrics.Row) bool)) *metrics.Row {
	var only, sum *metrics.Row
	for r := range rows {
		switch {
		case !s.holds(r):
		case only == nil:
			only = r
		default:
			if sum == nil {
				sum = &metrics.Row{Execution: s.execution, Label: s.label, Kind: s.kind}
				sum.Merge(only)
			}
			sum.Merge(r)
		}
	}
	if sum != nil {
		return sum
	}
	return only
}

// second is one second of the run as rules see it: sums are made once per scope, not once per rule.
type second struct {
	interval *metrics.Interval
	rows     map[scope]*metrics.Row
}

func newSecond(iv *metrics.Interval) *second {
	return &second{interval: iv, rows: map[scope]*metrics.Row{}}
}

func (s *second) row(sc scope) *metrics.Row {
	if r, known := s.rows[sc]; known {
		return r
	}
	r := sc.merged(func(yield func(*metrics.Row) bool) {
		for i := range s.interval.Rows {
			if !yield(&s.interval.Rows[i]) {
				return
			}
		}
	})
	s.rows[sc] = r
	return r
}

// load sums up the executions in scope.
func (s *second) load(sc scope) load {
	var sum load
	for i := range s.interval.Load {
		l := &s.interval.Load[i]
		if sc.execution == "" || l.Execution == sc.execution {
			sum.add(l)
		}
	}
	return sum
}

// load is the part of [metrics.Load] that rules look at; the warm-up is not judged.
type load struct {
	known              bool // some execution is behind its warm-up
	wanted             bool // the plan asked for load
	users              int64
	dropped            int64
	started, scheduled int64 // iterations of open executions, requests of capped ones
}

func (l *load) add(whole *metrics.Load) {
	m := whole.Measured()
	if !m.WarmingUp {
		l.known = true
		l.wanted = l.wanted || m.Planned > 0
		l.users += max(m.UsersPeak, m.Users)
	}
	for _, n := range m.Dropped {
		l.dropped += n
	}
	if m.Open {
		l.started += m.Started
		l.scheduled += m.Scheduled
	} else {
		l.started += m.RequestsAdmitted
		l.scheduled += m.RequestsPlanned
	}
}
