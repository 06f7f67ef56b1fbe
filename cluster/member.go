package cluster

import (
	"fmt"
	"time"

	"github.com/stacrun/stacrun/metrics"
)

// member is an agent as the controller knows it. The controller's lock guards all of it.
type member struct {
	id    string
	name  string
	hello hello
	index int // of its share

	state metrics.AgentState
	why   string    // it left
	heard time.Time // when the last message came

	ready  *ready
	looked *looked
	over   map[string]bool // executions of which its share is done
	begun  map[portion]*underWay
	closed bool // its counts are settled

	timed bool  // it has told of its clock
	late  int64 // ns by which it began an execution after the moment that was ordered, the longest so far
	doubt int64 // ns by which its clock may differ from the controller's

	ticks map[uint64]bool // sequence numbers that came, without those up to known
	known uint64          // all ticks up to this one came
	last  int64           // second of the latest tick; -1: none
	done  *done           // it has said so
	asked time.Time       // when ticks were last asked for again
	gone  time.Time       // it became lost
	since int64           // second in which it became lost or left
}

// label is how messages name an agent.
func (m *member) label() string { return fmt.Sprintf("agent %s (%s)", m.name, m.hello.Host) }

// take notes a tick; false: it came before.
func (m *member) take(sequence uint64) bool {
	if sequence <= m.known || m.ticks[sequence] {
		return false
	}
	m.ticks[sequence] = true
	for m.ticks[m.known+1] {
		m.known++
		delete(m.ticks, m.known)
	}
	return true
}

// gap gives the first and last of the ticks that are missing in a row before one that came, or before the end.
func (m *member) gap() (first, last uint64, missing bool) {
	first = m.known + 1
	if m.done != nil {
		last = m.done.Ticks
	}
	for sequence := range m.ticks { // none of them is known+1
		if last < first || sequence <= last {
			last = sequence - 1
		}
	}
	if last < first {
		return 0, 0, false
	}
	return first, last, true
}

// complete says that everything came that the agent had to tell.
func (m *member) complete() bool { return m.done != nil && m.known >= m.done.Ticks }

// row is how the agent fares, without what its ticks count.
func (m *member) row(second int64, share float64) metrics.Agent {
	return metrics.Agent{Name: m.name, Host: m.hello.Host, Second: second, State: m.state, Share: share}
}
