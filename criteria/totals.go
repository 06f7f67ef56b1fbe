package criteria

import (
	"fmt"

	"github.com/stacrun/stacrun/metrics"
)

// totals is the run so far as cumulative rules see it.
type totals struct {
	snap   *metrics.Snapshot
	loads  []metrics.Load // by execution
	health health
}

func newTotals(snap *metrics.Snapshot, h health) *totals {
	return &totals{snap: snap, loads: snap.Loads(), health: h}
}

// row gives the sum of a scope; nil when there is none.
func (t *totals) row(sc scope) *metrics.Row {
	switch {
	case sc.label != "":
		return t.snap.Label(sc.execution, sc.label)
	case sc.execution != "":
		return t.snap.ExecutionTotal(sc.execution)
	}
	return t.snap.Total()
}

func (t *totals) load(sc scope) load {
	var sum load
	for i := range t.loads {
		if sc.execution == "" || t.loads[i].Execution == sc.execution {
			sum.add(&t.loads[i])
		}
	}
	return sum
}

// value gives a subject's figure of the whole run; false when there is no data for it.
func (t *totals) value(s subject, sc scope) (float64, bool) {
	switch s.kind {
	case dropped:
		l := t.load(sc)
		return float64(l.dropped), l.known
	case achieved:
		l := t.load(sc)
		return ratio(float64(l.started), float64(l.scheduled)), l.scheduled > 0
	case generator:
		if s.percent {
			return 100 * t.health.share(), t.health.seconds > 0
		}
		return float64(t.health.suspects), t.health.seconds > 0
	case processor:
		return 100 * t.health.cpu / float64(max(1, t.health.seconds)), t.health.seconds > 0
	case memory:
		return float64(t.health.memory), t.health.seconds > 0
	}
	return s.ofRow(t.row(sc))
}

// rate gives the finished samples of a scope per second of the measured time; false when there are
// none or that time is too short to tell.
func (t *totals) rate(sc scope) (float64, bool) {
	r := t.row(sc)
	if r == nil || r.Finished == 0 {
		return 0, false
	}
	return t.snap.Rate(r)
}

// finished counts the samples of a scope that ended.
func (t *totals) finished(sc scope) int64 {
	if r := t.row(sc); r != nil {
		return r.Finished
	}
	return 0
}

// without says why a scope lacks a figure of its samples.
func (t *totals) without(sc scope) string {
	n := t.finished(sc)
	if n == 0 {
		return noSample(sc)
	}
	return fmt.Sprintf("of the %d that finished none was sent and answered, so that none has such a time", n)
}
