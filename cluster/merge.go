package cluster

import (
	"slices"

	"github.com/stacrun/stacrun/metrics"
)

// merger adds up the intervals of agents by second. What comes after its second was given away is added to the next one,
// so that no count is lost.
type merger struct {
	next     int64 // second that is given away next
	sequence uint64
	pending  map[int64]*metrics.Interval
	told     map[string]bool // events that were told
}

func newMerger() *merger {
	return &merger{pending: map[int64]*metrics.Interval{}, told: map[string]bool{}}
}

// add counts an interval in. It becomes the merger's.
func (m *merger) add(iv *metrics.Interval) {
	iv.Source, iv.Sequence, iv.Final = "", 0, false
	iv.Events = slices.DeleteFunc(iv.Events, func(e metrics.Event) bool {
		key := e.Kind + "\x00" + e.Text
		again := m.told[key] && e.Kind != "load" // a load may be set twice to the same
		m.told[key] = true
		return again
	})
	second := max(iv.Second, m.next)
	if have := m.pending[second]; have != nil {
		have.Merge(iv)
		return
	}
	m.pending[second] = iv
}

// take gives the interval of the next second away; final: with all that is left.
func (m *merger) take(final bool) *metrics.Interval {
	iv := &metrics.Interval{Second: m.next}
	for second, have := range m.pending {
		if second <= m.next || final {
			iv.Merge(have)
			delete(m.pending, second)
		}
	}
	m.sequence++
	iv.Sequence, iv.Final = m.sequence, final
	m.next = iv.Second + 1
	return iv
}

// ofAgent prepares an interval of an agent for the sum: the plan is told by the controller.
func ofAgent(iv *metrics.Interval, row metrics.Agent) {
	for i := range iv.Rows {
		if r := &iv.Rows[i]; r.Kind == metrics.RequestKind && !r.WarmUp {
			row.Finished += r.Finished
			row.Failed += r.Failed
		}
	}
	for i := range iv.Load {
		row.Users += iv.Load[i].Users
		iv.Load[i].Planned = 0
	}
	row.CPUShare, row.SchedulerLagP99, row.Second = iv.Health.CPUShare, iv.Health.SchedulerLagP99, iv.Second
	iv.Agents = []metrics.Agent{row}
	iv.Events = slices.DeleteFunc(iv.Events, func(e metrics.Event) bool { return e.Kind == "stage" || e.Kind == "load" })
}
